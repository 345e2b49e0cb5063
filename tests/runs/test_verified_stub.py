"""The search for a probe that runs, told what comes of each run instead of running anything."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from gradflow_lsp.probe.report import Location, ParameterReport, ProbeError, ProbeReport
from gradflow_lsp.runs.verified_stub import Trial, verified
from gradflow_lsp.source.stub import ProbeStub

WRITTEN = """\
def gradflow_probe():
    model = Net()
    x = torch.randn(4, 16)
    # TODO: check the inputs
    out = model(x)
    return model, out.mean()
"""


def stub(text=WRITTEN):
    return ProbeStub("gradflow_probe", text, 1, todo=["check the inputs"])


def failed(message, kind="probe-raised", line=7):
    return ProbeReport(
        "m.py", "gradflow_probe", 1, "failed", error=ProbeError(kind, message, Location("m.py", line, 0, line, 9))
    )


def ran(*verdicts):
    parameters = [
        ParameterReport(name=str(at), module="", type="Linear", shape=[1], dtype="float32", verdict=verdict)
        for at, verdict in enumerate(verdicts or ["healthy"])
    ]
    return ProbeReport("m.py", "gradflow_probe", 1, "ok", parameters=parameters)


@dataclass
class Runs:
    """Answers what the first condition that holds for a text says; remembers the texts."""

    answers: dict
    texts: list = field(default_factory=list)

    async def __call__(self, stub):
        self.texts.append(stub.text)
        return next(report for part, report in self.answers.items() if part in stub.text)


def wide(got, wanted):
    return failed(f"mat1 and mat2 shapes cannot be multiplied (4x{got} and {wanted}x8)")


async def test_a_probe_that_runs_is_run_once_and_loses_its_notes():
    runs = Runs({"": ran()})
    trial = await verified(stub(), runs)
    assert len(runs.texts) == 1
    assert trial.stub.text == WRITTEN.replace("    # TODO: check the inputs\n", "")
    assert (trial.stub.todo, trial.reached) == ([], (1, 1))


async def test_errors_are_mended_one_after_the_other():
    lengths = failed("index out of range in self", line=9)
    rank = failed("Expected 2D (unbatched) or 3D (batched) input to conv1d, but got input of size: [4, 16]", line=8)
    channels = failed(
        "Given groups=1, weight of size [8, 5, 3], expected input[4, 16, 16] to have 5 channels, but got 16 channels",
        line=8,
    )
    runs = Runs({"randn(4, 16)": rank, "randn(4, 16, 16)": channels, "randn(4, 5, 16)": ran(), "": lengths})
    trial = await verified(stub(), runs)
    assert trial.runs and "x = torch.randn(4, 5, 16)" in trial.stub.text


async def test_a_repair_that_does_not_help_is_taken_back():
    runs = Runs({"randn(4, 32)": failed("the answer is elsewhere", line=3), "Net(16)": ran(), "": wide(16, 32)})
    text = WRITTEN.replace("Net()", "Net(32)")
    trial = await verified(stub(text), runs)
    assert trial.runs and "model = Net(16)" in trial.stub.text


async def test_no_text_is_run_twice():
    runs = Runs({"randn(4, 32)": wide(32, 16), "": wide(16, 32)})
    await verified(stub(), runs)
    assert len(runs.texts) == len(set(runs.texts))


async def test_a_probe_that_stays_broken_carries_the_reason():
    runs = Runs({"": failed("The probe raised ZeroDivisionError (line 70).", line=70)})
    trial = await verified(stub(), runs)
    assert (trial.runs, trial.is_tried) == (False, True)
    assert "    # TODO: The probe raised ZeroDivisionError (line 70).\n" in trial.stub.text
    assert "check the inputs" not in trial.stub.text


async def test_a_reason_names_no_line_of_the_probe_itself():
    runs = Runs({"": failed("The probe raised KeyError (line 3).", line=3)})
    trial = await verified(stub(), runs)
    assert trial.stub.todo == ["The probe raised KeyError."]


@pytest.mark.parametrize("kind", ["no-interpreter", "no-torch", "import-error", "syntax-error", "launcher-failed"])
async def test_what_keeps_every_probe_from_running_says_nothing_about_this_one(kind):
    runs = Runs({"": failed("index out of range in self", kind)})
    trial = await verified(stub(), runs)
    assert (len(runs.texts), trial.is_tried, trial.stub) == (1, False, stub())


async def test_the_number_of_trials_is_bounded():
    told = []
    texts = iter(range(16, 1000))

    async def run(stub):
        number = next(texts)
        return wide(number, number + 1)

    await verified(stub(WRITTEN.replace("16", "16, 16")), run, on_trial=told.append, most=5)
    assert told == [1, 2, 3, 4, 5]


async def test_mending_ends_when_its_time_is_up():
    runs = Runs({"": wide(16, 32)})

    async def run(stub):
        if runs.texts:
            await asyncio.Event().wait()
        return await runs(stub)

    trial = await verified(stub(), run, seconds=0)
    assert not trial.runs and len(runs.texts) == 1


async def test_a_probe_that_reaches_too_few_parameters_is_kept_where_nothing_mends_that():
    trial = await verified(stub(), Runs({"": ran("healthy", "missing", "frozen")}))
    assert trial.runs and trial.reached == (1, 2)


async def test_a_loss_that_reaches_nothing_keeps_its_note():
    trial = await verified(stub(), Runs({"": ran("missing")}))
    assert trial.stub.text == WRITTEN


def test_of_two_probes_the_one_that_runs_is_better_and_of_two_that_run_the_one_that_reaches_more():
    failing, some, all_ = (Trial(stub(), report) for report in (wide(1, 2), ran("healthy", "missing"), ran("zero")))
    assert some.is_better_than(failing) and all_.is_better_than(some)
    assert not failing.is_better_than(some) and not some.is_better_than(some)


async def test_a_plainer_probe_is_tried_before_repairs():
    plainer = WRITTEN.replace("Net()", "Net(both=False)")
    runs = Runs({"both=False": ran(), "": wide(16, 32)})
    trial = await verified(replace(stub(), plainer=plainer), runs)
    assert runs.texts == [WRITTEN, plainer] and "both=False" in trial.stub.text


async def test_a_plainer_probe_is_not_tried_where_the_first_one_runs():
    runs = Runs({"": ran()})
    await verified(replace(stub(), plainer="other"), runs)
    assert runs.texts == [WRITTEN]
