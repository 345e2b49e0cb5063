import math

from gradflow_lsp.annotate.flow import flow_bar

from .reports import parameter


def layers(*norms_or_verdicts):
    return [
        parameter(f"l{i}.weight", **({"verdict": x} if isinstance(x, str) else {"grad_norm": x}))
        for i, x in enumerate(norms_or_verdicts)
    ]


def test_the_bar_runs_from_the_loss_back_to_the_input():
    assert flow_bar(layers("missing", 1e-4, 1.0)) == "loss █▅× input"


def test_each_kind_of_nothing_has_its_own_sign():
    bar = flow_bar([*layers("missing", "zero", "frozen", 1.0), parameter("l9.weight", "nonfinite", grad_norm=math.nan)])
    assert bar == "loss !█·0× input"


def test_neighbouring_marked_layers_share_their_brackets():
    assert flow_bar(layers(1.0, 1.0, 1.0), {"l0.weight", "l1.weight"}) == "loss █[██] input"


def test_a_deep_model_is_cut_to_the_surroundings_of_the_layer():
    bar = flow_bar(layers(*[1.0] * 100), {"l50.weight"})
    assert bar.startswith("loss … ") and bar.endswith(" … input")
    assert bar.count("█") == 40 and "[█]" in bar


def test_a_model_without_any_gradient_still_has_a_bar():
    assert flow_bar(layers("missing", "missing")) == "loss ×× input"
