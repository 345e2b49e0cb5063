"""What each fix writes, kind by kind, and where there is none."""

import pytest

from gradflow_lsp.source.fixes.marks import marks
from gradflow_lsp.source.fixes.table import fixes

from .fixing import HEAD, fixed, model, offered, span_of

MULTILINE = "torch.round(\n            f(x) +\n            1\n        )"


def test_a_kind_without_fixes_has_none():
    assert fixes(HEAD, "compounding", span_of(HEAD, "import torch\n")) == []


def test_broken_code_is_left_alone():
    text = model("self.a = nn.Linear(2, 2)", "y = (self.a(x.detach()\nreturn y")
    assert offered(text, "detach", ".detach()") == []


def test_code_beside_what_is_being_typed_is_mended():
    text = model("self.a = nn.Linear(2, 2)", "return self.a(x.detach())") + "\n\ndef half(:\n    return (\n"
    assert fixed(text, "detach", ".detach()") == text.replace(".detach()", "")


class TestDetach:
    @pytest.mark.parametrize(
        ("line", "left"),
        [
            ("return self.a(x.detach())", "return self.a(x)"),
            ("y = self.a(x).detach().relu()", "y = self.a(x).relu()"),
            ("y = (self.a(x) + x).detach() * 2", "y = (self.a(x) + x) * 2"),
            ("y = x.detach().clone()", "y = x.clone()"),
            ('y = f"{x.detach().sum()}"', 'y = f"{x.sum()}"'),
            ("y = x.detach()  # why", "y = x  # why"),
            ("y, z = x.detach(), 1", "y, z = x, 1"),
            ("y = lambda t: t.detach()", "y = lambda t: t"),
        ],
    )
    def test_it_is_taken_out_of_an_expression(self, line, left):
        text = model("pass", line)
        assert fixed(text, "detach", ".detach()") == text.replace(line, left)

    def test_its_line_in_a_chain_goes_with_it(self):
        text = model("pass", "y = (\n    x\n    .detach()  # no\n    .relu()\n)\nreturn y")
        assert fixed(text, "detach", ".detach()") == text.replace("\n            .detach()", "")

    def test_a_comment_before_it_stays(self):
        text = model("pass", "y = (x  # first\n    .detach()\n    .relu())\nreturn y")
        new = fixed(text, "detach", ".detach()")
        assert "# first" in new and ".detach()" not in new
        compile(new, "net.py", "exec")

    def test_a_line_that_does_nothing_else_goes(self):
        text = model("pass", "x = x + 1\nx = x.detach()  # cut\nreturn x")
        assert fixed(text, "detach", ".detach()") == model("pass", "x = x + 1\nreturn x")

    def test_a_block_is_never_left_empty(self):
        text = model("pass", "if self.training:\n    x.detach_()\nreturn x")
        assert fixed(text, "detach", "x.detach_()") == text.replace("x.detach_()", "pass")

    def test_the_function_is_taken_off_its_argument(self):
        text = model("pass", "return torch.detach(x + 1) * 2")
        assert fixed(text, "detach", "torch.detach(x + 1)") == text.replace("torch.detach(x + 1)", "(x + 1)")

    def test_a_straight_through_estimator_keeps_it(self):
        assert offered(model("pass", "return x + (x.round() - x).detach()"), "detach", ".detach()") == []
        text = model("pass", "return 2 * (x - x.detach() + x.sign().detach())")
        assert offered(text, "detach", "x.detach()") == offered(text, "detach", "x.sign().detach()") == []

    def test_numpy_takes_nothing_else(self):
        assert offered(model("pass", "return x.detach().cpu().numpy()"), "detach", ".detach()") == []

    def test_nor_do_its_functions(self):
        text = "import numpy as np\n" + model("pass", "return np.asarray(x.detach())")
        assert offered(text, "detach", ".detach()") == []

    def test_a_slice_of_a_buffer_keeps_it(self):
        assert offered(model("pass", "self.memory[:4] = x.detach()"), "detach", ".detach()") == []

    def test_a_change_in_place_is_written_as_an_ordinary_one(self):
        text = model("pass", "x.detach().add_(self.bias, alpha=2)\nreturn x")
        assert fixed(text, "detach", "x.detach().add_(self.bias, alpha=2)") == text.replace(
            "x.detach().add_(self.bias, alpha=2)", "x = x.add(self.bias, alpha=2)"
        )

    def test_what_is_carried_from_step_to_step_is_not_preferred(self):
        (kept,) = offered(model("pass", "self.state = x.detach()"), "detach", ".detach()")
        (local,) = offered(model("pass", "y = self.a(x).detach()"), "detach", ".detach()")
        assert (kept.preferred, local.preferred) == (False, True)


class TestDataAccess:
    def test_it_is_taken_out(self):
        text = model("pass", "return F.linear(x, self.a.weight.data.t())")
        assert fixed(text, "data-access", ".data") == text.replace(".data", "")

    def test_a_parameter_that_is_written_over_has_no_such_mend(self):
        assert offered(model("pass", "self.a.weight.data = x"), "data-access", ".data") == []

    def test_an_update_is_written_as_an_ordinary_one(self):
        text = model("pass", "x.data += self.a(x) if True else 0\nreturn x")
        assert "x = x + (self.a(x) if True else 0)\n" in fixed(text, "data-access", ".data")

    def test_what_is_stored_for_later_steps_stays_cut_off(self):
        text = model("pass", "x = x.data\nself.largest.copy_(torch.maximum(self.largest, x.amax(0)))\nreturn x")
        assert fixed(text, "data-access", ".data") == model(
            "pass", "self.largest.copy_(torch.maximum(self.largest, x.detach().amax(0)))\nreturn x"
        )

    def test_an_old_variable_goes_with_it(self):
        text = "from torch.autograd import Variable\n" + model("pass", "return Variable(x.data)")
        assert "return x\n" in fixed(text, "data-access", ".data")


class TestNoGrad:
    def with_block(self, body):
        return body.replace("\n", "\n    ")

    def test_a_block_moves_to_where_its_with_was(self):
        text = model(
            "pass", "with torch.no_grad():  # why\n    # first\n    y = self.a(x)\n\n    z = f(\n  y)\n# on\nreturn z"
        )
        (fix,) = offered(text, "no-grad", "with torch.no_grad():")
        assert fix.apply(text) == model("pass", "# first\ny = self.a(x)\n\nz = f(\n  y)\n# on\nreturn z")

    def test_strings_over_several_lines_stay_as_they_are(self):
        text = model("pass", 'with torch.no_grad():\n    y = """\n        kept\n    """\n    z = 1\nreturn y')
        new = fixed(text, "no-grad", "with torch.no_grad():")
        assert '        y = """\n                kept\n            """\n        z = 1\n' in new

    def test_tabs_stay_tabs(self):
        text = model("pass", "with torch.no_grad():\n    y = x\nreturn y").replace("    ", "\t")
        assert fixed(text, "no-grad", "with torch.no_grad():") == model("pass", "y = x\nreturn y").replace("    ", "\t")

    def test_a_block_on_one_line(self):
        text = model("pass", "with torch.no_grad(): y = self.a(x)\nreturn y")
        assert fixed(text, "no-grad", "with torch.no_grad():") == model("pass", "y = self.a(x)\nreturn y")

    def test_of_several_managers_one_goes(self):
        text = model("pass", 'with torch.no_grad(), torch.autocast("cpu"):\n    y = x\nreturn y')
        assert fixed(text, "no-grad", "with torch") == text.replace("torch.no_grad(), ", "")

    def test_a_decorator_goes_with_its_line(self):
        text = HEAD + "@torch.no_grad()\ndef embed(net, x):\n    return net(x)\n"
        assert fixed(text, "no-grad", "@torch.no_grad()") == text.replace("@torch.no_grad()\n", "")

    def test_the_file_may_have_a_name_of_its_own_for_it(self):
        text = "from torch import no_grad as quiet\n\n\n@quiet()\ndef embed(net, x):\n    return net(x)\n"
        assert fixed(text, "no-grad", "@quiet()") == text.replace("@quiet()\n", "")

    @pytest.mark.parametrize(
        "line",
        ["self.w.copy_(x)", "torch.mul(x, 2, out=self.w)", "self.w[0] = x", "self.w += x", "y = x.numpy()"],
    )
    def test_what_lives_on_being_without_keeps_it(self, line):
        assert offered(model("pass", f"with torch.no_grad():\n    {line}\nreturn x"), "no-grad", "with torch") == []

    def test_a_manager_that_is_only_known_when_it_runs_stays(self):
        text = model("pass", "with torch.set_grad_enabled(self.training):\n    y = x\nreturn y")
        assert offered(text, "no-grad", "with torch") == []

    def test_a_switch_goes(self):
        text = model("pass", "torch.set_grad_enabled(False)\nreturn x")
        assert fixed(text, "no-grad", "torch.set_grad_enabled(False)") == model("pass")

    def test_a_normal_distribution_has_another_way_to_draw(self):
        text = "from torch.distributions import Normal\n" + model("pass", "q = Normal(x, 1)\nreturn q.sample()")
        assert fixed(text, "no-grad", "q.sample()") == text.replace("sample", "rsample")

    def test_others_have_not(self):
        text = "from torch.distributions import Categorical\n" + model("pass", "q = Categorical(x)\nreturn q.sample()")
        assert offered(text, "no-grad", "q.sample()") == []


class TestLeftAutograd:
    @pytest.mark.parametrize(
        ("line", "at", "left"),
        [
            ("y = torch.tensor(x.mean().item())", ".item()", "y = x.mean()"),
            ("y = torch.tensor(x[0].item(), dtype=torch.float64)", ".item()", "y = x[0].reshape(()).to(torch.float64)"),
            ("y = torch.from_numpy(x.detach().cpu().numpy()) + 1", ".numpy()", "y = x + 1"),
            ("y = x.numpy()\ny = torch.from_numpy(y)", ".numpy()", "y = x"),
            ("a = x.numpy()\ny = torch.from_numpy(a)", ".numpy()", "a = x\ny = a"),
            ("y = torch.tensor(x.tolist())", ".tolist()", "y = x"),
            (
                "y = torch.tensor(a + x, requires_grad=True) * 2",
                "torch.tensor(a + x, requires_grad=True)",
                "y = (a + x) * 2",
            ),
            ("y = torch.tensor([v.item() for v in x])", ".item()", "y = torch.stack([v.reshape(()) for v in x])"),
            ("y = x * self.scale.item()", ".item()", "y = x * self.scale"),
            ("y = x / float(self.scale + 1)", "float(self.scale + 1)", "y = x / (self.scale + 1)"),
        ],
    )
    def test_a_round_trip_is_taken_out(self, line, at, left):
        text = model("pass", line + "\nreturn y")
        assert fixed(text, "left-autograd", at) == model("pass", left + "\nreturn y")

    def test_a_sum_of_numbers_stays_a_sum_of_tensors(self):
        text = model("pass", "total = 0.0\nfor y in x:\n    total += y.sum().item()\nreturn torch.tensor(total / 2)")
        assert fixed(text, "left-autograd", ".item()") == text.replace(".item()", "").replace(
            "torch.tensor(total / 2)", "(total / 2)"
        )

    def test_a_number_that_is_used_as_one_has_no_mend(self):
        text = model("pass", "n = x.sum().item()\ny = x * n\nreturn y[: int(n)]")
        assert offered(text, "left-autograd", ".item()") == []

    def test_a_list_of_losses_is_stacked(self):
        text = model("pass", "losses = []\nlosses.append(x.sum())\nreturn torch.tensor(losses).mean()")
        assert fixed(text, "left-autograd", "torch.tensor(losses)") == text.replace("torch.tensor", "torch.stack")

    def test_a_function_of_math_has_its_like_in_torch(self):
        text = model("pass", "return x * math.exp(self.scale)", "import math\n" + HEAD)
        assert fixed(text, "left-autograd", "math.exp(self.scale)") == text.replace("math.exp", "torch.exp")

    def test_a_parameter_that_is_put_in_place_has_no_mend(self):
        assert offered(model("pass", "self.a.w = nn.Parameter(x)"), "left-autograd", "nn.Parameter(x)") == []


class TestReentrantCheckpoint:
    @pytest.mark.parametrize(
        ("call", "left"),
        [
            ("checkpoint(self.a, x, use_reentrant=True)", "checkpoint(self.a, x, use_reentrant=False)"),
            ("checkpoint(self.a, x)", "checkpoint(self.a, x, use_reentrant=False)"),
            ("checkpoint(\n    self.a,\n    x,\n)", "checkpoint(\n    self.a,\n    x, use_reentrant=False,\n)"),
            ("checkpoint(self.a, *parts)", "checkpoint(self.a, *parts, use_reentrant=False)"),
        ],
    )
    def test_the_other_kind_is_asked_for(self, call, left):
        text = "from torch.utils.checkpoint import checkpoint\n" + model("pass", "return " + call)
        indented = call.replace("\n", "\n        ")
        assert fixed(text, "reentrant-checkpoint", indented) == text.replace(indented, left.replace("\n", "\n        "))

    def test_options_that_cannot_be_read_are_left_alone(self):
        text = "from torch.utils.checkpoint import checkpoint\n" + model("pass", "return checkpoint(f, x, **how)")
        assert offered(text, "reentrant-checkpoint", "checkpoint(f, x, **how)") == []


class TestNotCalled:
    def test_its_definition_goes(self):
        text = model("self.a = nn.Linear(2, 2)\nself.old = nn.Sequential(\n    nn.Linear(1, 1),\n)  # once")
        (fix,) = offered(text, "not-called", "nn.Sequential(\n            nn.Linear(1, 1),\n        )")
        assert fix.apply(text) == model("self.a = nn.Linear(2, 2)") and not fix.preferred

    @pytest.mark.parametrize("mention", ["self.old.weight", 'getattr(self, "old")', "x  # or old"])
    def test_what_is_mentioned_anywhere_stays(self, mention):
        text = model("self.old = nn.Linear(2, 2)", f"return {mention}")
        assert offered(text, "not-called", "nn.Linear(2, 2)") == []

    def test_what_it_is_kept_in_goes_too(self):
        text = model("self.old = nn.Sequential(nn.Linear(2, 2), nn.Linear(3, 3))")
        assert fixed(text, "not-called", "nn.Linear(2, 2)") == model("").replace("        \n", "")

    def test_but_not_where_layers_are_called_without_their_names(self):
        text = model("self.old = nn.Sequential(nn.Linear(2, 2))", "return [f(x) for f in self.children()]")
        assert offered(text, "not-called", "nn.Linear(2, 2)") == []


class TestUnregistered:
    @pytest.mark.parametrize(
        ("init", "name", "left"),
        [
            ("self.a = [LAYER for _ in range(n)]", "a[0].weight", "self.a = nn.ModuleList([LAYER for _ in range(n)])"),
            ("self.a = [LAYER, nn.ReLU()]", "a[0].weight", "self.a = nn.ModuleList([LAYER, nn.ReLU()])"),
            ("self.a = (LAYER, None)", "a[0].weight", "self.a = nn.ModuleList((LAYER, None))"),
            ("self.a = [LAYER] * 3", "a[0].weight", "self.a = nn.ModuleList([LAYER] * 3)"),
            ("self.a = tuple(LAYER for _ in 'ab')", "a[0].bias", "self.a = nn.ModuleList(tuple(LAYER for _ in 'ab'))"),
            ("self.a = []\nself.a.append(LAYER)", "a[0].bias", "self.a = nn.ModuleList()\nself.a.append(LAYER)"),
            ("self.a = list()\nself.a += [LAYER]", "a[0].bias", "self.a = nn.ModuleList()\nself.a += [LAYER]"),
            (
                "a = []\na.append(LAYER)\nself.a = a",
                "n.a[0].bias",
                "a = []\na.append(LAYER)\nself.a = nn.ModuleList(a)",
            ),
            ("a = [LAYER]\nself.a = a", "a[0].bias", "a = [LAYER]\nself.a = nn.ModuleList(a)"),
            ('self.a = {"x": LAYER}', 'a["x"].weight', 'self.a = nn.ModuleDict({"x": LAYER})'),
            ("self.a = {k: LAYER for k in n}", 'a["x"].weight', "self.a = nn.ModuleDict({k: LAYER for k in n})"),
            ("self.a = dict(x=LAYER)", 'a["x"].weight', "self.a = nn.ModuleDict(dict(x=LAYER))"),
            ('self.a = {}\nself.a["x"] = LAYER', 'a["x"].bias', 'self.a = nn.ModuleDict()\nself.a["x"] = LAYER'),
        ],
    )
    def test_layers_in_a_container_get_one_of_torch(self, init, name, left):
        text, left = (model(one.replace("LAYER", "nn.Linear(2, 2)")) for one in (init, left))
        assert fixed(text, "unregistered", "nn.Linear(2, 2)", name) == left

    @pytest.mark.parametrize(
        ("init", "name", "left"),
        [
            ("self.a = [MADE for _ in 'ab']", "a[0]", "self.a = nn.ParameterList([MADE for _ in 'ab'])"),
            ('self.a = {"x": MADE}', 'a["x"]', 'self.a = nn.ParameterDict({"x": MADE})'),
        ],
    )
    @pytest.mark.parametrize("made", ["nn.Parameter(torch.ones(2))", "torch.ones(2, requires_grad=True)"])
    def test_so_do_parameters(self, init, name, left, made):
        text, left = (model(one.replace("MADE", made)) for one in (init, left))
        assert fixed(text, "unregistered", made, name) == left

    @pytest.mark.parametrize(
        ("value", "at", "left"),
        [
            (
                "torch.randn(n, requires_grad=True)",
                "torch.randn(n, requires_grad=True)",
                "nn.Parameter(torch.randn(n))",
            ),
            ("torch.randn(n).requires_grad_()", "torch.randn(n)", "nn.Parameter(torch.randn(n))"),
            (
                "0.1 * torch.ones(n, requires_grad=True)",
                "torch.ones(n, requires_grad=True)",
                "nn.Parameter(0.1 * torch.ones(n))",
            ),
            ("nn.Parameter(torch.ones(n)).to(n)", "nn.Parameter(torch.ones(n))", "nn.Parameter(torch.ones(n).to(n))"),
            (
                "torch.sqrt(torch.ones(n, requires_grad=True))",
                "torch.ones(n, requires_grad=True)",
                "nn.Parameter(torch.sqrt(torch.ones(n)))",
            ),
            ("nn.Parameter(n + 1) * 2", "nn.Parameter(n + 1)", "nn.Parameter((n + 1) * 2)"),
        ],
    )
    def test_a_tensor_becomes_a_parameter(self, value, at, left):
        text = model(f"self.a = {value}")
        assert fixed(text, "unregistered", at, "a") == model(f"self.a = {left}")

    @pytest.mark.parametrize(
        ("imports", "spelled"),
        [
            ("import torch\n", "torch.nn.ModuleList("),
            ("import torch.nn as tnn\n", "tnn.ModuleList("),
            ("from torch.nn import ModuleList, Linear\n", "ModuleList("),
        ],
    )
    def test_it_is_spelled_as_the_file_does(self, imports, spelled):
        text = f"{imports}from base import Base, Block\n\n\n" + model("self.a = [Block(2)]", head="").replace(
            "nn.Module", "Base"
        )
        assert fixed(text, "unregistered", "Block(2)", "a[0].w") == text.replace("[Block(2)]", f"{spelled}[Block(2)])")

    def test_what_the_file_lacks_is_imported(self):
        text = "from base import Base, Block\n\n\n" + model("self.a = [Block(2)]", head="").replace("nn.Module", "Base")
        new = fixed(text, "unregistered", "Block(2)", "a[0].w")
        assert new == text.replace("Block\n", "Block\nfrom torch import nn\n", 1).replace(
            "[Block(2)]", "nn.ModuleList([Block(2)])"
        )

    @pytest.mark.parametrize(
        "init",
        [
            "self.a = [nn.Linear(2, 2), F.relu]",  # no layer
            "self.a = [nn.Linear(2, 2)]\nself.a = []",  # no container of torch may be written over by a list
            "self.a = [nn.Linear(2, 2)]\nself.a.sort()",  # has no such method
            "self.a = (nn.Linear(2, 2) for _ in range(n))",  # can be read once only
            "self.a = Wrapper(nn.Linear(2, 2))",  # hides it for reasons of its own
        ],
    )
    def test_what_torch_would_refuse_is_left_alone(self, init):
        assert offered(model(init), "unregistered", "nn.Linear(2, 2)", "a[0].weight") == []

    def test_containers_in_containers(self):
        text = model('self.a = {"x": [nn.Linear(2, 2) for _ in n], "y": []}')
        assert fixed(text, "unregistered", "nn.Linear(2, 2)", 'a["x"][0].weight') == model(
            'self.a = nn.ModuleDict({"x": nn.ModuleList([nn.Linear(2, 2) for _ in n]), "y": nn.ModuleList()})'
        )
        text = model("self.a = [[nn.Parameter(n) for _ in n] for _ in n]")
        assert fixed(text, "unregistered", "nn.Parameter(n)", "a[0][1]") == model(
            "self.a = nn.ModuleList([nn.ParameterList([nn.Parameter(n) for _ in n]) for _ in n])"
        )

    @pytest.mark.parametrize("key", ["a[0].weight", 'a["x.y"].weight', 'a["type"].weight'])
    def test_a_dict_needs_keys_that_can_be_names(self, key):
        text = model("self.a = {k: nn.Linear(2, 2) for k in n}")
        assert offered(text, "unregistered", "nn.Linear(2, 2)", key) == []

    def test_a_class_that_is_no_module_registers_nothing(self):
        text = model("self.a = [nn.Linear(2, 2)]").replace("(nn.Module)", "")
        assert offered(text, "unregistered", "nn.Linear(2, 2)", "a[0].weight") == []

    def test_nor_does_one_that_is_not_set_up_yet(self):
        text = model("pass").replace("super().__init__()", "self.a = [nn.Linear(2, 2)]\n        super().__init__()")
        assert offered(text, "unregistered", "nn.Linear(2, 2)", "a[0].weight") == []

    @pytest.mark.parametrize("made", ["conv(2)", "Conv(2)"])
    def test_a_container_is_found_by_name_where_its_layers_are_made_elsewhere(self, made):
        text = HEAD + "def conv(n):\n    return nn.Linear(n, n)\n\n\n" + model(f"self.a = [{made} for _ in n]", head="")
        assert fixed(text, "unregistered", "nn.Linear(n, n)", "a[0].weight", "a[1].weight") == text.replace(
            f"[{made} for _ in n]", f"nn.ModuleList([{made} for _ in n])"
        )

    def test_of_two_containers_of_a_name_it_could_be_either(self):
        one = model("self.a = [conv(2)]", head="")
        text = HEAD + "def conv(n):\n    return nn.Linear(n, n)\n\n\n" + one + "\n\n" + one.replace("Net", "Other")
        assert offered(text, "unregistered", "nn.Linear(n, n)", "a[0].weight") == []

    def test_a_closure_keeps_its_layer(self):
        text = HEAD + "def head():\n    layer = nn.Linear(2, 2)\n    return lambda x: layer(x)\n"
        assert offered(text, "unregistered", "nn.Linear(2, 2)", "head.layer.weight") == []


class TestZeroDerivative:
    @pytest.mark.parametrize(
        ("line", "at", "left"),
        [
            ("return torch.round(x)", "torch.round(x)", "return x + (torch.round(x) - x).detach()"),
            ("return x.round() * 2", "x.round()", "return (x + (x.round() - x).detach()) * 2"),
            ("return torch.floor(x * 4) / 4", "torch.floor(x * 4)",
             "return ((x * 4) + (torch.floor(x * 4) - (x * 4)).detach()) / 4"),
            ("y = torch.round(f(x), decimals=2)", "torch.round(f(x), decimals=2)",
             "smooth = f(x)\ny = smooth + (torch.round(smooth, decimals=2) - smooth).detach()"),
        ],
    )  # fmt: skip
    def test_the_gradient_passes_straight_through(self, line, at, left):
        text = model("pass", line)
        assert fixed(text, "zero-derivative", at) == model("pass", left)

    def test_what_may_not_be_evaluated_is_not_moved(self):
        assert (
            offered(model("pass", "return x if n else torch.round(f(x))"), "zero-derivative", "torch.round(f(x))") == []
        )

    def test_what_is_moved_out_of_its_parentheses_gets_its_own(self):
        new = fixed(model("pass", "y = torch.round(\n    f(x) +\n    1\n)"), "zero-derivative", MULTILINE)
        compile(new, "net.py", "exec")
        assert "smooth = (f(x) +" in new

    def test_a_new_name_is_really_new(self):
        text = model("pass", "smooth = 1\nreturn torch.sign(f(x)) * smooth")
        assert "smooth_2 = f(x)\n" in fixed(text, "zero-derivative", "torch.sign(f(x))")


class TestDeadActivation:
    @pytest.mark.parametrize(
        ("line", "at", "left"),
        [
            ("return torch.relu(self.a(x))", "torch.relu(self.a(x))", "return F.leaky_relu(self.a(x))"),
            ("return F.relu(x, inplace=True)", "F.relu(x, inplace=True)", "return F.leaky_relu(x, inplace=True)"),
            ("return F.relu(x, True)", "F.relu(x, True)", "return F.leaky_relu(x, inplace=True)"),
            ("return self.a(x).relu().sum()", "self.a(x).relu()", "return F.leaky_relu(self.a(x)).sum()"),
        ],
    )
    def test_a_dead_relu_leaks(self, line, at, left):
        assert fixed(model("pass", line), "dead-activation", at) == model("pass", left)

    def test_a_layer_leaks_where_it_is_defined(self):
        text = model("self.act = nn.ReLU(True)", "return self.act(x)")
        assert fixed(text, "dead-activation", "self.act(x)") == text.replace(
            "nn.ReLU(True)", "nn.LeakyReLU(inplace=True)"
        )

    def test_the_only_relu_of_a_stack_is_the_dead_one(self):
        text = model("self.net = nn.Sequential(nn.Linear(2, 2), nn.ReLU())", "return self.net(x)")
        assert fixed(text, "dead-activation", "self.net(x)") == text.replace("nn.ReLU", "nn.LeakyReLU")

    def test_of_several_relus_any_may_be_the_dead_one(self):
        text = model("self.net = nn.Sequential(nn.ReLU(), nn.Linear(2, 2), nn.ReLU())", "return self.net(x)")
        assert fixed(text, "dead-activation", "self.net(x)") == text.replace("nn.ReLU", "nn.LeakyReLU")

    @pytest.mark.parametrize("more", ["nn.Sigmoid()", "nn.Tanh()", "Block(2)"])
    def test_something_else_in_a_stack_could_be_dead(self, more):
        text = model(f"self.net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), {more})", "return self.net(x)")
        assert offered(text, "dead-activation", "self.net(x)") == []

    def test_a_hinge_is_meant_to_be_flat(self):
        text = model("pass", "return torch.relu(x - y + 1).mean()")
        assert offered(text, "dead-activation", "torch.relu(x - y + 1)") == []


class TestMarks:
    TEXT = "a = x.detach()\nb = a.detach()  # why\nc = 1 + \\\n    a\n"

    def marked(self, line, code, text=TEXT):
        span = span_of(text, line)
        return [fix.apply(text).splitlines()[span.line - 1] for fix in marks(text, span, code, code)]

    def test_they_stand_at_the_end_of_the_line(self):
        assert self.marked("a = x", "detach") == [
            "a = x.detach()  # gradflow: intended",
            "a = x.detach()  # gradflow: ignore[detach]",
        ]

    def test_behind_another_comment(self):
        assert self.marked("b = a", "detach")[0] == "b = a.detach()  # why  # gradflow: intended"

    def test_what_is_there_is_added_to(self):
        text = self.TEXT.replace("# why", "# gradflow: ignore[zero-gradient]")
        assert self.marked("b = a", "zero-input", text) == [
            "b = a.detach()  # gradflow: ignore[zero-gradient, zero-input]"
        ]

    def test_what_is_there_is_not_said_twice(self):
        text = self.TEXT.replace("# why", "# gradflow: ignore[detach]  # gradflow: intended")
        assert self.marked("b = a", "detach", text) == []

    def test_only_a_decision_can_be_intended(self):
        assert self.marked("a = x", "compounding") == ["a = x.detach()  # gradflow: ignore[compounding]"]

    def test_a_continued_line_takes_no_comment(self):
        assert self.marked("c = 1", "detach") == []

    def test_nor_does_a_string(self):
        assert self.marked("kept", "detach", 'a = """\nkept\n"""\n') == []
