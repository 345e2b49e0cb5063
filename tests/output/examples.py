"""Reports made by hand, one for each kind of outcome that the terminal shows."""

from pathlib import Path

from gradflow_lsp.probe.report import (
    Cause,
    Environment,
    Finding,
    Location,
    ParameterReport,
    ProbeError,
    ProbeReport,
    Related,
    Seconds,
)

FOLDER = Path("/project").absolute()
MODEL = str(FOLDER / "soil" / "model.py")


def at(line: int, column: int = 8, end_column: int = 30, path: str = MODEL) -> Location:
    return Location(path, line, column, line, end_column)


def parameter(name, shape, verdict="healthy", severity=None, norm=None, weight=1.5, line=7, **more) -> ParameterReport:
    return ParameterReport(
        name=name,
        module=name.rpartition(".")[0],
        type="Linear",
        shape=shape,
        dtype="float32",
        verdict=verdict,
        severity=severity,
        grad_norm=norm,
        grad_norms={"loss": norm},
        weight_norm=weight,
        location=more.pop("location", at(line)),
        **more,
    )


def report(**changes) -> ProbeReport:
    facts = {
        "path": MODEL,
        "function": "gradflow_probe",
        "line": 20,
        "status": "ok",
        "losses": {"loss": 0.683417},
        "environment": Environment("3.12.1", "2.9.0", "cpu", "/usr/bin/python3"),
        "seconds": Seconds(total=0.2134),
        "sources": {MODEL: "sha256:00"},
        **changes,
    }
    return ProbeReport(**facts)


CUT = report(
    parameters=[
        parameter("last.weight", [2, 32], norm=0.184076, weight=0.81, line=9),
        parameter("last.bias", [2], norm=0.0795743, weight=0.1, line=9),
        parameter("first.weight", [32, 10], "missing", "warning", weight=3.27, causes=[0]),
        parameter("first.bias", [32], "missing", "warning", causes=[0]),
        parameter("middle.weight", [32, 32], "missing", "warning", line=8, causes=[0]),
        parameter("middle.bias", [32], "missing", "warning", line=8, causes=[0]),
    ],
    causes=[
        Cause(
            "detach",
            ".detach() cuts the graph here: nothing before it is connected to the loss any more",
            ["first.weight", "first.bias", "middle.weight", "middle.bias"],
            at(14, 12, 50),
            [Related("the model is called here", at(24, 31, 39))],
        )
    ],
)

HEALTHY = report(
    parameters=[
        parameter("0.weight", [4, 3], norm=1.1541),
        parameter("0.bias", [4], norm=0.8554),
        parameter("scale", [], norm=7.0710678, line=8),
    ]
)

FREEZE = report(
    parameters=[
        parameter("backbone.0.weight", [8, 1, 3, 3], "frozen", "information", causes=[0]),
        parameter("backbone.0.bias", [8], "frozen", "information", causes=[0]),
        parameter("head.weight", [3, 16], norm=0.0933464),
    ],
    causes=[Cause("frozen", "requires_grad is set to False here", ["backbone.0.weight", "backbone.0.bias"], at(6))],
)

PLANNED = report(
    parameters=[
        parameter("lora_a.weight", [4, 16], "zero", "information", 0.0, causes=[0]),
        parameter("lora_b.weight", [16, 4], norm=2.5),
    ],
    causes=[Cause("zero-init", "lora_b starts at zero; it opens after one step", ["lora_a.weight"], at(8))],
)

EVERYTHING = report(
    function="gradflow_probe_pair",
    mode="real",
    losses={"generator": 0.25, "discriminator": 1.0e-9, "penalty": float("inf"), "consistency": 2.0},
    findings=[
        Finding("nonfinite-loss", "error", "the loss penalty is inf; log made it first", at(31)),
        Finding("backward-in-probe", "information", "The probe called backward() itself."),
    ],
    parameters=[
        parameter("generator.ok", [2], norm=1.0),
        parameter("generator.gone", [2], "missing", "warning", causes=[1]),
        parameter("generator.broken", [2], "nonfinite", "error", float("nan"), causes=[0]),
        parameter("generator.huge", [2], "exploding", "warning", 1.23456789e12, causes=[2]),
        parameter("generator.tiny", [2], "vanishing", "warning", 1.23456789e-17, causes=[2]),
        parameter(
            "generator.encoder.blocks.11.attention.heads[3].query_projection.weight",
            [1024, 1024],
            "zero",
            "hint",
            0.0,
            location=at(120, path=str(FOLDER / "soil" / "deep" / "down" / "attention_blocks.py")),
        ),
        parameter("discriminator.stopped", [2], "frozen", "information", location=None),
    ],
    causes=[
        Cause("nonfinite-op", "log(0) is -inf here", ["generator.broken"], at(29)),
        Cause("not-called", "the layer gone is never called", ["generator.gone"], at(8)),
        Cause("compounding", "each step multiplies by 0.1", ["generator.huge", "generator.tiny"], at(33)),
        Cause("invariant", "the mean is subtracted after it", ["generator.ok"], at(34)),
    ],
)

TWICE = report(
    parameters=[parameter("0.weight", [4, 3], norm=1.1541)],
    findings=[Finding("accumulated-gradients", "warning", "The probe called backward() twice.")],
)

RAISED = report(
    status="failed",
    losses={},
    error=ProbeError(
        "probe-raised",
        "The probe raised RuntimeError: mat1 and mat2 shapes cannot be multiplied (16x9 and 10x32) (line 14).",
        at(14),
        'Traceback (most recent call last):\n  File "model.py", line 14, in forward\nRuntimeError: mat1\n',
        "epoch 1\n\x1b[31mloading\x1b[0m [bold]all[/bold]\n",
    ),
)

TIMEOUT = report(
    status="timeout",
    losses={},
    error=ProbeError("timeout", "The run was stopped after 60 s while the probe ran."),
)
