"""One server for all faults that it survives, and fresh ones for those that it does not."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from .patient import Fault, Patient

NEEDS = "linux"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of this folder as faults, and run them in one loop, the servers' own."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.fault)
            item.add_marker(
                pytest.mark.skipif(sys.platform != NEEDS, reason="bounds and finds processes as Linux does")
            )
            item.add_marker(pytest.mark.filterwarnings("error::pytest_lsp.LspSpecificationWarning"))
            if pytest_asyncio.is_async_test(item):
                item.add_marker(pytest.mark.asyncio(loop_scope="session"), append=False)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def survivor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Patient]:
    """A server that is expected to live through every fault."""
    patient = await Patient.start(tmp_path_factory.mktemp("survivor"))
    try:
        await patient.is_well()  # from here on its interpreter is there
        yield patient
    finally:
        await patient.end()


@pytest.fixture()
def suffers(survivor: Patient, request: pytest.FixtureRequest) -> Callable[..., Awaitable[None]]:
    """Run a fault in the server that survives, within a time limit of its own; then see that the server is well."""

    async def suffers(fault: Fault, *, timeout: float | None = None, path: Path | None = None) -> None:
        if timeout is None:
            report = await survivor.suffer(fault, path=path)
        else:
            async with survivor.editor.configured(timeout=timeout):
                report = await survivor.suffer(fault, path=path)
        if report["error"]:
            request.node.user_properties.append(("sentence", report["error"]["message"]))  # for --junitxml
        await survivor.is_well()

    return suffers


@pytest_asyncio.fixture(loop_scope="session")
async def doomed(tmp_path: Path) -> AsyncIterator[Callable[..., Awaitable[Patient]]]:
    """Start a server that may be killed: `await doomed(cold=True)`."""
    patients: list[Patient] = []

    async def start(**options: object) -> Patient:
        folder = tmp_path / str(len(patients))
        folder.mkdir()
        patients.append(await Patient.start(folder, **options))
        return patients[-1]

    yield start
    for patient in patients:
        await patient.end()
