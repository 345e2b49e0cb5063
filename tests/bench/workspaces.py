"""A large workspace to measure in: files of the sizes that Python's own library has, a few of them with a probe."""

from __future__ import annotations

import random
import sysconfig
from pathlib import Path

FILES_IN_A_FOLDER = 50
WITH_PROBE = 0.01
LARGEST = 100_000
"""Bytes of the largest file of the library that is taken."""

LAYERS = 24


def model(number: int, layers: int = LAYERS) -> str:
    """A model file of usual size (about 150 lines) with one probe; every third layer is cut off."""
    lines = [f'"""Model number {number}."""', "", "import torch", "from torch import nn", "", ""]
    for block in range(4):
        lines += [f"class Block{block}(nn.Module):", f'    """Block {block} of model {number}."""', ""]
        lines += ["    def __init__(self):", "        super().__init__()"]
        lines += [f"        self.layer{n} = nn.Linear(8, 8)" for n in range(layers // 4)]
        lines += ["", "    def forward(self, x):"]
        for n in range(layers // 4):
            lines += [f"        h = self.layer{n}(x)", f"        x = x + {'h.detach()' if n % 3 == 2 else 'h'}"]
        lines += ["        return x", "", ""]
    lines += ["class Net(nn.Module):", "    def __init__(self):", "        super().__init__()"]
    lines += [f"        self.block{block} = Block{block}()" for block in range(4)]
    lines += ["", "    def forward(self, x):"]
    lines += [f"        x = self.block{block}(x)" for block in range(4)]
    lines += ["        return x", "", "", "def gradflow_probe():", "    model = Net()"]
    return "\n".join([*lines, "    return model, model(torch.randn(4, 8)).square().mean()", ""])


def fill(folder: Path, files: int) -> list[Path]:
    """Write a workspace; return the files that have a probe, then the others."""
    draw = random.Random(0)
    library = sorted(
        path
        for path in Path(sysconfig.get_path("stdlib")).rglob("*.py")
        if path.stat().st_size <= LARGEST and not {"site-packages", "test", "idlelib"} & set(path.parts)
    )
    texts = [path.read_bytes() for path in library]
    probed, others = [], []
    for number in range(files):
        path = folder / f"package{number // FILES_IN_A_FOLDER}" / f"module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        has_probe = draw.random() < WITH_PROBE
        path.write_bytes(model(number).encode() if has_probe else draw.choice(texts))
        (probed if has_probe else others).append(path)
    return probed + others
