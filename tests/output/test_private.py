"""What goes into an issue names no path, no file and no person; what says where something went wrong stays."""

import json
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import gradflow_lsp
from gradflow_lsp.output.private import Scrubber

SCRUB = Scrubber(
    folders={"/home/ada/projects/secret": "<workspace>", "/home/ada": "<home>"},
    words={"ada": "<user>", "analytical-engine": "<host>", "secret": "<workspace>"},
)
OURS = Path(gradflow_lsp.__file__).parent


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ada/projects/secret/net/plan.py:21 failed", "<workspace>/<file>.py:21 failed"),
        ("file:///home/ada/projects/secret/plan.py", "<workspace>/<file>.py"),
        ("cannot read '/home/ada/my data/plan b.csv'", "cannot read '<home>'"),
        ("/data/customers/x.py", "<path>/<file>.py"),
        ("C:\\Users\\ada\\plan.py, line 3", "<path>/<file>.py, line 3"),
        ("net/plan.py and plan.py", "<path>/<file>.py and <path>/<file>.py"),
        ("gradflow_probe_plan of gradflow_probe", "gradflow_probe_<name> of gradflow_probe"),
        ("Ada on analytical-engine", "<user> on <host>"),
        ("adamant", "adamant"),
        ("textDocument/didOpen took 3 ms", "textDocument/didOpen took 3 ms"),
        ("/venv/lib/python3.11/site-packages/torch/nn/linear.py:9", "…/torch/nn/linear.py:9"),
        ("/venv/lib/python3.11/site-packages/plans/linear.py:9", "<path>/<file>.py:9"),
        ('File "/usr/lib/python3.11/asyncio/tasks.py", line 3', 'File "…/asyncio/tasks.py", line 3'),
        (f'File "{OURS}/server/app.py", line 3', 'File "…/gradflow_lsp/server/app.py", line 3'),
    ],
)
def test_private_names_are_replaced_and_the_rest_stays(text, shown):
    assert SCRUB(text) == shown


NAMES = st.from_regex(r"[a-z][a-z0-9_]{3,11}", fullmatch=True)
TEMPLATES = st.sampled_from(
    [
        "2026-01-01 10:00:00 12 INFO gradflow_lsp.server: {}",
        'Traceback (most recent call last):\n  File "{}", line 3, in main\nKeyError',
        "OSError: [Errno 2] No such file or directory: '{}'",
        "ran {}:12:4 in 0.2 s",
        "request {{'uri': '{}'}}",
        "cwd={}, PATH={}:/usr/bin",
    ]
)


POSIX, WINDOWS = (PurePosixPath, "/home/{}", "/mnt/data"), (PureWindowsPath, "C:/Users/{}", "D:/data")


@given(names=st.lists(NAMES, min_size=3, max_size=3, unique=True), template=TEMPLATES, data=st.data())
def test_no_private_name_survives_in_any_way_of_writing_a_path(names, template, data):
    user, project, module = names
    assume(not any(name in f"{template} /home/users/data workspace file path code" for name in names))
    kind, home, elsewhere = data.draw(st.sampled_from([POSIX, WINDOWS]))
    home = kind(home.format(user))
    workspace = home / data.draw(st.sampled_from(["", "my code", "größer"])) / project
    path = data.draw(st.sampled_from([workspace, home, kind(elsewhere)])) / f"{module}.py"
    written = data.draw(st.sampled_from([str(path), path.as_posix(), path.as_uri(), json.dumps(str(path))]))
    scrub = Scrubber({str(workspace): "<workspace>", str(home): "<home>"}, {user: "<user>", project: "<workspace>"})
    shown = scrub(template.replace("{}", written))
    assert not [name for name in names if name in shown]
