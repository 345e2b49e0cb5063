"""Why a gradient is exactly zero: the operation at which it dies, and where the zeros come from."""

import pytest

from ..reading import causes, only_cause, text_at, verdicts, wired

FIRST = ["first.weight", "first.bias"]


DERIVED = """
def gradflow_probe():
    model = nn.Sequential(nn.Linear(1, 4), nn.ReLU(), nn.Linear(4, 1))
    model[0].bias.data -= {shift}
    free = nn.Linear(1, 1)
    x = torch.rand(6, 1, requires_grad=True)
    y, = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    z, = torch.autograd.grad(y.sum(), x, create_graph=True)
    return nn.ModuleList([*model, free]), ({used} + free(x)).square().sum()
"""


def explanation(report):
    """The cause of the first layer's zeros."""
    assert verdicts(report)["first.weight"] == "zero"
    assert verdicts(report)["last.bias"] == "healthy"
    return next(c for c in report.causes if c.parameters == FIRST)


@pytest.mark.parametrize(
    ("statement", "kind", "expression"),
    [
        ("h = torch.relu(h - 100)", "dead-activation", "torch.relu(h - 100)"),
        ("h = F.relu(h - 100)", "dead-activation", "F.relu(h - 100)"),
        ("h = (h + 100).clamp(-1, 1)", "dead-activation", "(h + 100).clamp(-1, 1)"),
        ("h = F.hardtanh(h + 100)", "dead-activation", "F.hardtanh(h + 100)"),
        ("h = h.round() + 1", "zero-derivative", "h.round()"),
        ("h = h.floor() + 1", "zero-derivative", "h.floor()"),
        ("h = h.sign()", "zero-derivative", "h.sign()"),
        ("h = h * 0 + 1", "zero-multiply", "h * 0"),
        ("h = h * torch.zeros(3) + 1", "zero-multiply", "h * torch.zeros(3)"),
        ("h = h[:, :1].softmax(-1).expand(4, 3)", "constant-output", "h[:, :1].softmax(-1)"),
        ("h = F.layer_norm(h[:, :1], [1]) + torch.ones(4, 3)", "constant-output", "F.layer_norm(h[:, :1], [1])"),
        ("h = torch.where(h > 100, h, torch.ones(3))", "not-selected", "torch.where(h > 100, h, torch.ones(3))"),
        ("h = torch.maximum(h, x + 100)", "dead-activation", "torch.maximum(h, x + 100)"),
        ("h = h.masked_fill(h < 100, 1.0)", "not-selected", "h.masked_fill(h < 100, 1.0)"),
        ("h = h.half().float() * 1e-12 + 1", "underflow", "h.half().float()"),
        ("h = h.to(torch.float8_e5m2).float() * 1e-12 + 1", "underflow", "h.to(torch.float8_e5m2).float()"),
        ("h = torch.add(x, h, alpha=0)", "zero-multiply", "torch.add(x, h, alpha=0)"),
        ("h = torch.sub(x, h, alpha=0)", "zero-multiply", "torch.sub(x, h, alpha=0)"),
        (
            "h = torch.baddbmm(h[None], x[None], torch.ones(1, 3, 3), beta=0)[0]",
            "zero-multiply",
            "torch.baddbmm(h[None], x[None], torch.ones(1, 3, 3), beta=0)",
        ),
        ("h = h * 2; h[:] = x", "not-selected", "h[:]"),
        ("h = (h * 2).copy_(x)", "not-selected", "(h * 2).copy_(x)"),
        ("h = torch.copysign(x, h)", "zero-derivative", "torch.copysign(x, h)"),
        (
            "h = F.grid_sample(x[None, None], h[None, None, :, :2], 'nearest', align_corners=False).mean() + x",
            "zero-derivative",
            "F.grid_sample(x[None, None], h[None, None, :, :2], 'nearest', align_corners=False)",
        ),
        ("h = torch.logit(h.sigmoid() * 0.01, eps=0.1)", "dead-activation", "torch.logit(h.sigmoid() * 0.01, eps=0.1)"),
        ("h = F.bilinear(h, x, torch.zeros(3, 3, 3)) + 1", "zero-multiply", "F.bilinear(h, x, torch.zeros(3, 3, 3))"),
        ("h = torch.addcdiv(x, h, x, value=0)", "zero-multiply", "torch.addcdiv(x, h, x, value=0)"),
        (
            "h = x + torch.special.xlogy(torch.zeros(3), h.exp())",
            "zero-multiply",
            "torch.special.xlogy(torch.zeros(3), h.exp())",
        ),
        ("h = x + torch.cat([h, x * 0], 1).prod(1, True)", "zero-multiply", "torch.cat([h, x * 0], 1).prod(1, True)"),
        ("h = torch.cat([x * 0, h], 1).cumprod(1)[:, 1:4] + x", "zero-multiply", "torch.cat([x * 0, h], 1).cumprod(1)"),
        ("h = x + F.mse_loss(h, h.detach())", "zero-derivative", "F.mse_loss(h, h.detach())"),
        ("h = torch.logaddexp(h - 300, x)", "not-selected", "torch.logaddexp(h - 300, x)"),
        ("h = h.clone().put_(torch.arange(12), x)", "not-selected", "h.clone().put_(torch.arange(12), x)"),
        ("h = x + F.softsign(h + 1e8)", "dead-activation", "F.softsign(h + 1e8)"),
        ("h = torch.atan(1e30 * h + 1e30)", "dead-activation", "torch.atan(1e30 * h + 1e30)"),
        ("h = torch.tanh(h + 20)", "dead-activation", "torch.tanh(h + 20)"),
        ("h = F.mish(h - 200)", "dead-activation", "F.mish(h - 200)"),
        ("h = torch.div(h, 3, rounding_mode='floor') + 1", "zero-derivative", "torch.div(h, 3, rounding_mode='floor')"),
        ("h = torch.normal(h, torch.ones(3))", "zero-derivative", "torch.normal(h, torch.ones(3))"),
        ("h = torch.exp(h - 200) + 1", "underflow", "torch.exp(h - 200)"),
        ("h = (h * torch.zeros(3)).square() + 1", "zero-multiply", "h * torch.zeros(3)"),
        ("h = (h - x)[:0].sum() + torch.ones(4, 3)", "not-selected", "(h - x)[:0]"),
        (
            "h = (h * 1e-3).expand(64, 4, 3).reshape(-1).prod() + torch.ones(4, 3)",
            "underflow",
            "(h * 1e-3).expand(64, 4, 3).reshape(-1).prod()",
        ),
        (
            "h = (torch.stack([x + 9, h]) / 10).tanh().max(0).values",
            "not-selected",
            "(torch.stack([x + 9, h]) / 10).tanh().max(0)",
        ),
        ("h = torch.cat([x, h], -1).tanh()[:, :3]", "not-selected", "torch.cat([x, h], -1).tanh()[:, :3]"),
        (
            "h = torch.einsum('be,ebd->bd', torch.eye(2)[:1].expand(4, 2), torch.stack([x, h]))",
            "zero-multiply",
            "torch.einsum('be,ebd->bd', torch.eye(2)[:1].expand(4, 2), torch.stack([x, h]))",
        ),
        ("h = torch.func.vmap(lambda v: torch.relu(v - 100))(h)", "dead-activation", "torch.relu(v - 100)"),
        ("h = torch.cat([x, h], -1).exp()[:, :3]", "not-selected", "torch.cat([x, h], -1).exp()[:, :3]"),
        ("h = torch.stack([x, h - 200]).exp().sum(0)", "underflow", "torch.stack([x, h - 200]).exp()"),
        ("h = h.fill_diagonal_(0).triu(9) + 1", "not-selected", "h.fill_diagonal_(0).triu(9)"),
    ],
)
def test_the_operation_is_named_at_which_the_gradient_dies(run_probe, statement, kind, expression):
    cause = explanation(run_probe(wired(statement)))
    assert (cause.kind, text_at(cause.location)) == (kind, expression)


@pytest.mark.parametrize(
    ("picks", "expression"),
    [
        ("torch.maximum(h, other)", "torch.maximum(h, other)"),
        ("torch.stack([h, other]).max(0).values", "torch.stack([h, other]).max(0)"),
    ],
)
def test_of_two_layers_the_one_that_never_wins_is_not_selected(run_probe, picks, expression):
    report = run_probe(wired(f"other = self.other(x) + 100; h = {picks}", layers="self.other = nn.Linear(3, 3)"))
    cause = explanation(report)
    assert (cause.kind, text_at(cause.location)) == ("not-selected", expression)
    assert "max" in cause.message
    assert verdicts(report)["other.weight"] == "healthy"


def test_the_sentence_on_a_dead_activation_counts_its_outputs(run_probe):
    assert "all 12 outputs are 0" in explanation(run_probe(wired("h = torch.relu(h - 100)"))).message


@pytest.mark.parametrize("call", ["Zeros.apply(h)", "zeros(h)"], ids=["by its class", "by an alias"])
def test_a_custom_function_whose_backward_returns_zeros(run_probe, call):
    function = """
class Zeros(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x + 1

    @staticmethod
    def backward(ctx, gradient):
        return gradient * 0

zeros = Zeros.apply
"""
    cause = explanation(run_probe(function + wired(f"h = {call}")))
    assert (cause.kind, text_at(cause.location)) == ("custom-function", call)
    assert "Zeros" in cause.message


DEAD_BRANCH = wired(
    "h = h + self.after(torch.relu(self.gate(x) - 100))",
    layers="self.gate, self.after = nn.Linear(3, 3), nn.Linear(3, 3)",
)


def test_one_dead_activation_stops_the_layer_before_it_and_starves_the_one_after_it(run_probe):
    report = run_probe(DEAD_BRANCH)
    relu = "torch.relu(self.gate(x) - 100)"
    assert causes(report) == {
        ("dead-activation", relu): ["gate.weight", "gate.bias"],
        ("zero-input", relu): ["after.weight"],
    }
    assert verdicts(report)["after.bias"] == "healthy"


def test_zeros_that_a_layer_receives_are_followed_to_where_they_come_from(run_probe):
    report = run_probe("""
        class Memory(nn.Module):
            def __init__(self):
                super().__init__()
                self.bank = torch.zeros(5, 3)
                self.read = nn.Linear(3, 3)

            def forward(self, x):
                return x + self.read(self.bank).mean(0)

        def gradflow_probe():
            model = Memory()
            return model, model(torch.ones(4, 3)).square().sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, cause.parameters) == ("zero-input", ["read.weight"])
    assert text_at(cause.location) == "torch.zeros(5, 3)"
    assert [text_at(related.location) for related in cause.related] == ["self.read(self.bank)"]


def test_zeros_as_data_are_where_the_layer_receives_them_when_nobody_saw_them_made(run_probe):
    report = run_probe("""
        import numpy

        def gradflow_probe():
            layer = nn.Linear(3, 1)
            x = torch.from_numpy(numpy.zeros((4, 3), "float32"))
            return layer, layer(x).sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, cause.parameters) == ("zero-input", ["weight"])
    assert text_at(cause.location) in ("layer(x)", 'torch.from_numpy(numpy.zeros((4, 3), "float32"))')


def test_a_zero_start_is_named_where_the_zeros_are_written_with_the_product_that_it_silences(run_probe):
    report = run_probe("""
        def gradflow_probe():
            first, last = nn.Linear(3, 3), nn.Linear(3, 1)
            nn.init.zeros_(last.weight)
            return nn.Sequential(first, last), (last(first(torch.ones(4, 3))) - 1).square().sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, cause.parameters) == ("zero-init", ["0.weight", "0.bias"])
    assert text_at(cause.location) == "nn.init.zeros_(last.weight)"
    assert [text_at(related.location) for related in cause.related] == ["last(first(torch.ones(4, 3)))"]
    assert "1.weight is all zeros" in cause.message


def test_a_parameter_created_as_zeros_is_its_own_zero_start(run_probe):
    report = run_probe(wired("h = h + self.gain * self.branch(h)", layers=GATED))
    cause = only_cause(report)
    assert (cause.kind, text_at(cause.location)) == ("zero-init", "nn.Parameter(torch.zeros(3))")
    assert cause.parameters == ["branch.weight", "branch.bias"]


GATED = "self.gain, self.branch = nn.Parameter(torch.zeros(3)), nn.Linear(3, 3)"


def test_a_loss_term_weighted_with_zero(run_probe):
    report = run_probe("""
        def gradflow_probe():
            model = nn.ModuleDict({"main": nn.Linear(3, 1), "extra": nn.Linear(3, 1)})
            x = torch.ones(4, 3)
            return model, model["main"](x).sum() + 0.0 * model["extra"](x).sum()
    """)
    assert causes(report) == {("zero-multiply", '0.0 * model["extra"](x).sum()'): ["extra.weight", "extra.bias"]}


def test_rows_that_are_only_padding_are_not_selected(run_probe):
    report = run_probe("""
        def gradflow_probe():
            table = nn.Embedding(5, 3, padding_idx=0)
            return table, (table(torch.zeros(4, dtype=torch.long)) - 1).square().sum()
    """)
    cause = only_cause(report)
    assert (cause.kind, cause.parameters) == ("not-selected", ["weight"])


def test_a_bias_that_cancels_itself_is_healthy_and_has_no_cause(run_probe):
    report = run_probe(
        wired("h = torch.relu(self.norm(h))", layers="self.norm = nn.BatchNorm1d(3)", data="torch.randn(8, 3)")
    )
    assert set(verdicts(report).values()) == {"healthy"}
    assert [c.kind for c in report.causes if c.kind != "invariant"] == []


def test_a_parameter_at_which_a_function_is_flat_is_zero_from_its_start(run_probe):
    report = run_probe(wired("h = h + self.gain.abs()", layers="self.gain = nn.Parameter(torch.zeros(3))"))
    assert causes(report) == {("zero-init", "nn.Parameter(torch.zeros(3))"): ["gain"]}


def test_an_activation_that_gets_only_zeros_is_not_to_blame_for_them(run_probe):
    layers = "self.mid = nn.Linear(3, 3); nn.init.zeros_(self.mid.weight); nn.init.zeros_(self.mid.bias)"
    report = run_probe(wired("h = torch.relu(self.mid(h))", layers=layers))
    assert "dead-activation" not in {cause.kind for cause in report.causes}
    assert "nn.init.zeros_(self.mid.weight)" in {text_at(cause.location) for cause in report.causes}


def test_a_hook_that_zeroes_the_gradient_is_where_it_was_registered(run_probe):
    report = run_probe(wired("h.register_hook(lambda g: g * 0)"))
    cause = explanation(report)
    assert (cause.kind, text_at(cause.location)) == ("zero-multiply", "h.register_hook(lambda g: g * 0)")
    assert cause.message == "The hook set here makes the gradient zero."


def test_a_modules_backward_hook_that_zeroes_the_gradient_is_where_the_module_is_called(run_probe):
    layers = "self.mid = nn.Linear(3, 3); self.mid.register_full_backward_hook(lambda m, g, _: (g[0] * 0,))"
    cause = explanation(run_probe(wired("h = self.mid(h)", layers=layers)))
    assert (cause.kind, text_at(cause.location)) == ("zero-multiply", "self.mid(h)")
    assert "hook" in cause.message


def test_the_second_derivative_of_a_relu_is_zero(run_probe):
    report = run_probe(DERIVED.format(shift=0, used="z"))
    assert {(c.kind, text_at(c.location)) for c in report.causes if "0.weight" in c.parameters} == {
        ("zero-derivative", "model(x)"),
        ("zero-input", "model(x)"),
    }
    assert {(c.kind, text_at(c.location)) for c in report.causes if "2.weight" in c.parameters} == {
        ("non-differentiable", "torch.autograd.grad(model(x).sum(), x, create_graph=True)")
    }


def test_a_dead_relu_whose_derivative_is_taken_is_named(run_probe):
    report = run_probe(DERIVED.format(shift=100, used="y"))
    assert ("dead-activation", "model(x)") in {(c.kind, text_at(c.location)) for c in report.causes}


def test_low_rank_factors_that_are_merged_wait_for_the_one_that_is_zero(run_probe):
    layers = "self.a, self.b = nn.Parameter(torch.randn(3, 2)), nn.Parameter(torch.zeros(2, 3))"
    report = run_probe(wired("h = h + x @ (self.a @ self.b)", layers=layers))
    assert causes(report) == {("zero-init", "nn.Parameter(torch.zeros(2, 3))"): ["a"]}
    assert {p.name: p.severity for p in report.parameters}["a"] == "information"


def test_zeros_are_explained_although_the_probe_ran_backward_itself(run_probe):
    once = "    loss = model(torch.ones(4, 3)).sum()\n    loss.backward()\n    return model, loss"
    source = wired("h = torch.relu(h - 100)").replace("    return model, model(torch.ones(4, 3)).sum()", once)
    assert explanation(run_probe(source)).kind == "dead-activation"
