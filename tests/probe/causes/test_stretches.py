"""What is applied again and again is told with the first and the last layer of the stretch."""

from ..reading import text_at, wired


def related(report):
    cause = next(c for c in report.causes if c.kind == "compounding")
    return [(r.message, text_at(r.location)) for r in cause.related]


def test_layers_of_one_line_are_a_stretch_from_the_first_to_the_last(run_probe):
    layers = "self.cells = nn.ModuleList(nn.Linear(3, 3) for _ in range(16))"
    report = run_probe(wired("for cell in self.cells: h = torch.sigmoid(cell(h))", layers=layers))
    assert related(report) == [("The stretch runs from cells.0 to cells.15.", "nn.Linear(3, 3)")]


def test_layers_of_several_lines_have_both_ends(run_probe):
    layers = "self.front, self.back = nn.Linear(3, 3), nn.Linear(3, 3)"
    report = run_probe(wired("for cell in [self.front] + [self.back] * 15: h = torch.sigmoid(cell(h))", layers=layers))
    assert [message for message, _ in related(report)] == ["The stretch begins with front.", "It ends with back."]


def test_one_layer_applied_over_and_over_is_no_stretch(run_probe):
    report = run_probe(
        wired("for _ in range(16): h = torch.sigmoid(self.cell(h))", layers="self.cell = nn.Linear(3, 3)")
    )
    assert related(report) == []
