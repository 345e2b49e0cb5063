"""Why a parameter is missing: the expression at which every way to the loss is cut, or the layer nobody calls."""

import pytest

from ..reading import causes, only_cause, text_at, verdicts, wired

FIRST = ["first.weight", "first.bias"]


@pytest.mark.parametrize(
    ("statement", "kind", "expression"),
    [
        ("h = h.detach()", "detach", ".detach()"),
        ("h = torch.relu(h).detach() * 2", "detach", ".detach()"),
        ("h = torch.detach(h)", "detach", "torch.detach(h)"),
        ("h.detach_()", "detach", ".detach_()"),
        ("h = h.data", "data-access", ".data"),
        ("h = (h > 0).float()", "non-differentiable", "h > 0"),
        ("h = F.one_hot(h.argmax(-1), 3).float()", "non-differentiable", "h.argmax(-1)"),
        ("h = (9 * h).long() / 2", "non-differentiable", "(9 * h).long()"),
        ("h = h.sort().indices.float()", "non-differentiable", "h.sort()"),
        ("h = torch.from_numpy(h.detach().numpy() * 2)", "left-autograd", ".numpy()"),
        ("h = torch.tensor(h.tolist())", "left-autograd", ".tolist()"),
        ("h = torch.tensor(h)", "left-autograd", "torch.tensor(h)"),
        ("h = nn.Parameter(h)", "left-autograd", "nn.Parameter(h)"),
        ("h = torch.autograd.Variable(h)", "left-autograd", "torch.autograd.Variable(h)"),
    ],
)
def test_a_cut_is_named_with_its_expression(run_probe, statement, kind, expression):
    report = run_probe(wired(statement))
    assert verdicts(report)["last.weight"] == "healthy"
    assert {key: names for key, names in causes(report).items() if key[0] != "unregistered"} == {
        (kind, expression): FIRST
    }


@pytest.mark.parametrize(
    ("write", "kind"),
    [("free.data.mul_(h)", "data-access"), ("free.data[:, :] = h", "data-access"), ("free.detach().add_(h)", "detach")],
)
def test_a_value_written_behind_autograds_back_is_cut_where_it_is_written(run_probe, write, kind):
    report = run_probe(wired(f"free = x * 2; {write}; h = free"))
    ((cause, names),) = causes(report).items()
    assert (cause[0], names) == (kind, FIRST)
    assert cause[1] in write


def test_where_a_value_comes_back_is_told_with_where_it_left(run_probe):
    cause = only_cause(run_probe(wired("y = h.detach().numpy() * 2; h = torch.tensor(y)")))
    assert [(r.message, text_at(r.location)) for r in cause.related] == [
        ("It comes back as a tensor here.", "torch.tensor(y)")
    ]


def test_a_layer_that_is_only_copied_was_never_called(run_probe):
    layers = "self.spare = nn.Linear(3, 3); self.used = copy.deepcopy(self.spare)"
    report = run_probe("import copy\n" + wired("h = self.used(h)", layers=layers))
    assert causes(report) == {("not-called", "nn.Linear(3, 3)"): ["spare.weight", "spare.bias"]}


def test_of_several_results_the_dropped_one_is_unused(run_probe):
    layers = "self.mix = nn.MultiheadAttention(3, 1, batch_first=True)"
    report = run_probe(wired("h = h + self.mix(x[None], h[None], h[None])[1].square().sum()", layers=layers))
    assert {(c.kind, text_at(c.location)) for c in report.causes if "mix.out_proj.weight" in c.parameters} == {
        ("unused-output", "self.mix(x[None], h[None], h[None])")
    }


def test_a_value_that_comes_back_only_as_a_number_left_through_item(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.ModuleDict({"first": nn.Linear(3, 3), "last": nn.Linear(3, 1)})
            penalty = model["first"](torch.ones(2, 3)).square().mean().item()
            return model, model["last"](torch.ones(2, 3)).sum() + penalty
    """)
    assert causes(report) == {("left-autograd", ".item()"): FIRST}


def test_a_number_taken_for_a_log_is_no_cause(run_probe):
    report = run_probe(wired("print(h.detach().mean().item())"))
    assert causes(report) == {}


def test_a_number_shown_in_a_repr_is_no_use(run_probe):
    layers = "self.gain = nn.Parameter(torch.ones(()))\n        print(self)"
    shown = "\n    def extra_repr(self):\n        return f'{self.gain.item()}'\n"
    report = run_probe(wired("pass", layers=layers).replace("    def forward", shown + "\n    def forward"))
    assert causes(report) == {("not-called", "nn.Parameter(torch.ones(()))"): ["gain"]}


def test_numbers_kept_on_the_module_come_back_where_they_are_read(run_probe):
    report = run_probe("""
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.first, self.last = nn.Linear(3, 3), nn.Linear(3, 1)

            def look(self, x):
                self.levels = self.first(x).mean(0).tolist()

            def levels_again(self):
                return torch.tensor(self.levels)

            def forward(self, x):
                self.look(x)
                return self.last(x + self.levels_again())

        def gradflow_probe():
            model = Model()
            return model, model(torch.ones(2, 3)).sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, text_at(cause.location)) == ("left-autograd", ".tolist()")
    assert [text_at(related.location) for related in cause.related] == ["torch.tensor(self.levels)"]


def test_a_layer_whose_weights_are_only_saved_and_restored_was_never_called(run_probe):
    layers = "self.spare = nn.Linear(3, 3)\n        self.load_state_dict(copy.deepcopy(self.state_dict()))"
    report = run_probe("import copy\n" + wired("pass", layers=layers))
    assert causes(report) == {("not-called", "nn.Linear(3, 3)"): ["spare.weight", "spare.bias"]}


def test_what_was_frozen_while_it_was_used_is_cut_off_there(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.ModuleDict({"first": nn.Linear(3, 3), "last": nn.Linear(3, 1)})
            model["last"].requires_grad_(False)
            loss = model["last"](model["first"](torch.ones(2, 3))).sum()
            model["last"].requires_grad_(True)
            return model, loss
    """)
    assert causes(report) == {("no-grad", 'model["last"].requires_grad_(False)'): ["last.weight", "last.bias"]}


def test_a_side_way_that_is_cut_is_no_cause(run_probe):
    report = run_probe(wired("h = h + (h.round() - h).detach()"))
    assert set(verdicts(report).values()) == {"healthy"}
    assert causes(report) == {}


def test_of_two_cuts_in_a_row_the_first_one_met_is_named(run_probe):
    report = run_probe(wired("h = self.middle(h.detach()).data", layers="self.middle = nn.Linear(3, 3)"))
    assert causes(report) == {
        ("detach", ".detach()"): FIRST,
        ("data-access", ".data"): ["middle.weight", "middle.bias"],
    }


def test_of_two_cuts_side_by_side_both_are_named(run_probe):
    report = run_probe(wired("h = h.detach() + 2 * h.data"))
    assert causes(report) == {("detach", ".detach()"): FIRST, ("data-access", ".data"): FIRST}


def test_no_grad_points_at_the_with_and_relates_what_ran(run_probe):
    report = run_probe("""
        def gradflow_probe():
            first, last = nn.Linear(3, 3), nn.Linear(3, 1)
            with torch.no_grad():
                h = first(torch.ones(2, 3))
            return nn.Sequential(first, last), last(h).sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, cause.parameters) == ("no-grad", ["0.weight", "0.bias"])
    assert text_at(cause.location).startswith("with torch.no_grad()") or text_at(cause.location) == "torch.no_grad()"
    assert [text_at(related.location) for related in cause.related] == ["first(torch.ones(2, 3))"]


@pytest.mark.parametrize("decorator", ["@torch.no_grad()", "@torch.no_grad", "@torch.inference_mode()"])
def test_no_grad_points_at_the_decorator(run_probe, decorator):
    report = run_probe(f"""
        {decorator}
        def features(layer, x):
            return layer(x)

        def gradflow_probe():
            first, last = nn.Linear(3, 3), nn.Linear(3, 1)
            return nn.Sequential(first, last), last(features(first, torch.ones(2, 3)).clone()).sum()
    """)
    assert causes(report) == {("no-grad", decorator): ["0.weight", "0.bias"]}


def test_grad_that_a_library_switches_off_is_the_users_call(run_probe):
    report = run_probe(wired("h = torch.distributions.Normal(h, 1.0).sample()"))
    assert causes(report) == {("no-grad", "torch.distributions.Normal(h, 1.0).sample()"): FIRST}


def test_a_number_taken_by_formatting_left_there(run_probe):
    report = run_probe(wired("text = f'{h.mean():.3f}'; h = x * float(text)"))
    cause = only_cause(report)
    assert cause.kind == "left-autograd"
    assert "h.mean()" in text_at(cause.location)


def test_a_parameter_that_is_made_anew_in_each_call_is_cut_off_there(run_probe):
    report = run_probe(wired("h = h * nn.Parameter(self.gain.exp())", layers="self.gain = nn.Parameter(torch.ones(3))"))
    (cause,) = [cause for cause in report.causes if cause.kind != "unregistered"]
    assert (cause.kind, text_at(cause.location)) == ("left-autograd", "nn.Parameter(self.gain.exp())")
    assert cause.parameters == ["gain"]


def test_a_custom_function_whose_backward_returns_none(run_probe):
    report = run_probe("""
        class Stop(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                return None

        def gradflow_probe():
            first, last = nn.Linear(3, 3), nn.Linear(3, 1)
            return nn.Sequential(first, last), last(Stop.apply(first(torch.ones(2, 3)))).sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, text_at(cause.location)) == ("custom-function", "Stop.apply(first(torch.ones(2, 3)))")
    assert cause.parameters == ["0.weight", "0.bias"]
    (related,) = cause.related
    assert related.message == "Its backward is here."
    assert text_at(related.location) in ("@staticmethod", "def backward(ctx, gradient):")


def test_a_layer_that_is_never_called_is_named_where_it_is_defined(run_probe):
    report = run_probe(wired("pass", layers="self.spare = nn.Linear(3, 3)"))
    assert causes(report) == {("not-called", "nn.Linear(3, 3)"): ["spare.weight", "spare.bias"]}
    assert "spare" in report.causes[0].message


def test_one_line_that_defines_several_uncalled_layers_is_one_cause(run_probe):
    report = run_probe(wired("pass", layers="self.spare = nn.ModuleList(nn.Linear(3, 1) for _ in range(3))"))
    assert len(report.causes) == 1
    assert len(report.causes[0].parameters) == 6


def test_a_dropped_value_is_named_where_it_is_dropped(run_probe):
    report = run_probe(wired("self.gate(h)", layers="self.gate = nn.Linear(3, 3)"))
    assert causes(report) == {("unused-output", "self.gate(h)"): ["gate.weight", "gate.bias"]}


def test_a_dropped_value_is_the_callers_where_the_callee_returns_it(run_probe):
    report = run_probe("""
        class Gate(nn.Module):
            def __init__(self):
                super().__init__()
                self.scale = nn.Linear(3, 3)

            def forward(self, x):
                scaled = torch.sigmoid(self.scale(x))
                return scaled

        def gradflow_probe():
            gate, last = Gate(), nn.Linear(3, 1)
            x = torch.ones(2, 3)
            gate(x)
            return nn.Sequential(gate, last), last(x).sum()
    """)
    assert causes(report) == {("unused-output", "gate(x)"): ["0.scale.weight", "0.scale.bias"]}


def test_a_computed_weight_takes_the_place_of_the_parameter(run_probe):
    report = run_probe("""
        def gradflow_probe():
            inner, maker = nn.Linear(3, 2), nn.Linear(1, 6)
            fast = maker(torch.ones(1)).view_as(inner.weight)
            y = torch.func.functional_call(inner, {"weight": fast}, (torch.ones(4, 3),))
            return nn.ModuleDict({"inner": inner, "maker": maker}), y.sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, cause.parameters) == ("replaced", ["inner.weight"])
    assert text_at(cause.location).startswith("torch.func.functional_call(")


def test_a_parameter_that_was_tried_before_it_is_replaced_is_replaced(run_probe):
    report = run_probe("""
        class Fast(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = nn.Linear(3, 2)
                assert self.inner(torch.ones(4, 3)).shape == (4, 2)
                self.start = nn.Parameter(self.inner.weight.expand(5, 2, 3))

            def forward(self, x):
                return torch.func.functional_call(self.inner, {"weight": self.start.mean(0)}, (x,))

        def gradflow_probe():
            model = Fast()
            return model, model(torch.ones(4, 3)).sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, cause.parameters) == ("replaced", ["inner.weight"])
    assert text_at(cause.location).startswith("torch.func.functional_call(")


def test_every_loss_without_a_graph_still_has_its_cut(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.Linear(3, 1)
            return model, model(torch.ones(2, 3)).detach().sum()
    """)
    assert causes(report) == {("detach", ".detach()"): ["weight", "bias"]}


def test_of_two_values_returned_only_the_dropped_one_is_looked_for(run_probe):
    report = run_probe("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.one, self.two = nn.Linear(3, 1), nn.Linear(3, 1)

            def heads(self, x):
                return self.one(x), self.two(x)

            def forward(self, x):
                first, second = self.heads(x)
                return first

        def gradflow_probe():
            model = Net()
            return model, model(torch.ones(4, 3)).sum()
    """)
    assert causes(report) == {("unused-output", "self.heads(x)"): ["two.weight", "two.bias"]}


SCRIPTED = """
    @torch.jit.script
    def gate(x, g):
        return x * torch.sigmoid({g})

    @torch.jit.script
    def snake(x):
        return x + torch.sin(x).square()

    def gradflow_probe():
        one, other, last = nn.Linear(3, 3), nn.Linear(3, 3), nn.Linear(3, 1)
        x = torch.ones(2, 3)
        return nn.ModuleList([one, other, last]), last(snake(gate(one(x), {other}))).sum()
"""


def test_a_cut_is_found_in_front_of_scripted_functions(run_probe):
    report = run_probe(SCRIPTED.format(g="g", other="other(x).detach()"))
    assert causes(report) == {("detach", ".detach()"): ["1.weight", "1.bias"]}


def test_what_a_scripted_function_loses_is_said_at_its_call(run_probe):
    report = run_probe(SCRIPTED.format(g="g.detach()", other="other(x)"))
    assert causes(report) == {("unknown", "gate(one(x), other(x))"): ["1.weight", "1.bias"]}
    assert "inside gate, which is TorchScript" in report.causes[0].message
