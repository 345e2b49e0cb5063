"""Every name that the product gives to what it finds: diagnostic codes, finding codes, cause kinds, error kinds.

They are part of the public contract: users write them in `severity` settings and ask `gradflow-lsp explain` about them.
"""

from __future__ import annotations

from gradflow_lsp.probe.report import DIAGNOSTIC_CODES

VERDICT_CODES: tuple[str, ...] = tuple(DIAGNOSTIC_CODES.values())
"""The diagnostic codes of parameters, such as `missing-gradient`."""

FINDING_CODES: tuple[str, ...] = (
    "loss-without-graph",
    "nonfinite-loss",
    "backward-in-probe",
    "accumulated-gradients",
    "slow-import",
    "not-confirmed",
    "unused-suppression",
)
"""Codes of what is true of a probe or of its loss, not of one parameter."""

CAUSE_KINDS: tuple[str, ...] = (
    "detach",
    "data-access",
    "no-grad",
    "non-differentiable",
    "left-autograd",
    "custom-function",
    "reentrant-checkpoint",
    "not-called",
    "unused-output",
    "replaced",
    "frozen",
    "dead-activation",
    "zero-input",
    "zero-derivative",
    "zero-multiply",
    "zero-init",
    "constant-output",
    "not-selected",
    "underflow",
    "saturation",
    "small-scale",
    "compounding",
    "large-scale",
    "nonfinite-op",
    "invariant",
    "unregistered",
    "unknown",
)
"""Why gradients are bad; on the cause's own line the kind is the diagnostic's code."""

ERROR_KINDS: tuple[str, ...] = (
    "no-interpreter",
    "no-torch",
    "syntax-error",
    "import-error",
    "probe-raised",
    "wrong-return",
    "non-scalar-loss",
    "system-exit",
    "backward-failed",
    "out-of-memory",
    "killed",
    "timeout",
    "cancelled",
    "launcher-failed",
)
"""Why a probe could not run."""

SHOWN_CODES: tuple[str, ...] = (*VERDICT_CODES, *FINDING_CODES, *CAUSE_KINDS)
"""Everything that can stand as a diagnostic's code, and so be given a severity."""

ALL: tuple[str, ...] = (*SHOWN_CODES, *ERROR_KINDS)
"""Everything that `gradflow-lsp explain` knows."""
