"""How tests run a probe: each in a process of its own, forked off one that has torch and the engine already."""

import importlib.util
import multiprocessing
import textwrap
from concurrent.futures import ProcessPoolExecutor

import pytest

from gradflow_lsp.probe.protocol import RunRequest

if importlib.util.find_spec("torch") is None:
    collect_ignore_glob = ["test_*.py", "causes/*"]

HEADER = "import torch\nfrom torch import nn\nfrom torch.nn import functional as F\n\n"


@pytest.fixture(scope="session")
def in_child():
    """Call a function of a module in a fresh process and return what it returns."""
    method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
    context = multiprocessing.get_context(method)
    context.set_forkserver_preload(["pytest", "numpy.random", "gradflow_lsp.probe.engine"])
    with ProcessPoolExecutor(1, context, max_tasks_per_child=1) as processes:
        yield lambda function, *arguments: processes.submit(function, *arguments).result(timeout=60)


@pytest.fixture
def run_probe(in_child, tmp_path):
    """Run the `gradflow_probe` of a source text, which has torch, nn and F, and return the report.

    `prepare` is called in the run's process before the engine is asked for; other keywords are fields of the request.
    """

    def run_probe(source, *, prepare=None, **request):
        path = tmp_path / "model.py"
        path.write_text(HEADER + textwrap.dedent(source), encoding="utf-8")
        return in_child(_run, RunRequest(str(path), "gradflow_probe", roots=(str(tmp_path),), **request), prepare)

    return run_probe


def _run(request, prepare):
    if prepare is not None:
        prepare()
    from gradflow_lsp.probe.engine import run

    return run(request, lambda stage: None)
