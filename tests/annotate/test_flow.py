from gradflow_lsp.annotate import flow

from .reports import parameter


def flow_line(parameters, marked=()):
    return flow.flow_line(flow.flow_of(parameters, marked))


def layers(*verdicts):
    return [parameter(f"l{i}.weight", verdict) for i, verdict in enumerate(verdicts)]


def test_the_line_runs_from_the_loss_back_to_the_input():
    line = flow_line(layers("missing", "missing", "healthy"), {"l0.weight"})
    assert line == "`loss → l2 ✓ · l1 ✗ · [l0 ✗] → input` (✗ no gradient)"


def test_each_sign_but_the_tick_is_explained():
    line = flow_line(layers("missing", "zero", "frozen", "healthy", "nonfinite"))
    assert line == (
        "`loss → l4 ! · l3 ✓ · l2 – · l1 0 · l0 ✗ → input` (✗ no gradient, 0 exactly 0, ! NaN or infinite, – frozen)"
    )
    assert flow_line(layers("healthy")) == "`loss → l0 ✓ → input`"


def test_a_layer_is_as_bad_as_its_worst_parameter():
    assert "first 0" in flow_line([parameter("first.weight", "zero"), parameter("first.bias")])


def test_of_many_layers_neighbours_that_fare_alike_are_told_as_one():
    blocks = [parameter(f"blocks.{i}.weight", "missing" if i < 7 else "healthy") for i in range(24)]
    line = flow_line([parameter("stem.weight", "missing"), *blocks, parameter("head.weight")], {"blocks.3.weight"})
    assert line == ("`loss → 18 layers ✓ · 3 layers of blocks ✗ · [blocks.3 ✗] · 4 layers ✗ → input` (✗ no gradient)")


def test_of_a_long_and_mixed_way_the_surroundings_of_the_layer_are_shown():
    line = flow_line(layers(*["missing", "healthy"] * 50), {"l50.weight"})
    assert line.startswith("`loss → … · ") and " · … → input`" in line
    assert line.count("l") - line.count("loss") == 9 and "[l50 ✗]" in line


def test_the_parameters_of_the_model_itself_go_by_its_type():
    assert flow_line([parameter("scale")]) == "`loss → Linear ✓ → input`"
