import math
from typing import Callable, Dict

import torch
from torch import nn
from torch.nn.functional import softplus

__all__ = ["SchNet"]


def shifted_softplus(x):
    return softplus(x) - math.log(2.0)


class GaussianRBF(nn.Module):
    def __init__(self, n_rbf: int, cutoff: float, start: float = 0.0):
        super().__init__()
        offset = torch.linspace(start, cutoff, n_rbf)
        self.register_buffer("offsets", offset)
        self.register_buffer("widths", torch.full_like(offset, (offset[1] - offset[0]).item()))

    def forward(self, d):
        return torch.exp(-0.5 / self.widths.pow(2) * (d[..., None] - self.offsets) ** 2)


class Interaction(nn.Module):
    def __init__(self, n_atom_basis: int, n_rbf: int, n_filters: int, activation: Callable = shifted_softplus):
        super().__init__()
        self.act = activation
        self.in2f = nn.Linear(n_atom_basis, n_filters, bias=False)
        self.f2out_1 = nn.Linear(n_filters, n_atom_basis)
        self.f2out_2 = nn.Linear(n_atom_basis, n_atom_basis)
        self.filter_1 = nn.Linear(n_rbf, n_filters)
        self.filter_2 = nn.Linear(n_filters, n_filters)

    def forward(self, x, f_ij, idx_i, idx_j, rcut_ij):
        x = self.in2f(x)
        w = self.filter_2(self.act(self.filter_1(f_ij))) * rcut_ij[:, None]
        m = torch.zeros_like(x).index_add(0, idx_i, x[idx_j] * w)
        return self.f2out_2(self.act(self.f2out_1(m)))


class SchNet(nn.Module):
    """SchNet architecture for learning representations of atomistic systems."""

    def __init__(self, n_atom_basis: int = 64, n_interactions: int = 3, n_rbf: int = 20, cutoff: float = 5.0,
                 max_z: int = 100, compute_forces: bool = True):
        super().__init__()
        self.cutoff = cutoff
        self.compute_forces = compute_forces
        self.embedding = nn.Embedding(max_z, n_atom_basis, padding_idx=0)
        self.radial_basis = GaussianRBF(n_rbf, cutoff)
        self.interactions = nn.ModuleList(
            [Interaction(n_atom_basis, n_rbf, n_atom_basis) for _ in range(n_interactions)]
        )
        self.energy = nn.Sequential(nn.Linear(n_atom_basis, n_atom_basis // 2), nn.SiLU(),
                                    nn.Linear(n_atom_basis // 2, 1))

    def cosine_cutoff(self, d):
        return 0.5 * (torch.cos(d * math.pi / self.cutoff) + 1.0) * (d < self.cutoff).float()

    def forward(self, inputs: Dict[str, torch.Tensor]) -> Dict[str, torch.Tensor]:
        """inputs has Z (n_atoms), R (n_atoms x 3), idx_i and idx_j (n_pairs), idx_m (n_atoms)."""
        z, r = inputs["Z"], inputs["R"]
        idx_i, idx_j, idx_m = inputs["idx_i"], inputs["idx_j"], inputs["idx_m"]
        if self.compute_forces:
            r.requires_grad_()
        r_ij = r[idx_j] - r[idx_i]
        d_ij = torch.sqrt((r_ij ** 2).sum(-1) + 1e-8)
        f_ij = self.radial_basis(d_ij)
        rcut = self.cosine_cutoff(d_ij)
        x = self.embedding(z)
        for interaction in self.interactions:
            x = x + interaction(x, f_ij, idx_i, idx_j, rcut)
        y = self.energy(x).squeeze(-1)
        n_mol = int(idx_m[-1]) + 1
        e = torch.zeros(n_mol, dtype=y.dtype, device=y.device).index_add(0, idx_m, y)
        out = {"energy": e}
        if self.compute_forces:
            out["forces"] = -torch.autograd.grad(e.sum(), r, create_graph=self.training)[0]
        return out
