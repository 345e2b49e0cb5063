"""Values that leave autograd through numpy, lists and numbers: how the same is reckoned with tensors."""

import pytest

from ..fixing import fixed, model, offered

HEAD = "import math\n\nimport numpy as np\nimport torch\nfrom torch import nn\n\n\n"


def forward(*lines):
    return model("pass", "\n".join(lines), head=HEAD)


class TestArrays:
    @pytest.mark.parametrize(
        ("inside", "instead"),
        [
            ("np.exp(a)", "torch.exp(a)"),
            ("np.mean(a, axis=0, keepdims=True)", "torch.mean(a, dim=0, keepdim=True)"),
            ("np.fft.rfft(a, n=8, axis=-1)", "torch.fft.rfft(a, n=8, dim=-1)"),
            ("a.cumsum(axis=1)", "a.cumsum(dim=1)"),
            ("a.copy()", "a.clone()"),
            ("np.concatenate([a, a], axis=0)[1:]", "torch.cat([a, a], dim=0)[1:]"),
            ("np.clip(a / 2, -1, a.shape[0])", "torch.clip(a / 2, -1, a.shape[0])"),
            ("a.astype(np.float32)", "a.to(torch.float32)"),
            ("a - a.mean(0)", "(a - a.mean(0))"),
        ],
    )
    def test_a_function_is_that_of_torch(self, inside, instead):
        text = forward("a = x.detach().cpu().numpy()", f"return torch.from_numpy({inside})")
        assert fixed(text, "left-autograd", ".numpy()") == forward("a = x", f"return {instead}")

    def test_casts_and_moves_are_kept(self):
        text = forward("a = np.exp(x.detach().numpy())", "return torch.tensor(a, dtype=torch.float64, device=x.device)")
        assert fixed(text, "left-autograd", ".numpy()") == forward(
            "a = torch.exp(x)", "return a.to(x.device).to(torch.float64)"
        )

    def test_a_list_of_arrays_is_stacked(self):
        lines = "rows = []", "for r in x:", "    rows.append(r.detach().numpy())", "y = np.stack(rows, axis=1)"
        text = forward(*lines, "return torch.as_tensor(y)")
        assert fixed(text, "left-autograd", ".numpy()") == forward(
            *lines[:2], "    rows.append(r)", "y = torch.stack(rows, dim=1)", "return y"
        )

    def test_what_fft_made_may_be_written_into(self):
        text = forward("a = np.fft.fft(x.detach().numpy())", "a[1:] = 0", "return torch.from_numpy(a)")
        assert fixed(text, "left-autograd", ".numpy()") == forward("a = torch.fft.fft(x)", "a[1:] = 0", "return a")

    @pytest.mark.parametrize(
        "lines",
        [
            ("a = {}", "return torch.from_numpy(np.interp(a, a, a))"),
            ("a = {}", "return torch.from_numpy(np.argmin(a, axis=1))"),
            ("a = {}", "return torch.from_numpy(np.std(a))"),  # divides by another number
            ("a = {}", "return torch.from_numpy(np.cumsum(a))"),  # of all in a row
            ("a = {}", "return torch.from_numpy(a * np.ones(3))"),
            ("a = {}", "return torch.from_numpy(a * weights)"),
            ("a = np.exp({})", "a[0] = 0", "return torch.from_numpy(a)"),  # exp needs what it gave
            ("a = {}", "a = load(a)", "return torch.from_numpy(a)"),
            ("a = {}", "return np.exp(a)"),
            ("a = {}", "save(a)", "return torch.from_numpy(np.exp(a))"),
            ("for r in x:", "    b = np.exp(a)", "    a = {}", "return torch.from_numpy(b)"),
        ],
    )
    def test_what_torch_does_not_have_so_is_left(self, lines):
        text = forward(*(line.replace("{}", "x.detach().numpy()") for line in lines))
        assert offered(text, "left-autograd", ".numpy()") == []


class TestItems:
    @pytest.mark.parametrize(
        ("before", "after", "at"),
        [
            ("[max(r.item(), 0.0) + 0.1 for r in x]", "[r.reshape(()).clamp(min=0.0) + 0.1 for r in x]", "r.item()"),
            ("[2 * float(r) for r in x.flatten()]", "[2 * r for r in x.flatten()]", "float(r)"),
            ("[math.exp(r) for r in x.ravel()]", "[torch.exp(r) for r in x.ravel()]", "math.exp(r)"),
            ("[math.exp(r.sum().item())]", "[torch.exp(r.sum())]", ".item()"),
            ("[[-r.item()] for r in x.flatten()]", "[torch.stack([-r]) for r in x.flatten()]", ".item()"),
            ("[abs(r.item()) for r in x.flatten()]", "[r.abs() for r in x.flatten()]", ".item()"),
        ],
    )
    @pytest.mark.parametrize("make", ["torch.tensor", "torch.FloatTensor", "torch.Tensor"])
    def test_numbers_in_a_list_are_stacked(self, before, after, at, make):
        text = forward(f"return {make}({before})")
        assert fixed(text, "left-autograd", at) == forward(f"return torch.stack({after})")

    @pytest.mark.parametrize(
        "inside",
        [
            "[max(r.item(), n) for r in x]",
            "[round(r.item()) for r in x]",
            "[r.item() if n else 0 for r in x]",
            "[r.item(), 1.0]",
            "[int(r.item()) for r in x]",
        ],
    )
    def test_what_needs_a_number_keeps_it(self, inside):
        assert offered(forward(f"return torch.tensor({inside})"), "left-autograd", "r.item()") == []

    @pytest.mark.parametrize("direct", [True, False])
    def test_rows_in_a_list_are_stacked(self, direct):
        put = ("    rows.append(r.tolist())",) if direct else ("    row = r.tolist()", "    rows.append(row)")
        left = ("    rows.append(r)",) if direct else ("    row = r", "    rows.append(row)")
        around = ("rows = []", "for r in x:"), ("return torch.tensor(rows)",)
        assert fixed(forward(*around[0], *put, *around[1]), "left-autograd", ".tolist()") == forward(
            *around[0], *left, "return torch.stack(rows)"
        )

    @pytest.mark.parametrize("more", ["rows.append([0.0])", "rows.sort()", "n = len(rows)", "rows = [1]"])
    def test_a_list_with_which_more_is_done_is_left(self, more):
        text = forward("rows = []", "for r in x:", "    rows.append(r.tolist())", more, "return torch.tensor(rows)")
        assert offered(text, "left-autograd", ".tolist()") == []

    def test_a_rounded_number_is_a_rounded_tensor(self):
        text = forward("t = round(float(self.t), 2)", "return x - t")
        assert fixed(text, "left-autograd", "float(self.t)") == forward(
            "t = self.t + (torch.round(self.t, decimals=2) - self.t).detach()", "return x - t"
        )

    def test_a_whole_number_may_be_a_count(self):
        text = forward("t = round(float(self.t))", "return x - t")
        assert offered(text, "left-autograd", "float(self.t)") == []
