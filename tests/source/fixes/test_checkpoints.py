"""Reentrant checkpoints: only functions of torch know the other kind."""

import pytest

from ..fixing import fixed, offered

FUNCTION = (
    "import utils\nfrom torch.utils.checkpoint import checkpoint as kept\n\n\ndef run(self, f, x):\n    return {}\n"
)


def test_a_checkpoint_of_another_name_is_told():
    text = FUNCTION.format("kept(f, x,)")
    assert fixed(text, "reentrant-checkpoint", "kept(f, x,)") == FUNCTION.format("kept(f, x, use_reentrant=False,)")


@pytest.mark.parametrize("call", ["utils.run_checkpointed(f, x)", "self._checkpointing(f, x)"])
def test_a_function_of_others_may_not_know_it(call):
    assert offered(FUNCTION.format(call), "reentrant-checkpoint", call) == []
