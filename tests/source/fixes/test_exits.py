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
            ("a = {}", "return torch.from_numpy(np.prod(a, axis=(0, 1)))"),
            ("a = {}", "return torch.from_numpy(np.sum(a, keepdims=True))"),  # torch wants an axis
            ("a = {}", "return torch.from_numpy(np.reshape(a, -1))"),
            ("a = {}", "return torch.from_numpy(np.stack(a))"),  # torch wants a list
            ("a = {}", "return torch.from_numpy(np.concatenate([a, [0.0]]))"),
            ("a = {}", "return torch.from_numpy(np.array([a[0], 1.0]))"),
            ("a = {}", "return torch.from_numpy(np.outer(a, a))"),  # of matrices, that of all in a row
            ("a = {}", "return torch.from_numpy(np.clip(a, 0, a))"),
            ("a = {}", "return torch.from_numpy(a.clip(0, limits))"),
            ("a = {}", "return torch.from_numpy(a @ [1, 2])"),
            ("a = {}", "return torch.from_numpy(a[:, ::-1])"),
            ("a = {}", "return torch.from_numpy(a * np.ones(a.shape[1]))"),
            ("a = {}", "return torch.from_numpy(a.flatten('F'))"),
            ("a = {}", "return torch.from_numpy(a.mean(0, np.float64))"),
            ("a = {}", "return torch.from_numpy(np.exp(a, out))"),
            ("a = {}", "return torch.from_numpy(np.einsum('ij->i', a, optimize=True))"),
            ("a = {}.copy()", "b = a**2", "a[0] = 0", "return torch.from_numpy(b)"),  # the square needs it
            ("a = {}.copy()", "a[0] = weights", "return torch.from_numpy(a)"),
            ("a = b = {}", "print(a.argmax())", "return torch.from_numpy(b)"),
            ("a: np.ndarray = {}", "return torch.from_numpy(np.exp(a))"),
            ("a = {}", "return torch.from_numpy(", "    # back", "    np.exp(a),", ")"),
            ("a = {}", "y = torch.from_numpy(np.exp(a))", "y += 1", "return y"),
            ("a = {}", "rows.append(a)", "return torch.from_numpy(np.stack(rows))"),  # rows of other calls too
        ],
    )
    def test_what_torch_does_not_have_so_is_left(self, lines):
        text = forward(*(line.replace("{}", "x.detach().numpy()") for line in lines))
        assert offered(text, "left-autograd", ".numpy()") == []

    def test_a_chain_over_lines_gets_parentheses(self):
        text = forward("a = x.detach().numpy()", "return torch.from_numpy(", "    a", "    .copy()", ")")
        assert fixed(text, "left-autograd", ".numpy()") == forward("a = x", "return (a", "    .clone())")
        text = forward("return torch.tensor(", "    x", "    .mean(0)", "    .detach()", "    .numpy()", ")")
        assert fixed(text, "left-autograd", ".numpy()") == forward("return (x", "    .mean(0))")

    @pytest.mark.parametrize("made", ["np.array(x.detach(), dtype=np.float64)", "np.array(rows_of(x))"])
    def test_an_array_of_something_else_is_left(self, made):
        text = forward(f"a = {made}", "return torch.from_numpy(np.exp(a))")
        assert offered(text, "left-autograd", made) == []


class TestWraps:
    @pytest.mark.parametrize(
        "value", ["list(x)", "self.rows.values()", "sorted(x)", "x if n else 0", "tuple(r for r in x)"]
    )
    def test_what_is_no_tensor_stays_wrapped(self, value):
        assert offered(forward(f"return torch.tensor({value})"), "left-autograd", f"torch.tensor({value})") == []

    @pytest.mark.parametrize("change", ["y += 1", "y[0] = 1", "y.add_(1)"])
    def test_a_copy_that_is_written_into_stays_one(self, change):
        text = forward("y = torch.tensor(x)", change, "return x, y")
        assert offered(text, "left-autograd", "torch.tensor(x)") == []

    @pytest.mark.parametrize("first", ["[0.0]", "[[x.sum()]]"])
    def test_a_list_of_not_only_tensors_is_left(self, first):
        text = forward(f"rows = {first}", "rows.append(x.mean())", "return torch.tensor(rows)")
        assert offered(text, "left-autograd", "torch.tensor(rows)") == []

    @pytest.mark.parametrize(("item", "flat"), [("r.mean()", ""), ("self.fc(r)", ".flatten()")])
    def test_tensors_of_one_element_are_numbers_in_a_row(self, item, flat):
        text = forward(f"rows = [{item} for r in x]", "return torch.tensor(rows)")
        assert fixed(text, "left-autograd", "torch.tensor(rows)") == text.replace(
            "torch.tensor(rows)", f"torch.stack(rows){flat}"
        )


class TestItems:
    @pytest.mark.parametrize(
        ("before", "after", "at"),
        [
            ("[max(r.item(), 0.0) + 0.1 for r in x]", "[r.reshape(()).clamp(min=0.0) + 0.1 for r in x]", "r.item()"),
            ("[2 * float(r) for r in x.flatten()]", "[2 * r for r in x.flatten()]", "float(r)"),
            ("[math.exp(r) for r in x.ravel()]", "[torch.exp(r) for r in x.ravel()]", "math.exp(r)"),
            ("[math.exp(r.sum().item())]", "[torch.exp(r.sum())]", ".item()"),
            ("[[-r.item()] for r in x.flatten()]", "[torch.stack([-r]) for r in x.flatten()]", ".item()"),
            ("[r.sum(1).item() for r in x]", "[r.sum(1).reshape(()) for r in x]", ".item()"),
            ("[self.norm(r).item() for r in x]", "[self.norm(r).reshape(()) for r in x]", ".item()"),
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

    @pytest.mark.parametrize(
        "lines",
        [
            ("rows.append(x.tolist())",),  # the list of all calls
            ("rows = []", "for r in x:", "    old = row = x.tolist()", "    rows.append(row)", "    print(len(old))"),
        ],
    )
    def test_a_list_that_others_see_is_left(self, lines):
        assert offered(forward(*lines, "return torch.tensor(rows)"), "left-autograd", ".tolist()") == []

    def test_a_rounded_number_is_a_rounded_tensor(self):
        text = forward("t = round(float(self.t), 2)", "return x - t")
        assert fixed(text, "left-autograd", "float(self.t)") == forward(
            "t = self.t + (torch.round(self.t, decimals=2) - self.t).detach()", "return x - t"
        )

    def test_a_whole_number_may_be_a_count(self):
        text = forward("t = round(float(self.t))", "return x - t")
        assert offered(text, "left-autograd", "float(self.t)") == []
