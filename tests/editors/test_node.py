"""The server beside the protocol packages that VS Code is built on; `node/run.sh` installs them."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "node"


@pytest.mark.slow
@pytest.mark.editor
@pytest.mark.skipif(not shutil.which("node"), reason="Node is not installed")
@pytest.mark.skipif(not (FOLDER / "node_modules").is_dir(), reason="tests/editors/node/run.sh was never run")
@pytest.mark.skipif(find_spec("torch") is None, reason="a session runs a model")
def test_the_server_conforms(tmp_path):
    environment = {**os.environ, "PYTHON": sys.executable, "XDG_STATE_HOME": str(tmp_path)}
    command = ["node", "--test", "--test-timeout=60000"]
    run = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, encoding="utf-8")
    assert run.returncode == 0, run.stdout


def test_the_lock_file_names_no_registry_and_only_pinned_packages():
    lock = json.loads((FOLDER / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    asked = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))["devDependencies"]
    assert [name for name, package in lock.items() if "resolved" in package] == []
    assert {name: lock[f"node_modules/{name}"]["version"] for name in asked} == asked
