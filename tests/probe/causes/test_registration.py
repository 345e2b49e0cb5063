"""What no optimizer moves: frozen parameters, and leaves that the loss reaches but no `parameters()` yields."""

import pytest

from ..reading import causes, text_at, verdicts, wired


def hidden(report):
    """Each unregistered leaf by the name that it gets, with the text that defines it."""
    return {p.name: text_at(p.location) for p in report.parameters if p.verdict == "unregistered"}


@pytest.mark.parametrize(
    ("layers", "use", "names", "definition"),
    [
        ("self.extra = [nn.Linear(3, 3)]", "self.extra[0](h)", ["extra[0].weight", "extra[0].bias"], "nn.Linear(3, 3)"),
        (
            'self.extra = {"a": nn.Linear(3, 3, bias=False)}',
            'self.extra["a"](h)',
            ['extra["a"].weight'],
            "nn.Linear(3, 3, bias=False)",
        ),
        (
            "self.extra = ([nn.Parameter(torch.ones(3))],)",
            "h * self.extra[0][0]",
            ["extra[0][0]"],
            "nn.Parameter(torch.ones(3))",
        ),
        (
            "self.extra = torch.ones(3, requires_grad=True)",
            "h * self.extra",
            ["extra"],
            "torch.ones(3, requires_grad=True)",
        ),
        (
            "self.extra = nn.Parameter(torch.ones(3)).double()",
            "(h * self.extra).float()",
            ["extra"],
            "nn.Parameter(torch.ones(3))",
        ),
    ],
)
def test_leaves_kept_outside_the_registry_have_their_path_and_their_creation(run_probe, layers, use, names, definition):
    report = run_probe(wired(f"h = {use}", layers=layers))
    assert hidden(report) == dict.fromkeys(names, definition)


def test_a_layer_in_a_closure_is_found(run_probe):
    report = run_probe("""
        def make_head():
            readout = nn.Linear(3, 1)
            return lambda h: readout(torch.relu(h))

        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 3)
                self.head = make_head()

        def gradflow_probe():
            model = Net()
            return model, model.head(model.body(torch.ones(4, 3))).sum()
    """)
    assert list(hidden(report).values()) == ["nn.Linear(3, 1)"] * 2
    assert all(name.startswith("head") for name in hidden(report))


def test_a_layer_made_anew_in_every_forward_is_found(run_probe):
    report = run_probe(wired("h = nn.Linear(3, 3, bias=False)(h)"))
    assert list(hidden(report).values()) == ["nn.Linear(3, 3, bias=False)"]


def test_one_place_that_makes_several_is_one_cause(run_probe):
    report = run_probe(
        wired("for layer in self.extra: h = layer(h)", layers="self.extra = [nn.Linear(3, 3) for _ in range(3)]")
    )
    assert {key: len(names) for key, names in causes(report).items()} == {("unregistered", "nn.Linear(3, 3)"): 6}
    assert {p.severity for p in report.parameters if p.verdict == "unregistered"} == {"warning"}


def test_they_come_in_the_order_in_which_they_were_made(run_probe):
    report = run_probe(
        wired("for layer in self.extra: h = layer(h)", layers="self.extra = [nn.Linear(3, 3) for _ in range(2)]")
    )
    assert list(hidden(report)) == ["extra[0].weight", "extra[0].bias", "extra[1].weight", "extra[1].bias"]


def test_the_gradient_of_one_is_the_losss_own_whatever_else_was_looked_at(run_probe):
    report = run_probe("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.dead = nn.Linear(3, 3)
                self.extra = [nn.Linear(3, 1, bias=False)]

            def forward(self, x):
                return self.extra[0](x + 0 * self.dead(x))

        def gradflow_probe():
            model = Net()
            return model, model(torch.ones(1, 3)).sum()
    """)
    (extra,) = (p for p in report.parameters if p.verdict == "unregistered")
    assert extra.grad_norm == pytest.approx(3**0.5)


def test_data_that_requires_grad_is_no_parameter_even_when_a_module_keeps_it(run_probe):
    report = run_probe(wired("self.seen = x", data="torch.ones(4, 3, requires_grad=True)"))
    assert hidden(report) == {}


def test_a_buffer_that_requires_grad_is_no_parameter(run_probe):
    buffer = 'self.register_buffer("scale", torch.ones(3, requires_grad=True))'
    assert hidden(run_probe(wired("h = h * self.scale", layers=buffer))) == {}


def test_the_parameters_of_a_model_that_is_not_returned_are_not_unregistered(run_probe):
    report = run_probe("""
        class Generator(nn.Module):
            def __init__(self, critic):
                super().__init__()
                self.body = nn.Linear(3, 3)
                self.helpers = [critic]

            def forward(self, x):
                return self.helpers[0](self.body(x))

        def gradflow_probe():
            critic = nn.Linear(3, 1)
            generator = Generator(critic)
            return generator, generator(torch.ones(4, 3)).sum()
    """)
    assert hidden(report) == {}
    assert causes(report) == {}


@pytest.mark.parametrize(
    ("freeze", "expression"),
    [
        ("self.first.requires_grad_(False)", "self.first.requires_grad_(False)"),
        ("for p in self.first.parameters(): p.requires_grad = False", "p.requires_grad"),
        ("for p in self.first.parameters(): p.requires_grad_(False)", "p.requires_grad_(False)"),
    ],
)
def test_freezing_is_one_cause_on_its_line_however_many_parameters(run_probe, freeze, expression):
    report = run_probe(wired("pass", layers=freeze))
    assert verdicts(report)["first.weight"] == "frozen"
    assert causes(report) == {("frozen", expression): ["first.weight", "first.bias"]}


def test_a_parameter_created_frozen_is_frozen_where_it_is_created(run_probe):
    report = run_probe(
        wired("h = h * self.gain", layers="self.gain = nn.Parameter(torch.ones(3), requires_grad=False)")
    )
    assert causes(report) == {("frozen", "nn.Parameter(torch.ones(3), requires_grad=False)"): ["gain"]}


def test_freezing_while_the_file_is_imported_is_seen(run_probe):
    report = run_probe("""
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        model[0].requires_grad_(False)

        def gradflow_probe():
            return model, model(torch.ones(2, 3)).sum()
    """)
    assert causes(report) == {("frozen", "model[0].requires_grad_(False)"): ["0.weight", "0.bias"]}


@pytest.mark.parametrize("switch", ["self.extra.requires_grad = True", "self.extra.requires_grad_()"])
def test_a_tensor_whose_grad_is_switched_on_afterwards_is_found(run_probe, switch):
    report = run_probe(wired("h = h * self.extra", layers=f"self.extra = torch.full((3,), 2.0); {switch}"))
    assert list(hidden(report)) == ["extra"]
    assert [cause.kind for cause in report.causes] == ["unregistered"]


def test_data_whose_grad_is_switched_on_stays_data(run_probe):
    report = run_probe("""
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.body = nn.Linear(3, 3)

            def forward(self, x):
                return self.body(x)

        def gradflow_probe():
            net = Net()
            x = torch.randn(4, 3)
            x.requires_grad = True
            return net, net(x).pow(2).mean()
    """)
    assert hidden(report) == {}
