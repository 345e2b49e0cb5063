"""Reports, and the places in them, as tests like to read them: by name, by kind, and by the text they point at."""

from pathlib import Path


def text_at(location):
    """The source text that a location covers."""
    lines = Path(location.path).read_text(encoding="utf-8").splitlines()[location.line - 1 : location.end_line]
    lines[-1] = lines[-1][: location.end_column]
    lines[0] = lines[0][location.column :]
    return "\n".join(lines)


def verdicts(report):
    """The verdict of each parameter by its name."""
    assert report.status == "ok", report.error
    return {p.name: p.verdict for p in report.parameters}


def causes(report):
    """The parameters that each cause explains, by its kind and the text it points at."""
    assert report.status == "ok", report.error
    return {(c.kind, text_at(c.location)): c.parameters for c in report.causes}


def only_cause(report):
    """The one cause of a report that has no other."""
    assert report.status == "ok", report.error
    (cause,) = report.causes
    return cause


def wired(between, *, layers="", data="torch.ones(4, 3)"):
    """A model file: a first layer, then the statement `between` on its output `h`, then a last layer, and their sum."""
    return f"""
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        {layers or "pass"}
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        h = self.first(x)
        {between}
        return self.last(h)


def gradflow_probe():
    model = Net()
    return model, model({data}).sum()
"""
