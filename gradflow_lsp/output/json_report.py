"""The report as JSON: one document for all probes, the public contract that CI jobs and other programs read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from gradflow_lsp import __version__
from gradflow_lsp.output.relative import relative_to
from gradflow_lsp.probe.report import SCHEMA, ProbeReport


def json_report(reports: Sequence[ProbeReport], folder: Path) -> str:
    """Return one JSON document, its paths shown from `folder`.

    It is plain ASCII, so that it survives any pipe, and holds no bare NaN or Infinity.
    """
    probes = [relative_to(report, folder).to_json() for report in reports]
    document = {"schema": SCHEMA, "gradflow": __version__, "probes": probes}
    return json.dumps(document, indent=2, allow_nan=False) + "\n"
