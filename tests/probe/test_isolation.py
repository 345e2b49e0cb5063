"""Pipes out of the user's reach."""

import json
import os
import subprocess
import sys

import pytest

from gradflow_lsp.probe.isolation import Channel, keep, lines

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="about descriptors of POSIX")


@pytest.fixture
def pipe():
    fds = os.pipe()
    yield fds
    for fd in fds:
        os.close(fd)


def test_lines_come_whole_however_they_are_cut(pipe):
    reading, writing = pipe
    arriving = lines(reading)
    os.write(writing, b"one\ntwo\nth")
    assert [next(arriving), next(arriving)] == [b"one", b"two"]
    os.write(writing, b"ree\n")
    assert next(arriving) == b"three"


def test_a_kept_descriptor_is_high_and_not_inherited(pipe):
    kept = keep(pipe[1])
    assert kept >= 200
    assert not os.get_inheritable(kept)
    os.close(kept)


def test_a_channel_writes_a_line_and_refuses_what_is_not_json(pipe):
    channel = Channel(pipe[1])
    channel.send(stage="probe")
    assert json.loads(os.read(pipe[0], 100)) == {"stage": "probe"}
    with pytest.raises(ValueError, match="not JSON compliant"):
        channel.send(loss=float("nan"))


FORKED = """
import os
from gradflow_lsp.probe.isolation import Channel
channel = Channel(1)
child = os.fork()
if child: os.waitpid(child, 0)
channel.send(child=child == 0)
"""


def test_a_forked_copy_of_a_process_says_nothing():
    printed = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, check=True).stdout
    assert json.loads(printed) == {"child": False}


def test_a_line_stands_apart_from_what_user_code_has_written(pipe):
    channel = Channel(pipe[1])
    channel.exposed = True
    os.write(pipe[1], b"half a line")
    channel.send(stage="probe")
    assert list(map(next, [lines(pipe[0])] * 2)) == [b"half a line", b'{"stage": "probe"}']
