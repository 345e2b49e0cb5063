from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.annotate.names import neighbours

INDICES = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), unique=True)


def test_neighbours_come_together_and_gaps_part_them():
    names = ["a.0.w", "a.0.b", "a.1.w", "a.1.b", "a.3.w", "scale"]
    assert neighbours(names) == {
        "a.0-1.w": ["a.0.w", "a.1.w"],
        "a.3.w": ["a.3.w"],
        "a.0-1.b": ["a.0.b", "a.1.b"],
        "scale": ["scale"],
    }


def test_lists_within_lists_are_ranges_too():
    names = [f"blocks.{i}.heads.{j}.weight" for i in range(3) for j in range(2)]
    assert neighbours(names) == {"blocks.0-2.heads.0-1.weight": [*names[::2], *names[1::2]]}


@given(INDICES)
def test_no_name_is_lost_or_doubled(pairs):
    names = [f"a.{i}.b.{j}.weight" for i, j in pairs]
    assert sorted(name for members in neighbours(names).values() for name in members) == sorted(names)
