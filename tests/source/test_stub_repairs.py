"""What is changed in a probe after an error: one example for each kind of sentence that Python and torch say."""

import ast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gradflow_lsp.source.stub_repairs.notes import with_note, without_notes
from gradflow_lsp.source.stub_repairs.repairing import repairs


def probe(*lines, call="model(x)"):
    body = [*lines, f"out = {call}", "loss = out.mean()", "return model, loss"]
    return "def gradflow_probe():\n" + "".join(f"    {line}\n" for line in body)


def mended(error, *lines, **call):
    """Return the lines that each repair of a probe with these lines changes, as they are then."""
    before = probe(*lines, **call)
    return [
        "; ".join(line.strip() for line in text.splitlines() if line not in before.splitlines())
        for text in repairs(before, error)
    ]


@pytest.mark.parametrize(
    ("error", "before", "after"),
    [
        # a width, by the shape that the error shows
        (
            "mat1 and mat2 shapes cannot be multiplied (4x16 and 32x8)",
            "x = torch.randn(4, 16)",
            "x = torch.randn(4, 32)",
        ),
        (
            "mat1 and mat2 shapes cannot be multiplied (20x16 and 32x8)",
            "x = torch.randn(4, 5, 16)",
            "x = torch.randn(4, 5, 32)",
        ),
        (
            "input.size(-1) must be equal to input_size. Expected 10, got 5",
            "x = torch.randn(5, 4, 5)",
            "x = torch.randn(5, 4, 10)",
        ),
        (
            "Given normalized_shape=[16], expected input with shape [*, 16], but got input of size[4, 8]",
            "x = torch.randn(4, 8)",
            "x = torch.randn(4, 16)",
        ),
        ("was expecting embedding dimension of 16, but got 8", "x = torch.randn(3, 2, 8)", "x = torch.randn(3, 2, 16)"),
        ("running_mean should contain 16 elements not 8", "x = torch.randn(4, 16)", "x = torch.randn(4, 8)"),
        (
            "Given groups=1, weight of size [8, 4, 3, 3], expected input[1, 3, 8, 8] to have 4 channels, "
            "but got 3 channels instead",
            "x = torch.randn(1, 3, 8, 8)",
            "x = torch.randn(1, 4, 8, 8)",
        ),
        # sizes that do not go together
        (
            "The size of tensor a (8) must match the size of tensor b (16) at non-singleton dimension 1",
            "x = torch.randn(4, 8)",
            "x = torch.randn(4, 16)",
        ),
        (
            "Sizes of tensors must match except in dimension 1. Expected size 3 but got size 4 for tensor number 1 in "
            "the list.",
            "x = torch.randn(2, 5, 4)",
            "x = torch.randn(2, 5, 3)",
        ),
        (
            "Expected size for first two dimensions of batch2 tensor to be: [4, 5] but got: [4, 6].",
            "x = torch.randn(4, 6, 3)",
            "x = torch.randn(4, 5, 3)",
        ),
        (
            "stack expects each tensor to be equal size, but got [4, 8] at entry 0 and [4, 16] at entry 1",
            "x = torch.randn(4, 16)",
            "x = torch.randn(4, 8)",
        ),
        (
            "Expected hidden[0] size (1, 4, 4), got [1, 3, 4]",
            "x = torch.zeros(1, 3, 4)",
            "x = torch.zeros(1, 4, 4)",
        ),
        (
            "split_with_sizes expects split_sizes to sum exactly to 8 (input tensor's size at dimension -1), but got "
            "split_sizes=[4, 8]",
            "x = torch.randn(4, 8)",
            "x = torch.randn(4, 12)",
        ),
        ("shape '[-1, 5]' is invalid for input of size 48", "x = torch.randn(4, 12)", "x = torch.randn(4, 60)"),
        (
            "Expected input batch_size (8) to match target batch_size (4).",
            "x = torch.randn(4, 3)",
            "x = torch.randn(8, 3)",
        ),
        # maps that are too small
        (
            "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't be greater "
            "than actual input size",
            "x = torch.randn(1, 3, 32, 32)",
            "x = torch.randn(1, 3, 64, 64)",
        ),
        (
            "Given input size: (32x1x8). Calculated output size: (32x0x4). Output size is too small",
            "x = torch.randn(4, 3, 32, 3)",
            "x = torch.randn(4, 64, 64, 3)",
        ),
        (
            "Argument #4: Padding size should be less than the corresponding input dimension, but got: padding "
            "(200, 200) at dimension 2 of input [1, 4, 4]",
            "x = torch.randn(4, 4)",
            "x = torch.randn(4, 512)",
        ),
        (
            "Expected more than 1 value per channel when training, got input size torch.Size([1, 8])",
            "x = torch.randn(1, 8)",
            "x = torch.randn(4, 8)",
        ),
        # numbers of axes
        (
            "Expected 3D (unbatched) or 4D (batched) input to conv2d, but got input of size: [4, 16]",
            "x = torch.randn(4, 16)",
            "x = torch.randn(4, 3, 32, 32)",
        ),
        ("expected 2D or 3D input (got 4D input)", "x = torch.randn(4, 3, 32, 16)", "x = torch.randn(4, 3, 16)"),
        (
            "Dimension out of range (expected to be in range of [-2, 1], but got 2)",
            "x = torch.randn(4, 3)",
            "x = torch.randn(4, 16, 3)",
        ),
        ("not enough values to unpack (expected 3, got 2)", "x = torch.randn(B, 3)", "x = torch.randn(B, 16, 3)"),
        ("too many values to unpack (expected 2)", "x = torch.randn(4, 3, 5)", "x = torch.randn(4, 5)"),
        ("too many indices for tensor of dimension 2", "x = torch.randn(4, 3)", "x = torch.randn(4, 16, 3)"),
        # what a tensor holds
        (
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            "torch.FloatTensor instead (while checking arguments for embedding)",
            "x = torch.randn(4, 16)",
            "x = torch.randint(0, 10, (4, 16))",
        ),
        ("expected scalar type Long but found Float", "x = T.rand(4)", "x = T.randint(0, 10, (4,))"),
        ("expected scalar type Long but found Float", "x = T.randint(0, 9, (4, 3))", "x = T.randn(4, 3)"),
        ("batch1 must be a 3D tensor", "x = torch.randn(4, 8)", "x = torch.randn(4, 16, 8)"),
        # a vector of which torch made a batch of one, and sizes that follow from others
        (
            "mat1 and mat2 shapes cannot be multiplied (1x4 and 8x32)",
            "x = torch.randn(4)",
            "x = torch.randn(4, 8)",
        ),
        (
            "expected input[1, 4, 32, 32] to have 3 channels, but got 4 channels instead",
            "x = torch.randn(4, 32, 32)",
            "x = torch.randn(4, 3, 32, 32)",
        ),
        ("running_mean should contain 24 elements not 18", "x = torch.randn(5, 4, 7)", "x = torch.randn(5, 3, 7)"),
        (
            "input has inconsistent input_size: got 37 expected 33",
            "x = torch.randn(16, 5)",
            "x = torch.randn(16, 1)",
        ),
        ("shape '[-1, 784]' is invalid for input of size 4", "x = torch.randn(4)", "x = torch.randn(4, 784)"),
        (
            "mat1 and mat2 must have the same dtype, but got Long and Float",
            "x = torch.randint(0, 7, (4, 16))",
            "x = torch.randn(4, 16)",
        ),
        (
            "masked_fill_ only supports boolean masks, but got mask with dtype float",
            "x = torch.randn(4)",
            "x = torch.ones(4, dtype=torch.bool)",
        ),
        ("all elements of input should be between 0 and 1", "x = torch.randn(4, 2)", "x = torch.rand(4, 2)"),
        # ids
        ("index out of range in self", "x = torch.randint(0, 10, (4,))", "x = torch.randint(0, 2, (4,))"),
        (
            "index 7 is out of bounds for dimension 0 with size 6",
            "x = torch.randint(0, 10, (2, 5))",
            "x = torch.randint(0, 6, (2, 5))",
        ),
        (
            "Expected input_lengths to have value at most 5, but got value 9",
            "x = torch.full((2,), 9)",
            "x = torch.full((2,), 6)",
        ),
        # mappings and records
        (
            "KeyError: 'mask'",
            "x = {'image': torch.randn(4, 3)}",
            "x = {'image': torch.randn(4, 3), 'mask': torch.ones(4, 16, dtype=torch.bool)}",
        ),
        (
            "'types.SimpleNamespace' object has no attribute 'hidden_size'".replace("types.", ""),
            "x = SimpleNamespace(n=2)",
            "x = SimpleNamespace(n=2, hidden_size=32)",
        ),
    ],
)
def test_the_likeliest_repair_is(error, before, after):
    assert mended(error, before)[0] == after


def test_an_argument_of_the_model_may_be_what_is_wrong():
    error = "mat1 and mat2 shapes cannot be multiplied (4x784 and 16x8)"
    assert "model = Net(n_in=784)" in mended(error, "model = Net(n_in=16)", "x = torch.randn(4, 28, 28)")


def test_where_no_size_is_written_the_usual_sides_of_images_are_tried():
    found = mended("mat1 and mat2 shapes cannot be multiplied (4x400 and 256x120)", "x = torch.randn(4, 1, 32, 32)")
    assert "x = torch.randn(4, 1, 28, 28)" in found


def test_what_is_wrong_further_in_may_follow_from_an_input_with_an_axis_too_many():
    error = "Got self.shape = [4, 4, 64] source.shape = [4, 4, 4, 64]"
    assert "x = torch.randint(0, 9, (4,))" in mended(error, "x = torch.randint(0, 9, (4, 4))")


def test_inputs_that_are_made_alike_are_changed_together_first():
    error = "expected input[2, 3, 8, 8] to have 1 channels, but got 3 channels instead"
    assert mended(error, "a = torch.randn(2, 3, 8, 8)", "b = torch.randn(2, 3, 8, 8)") == [
        "a = torch.randn(2, 1, 8, 8); b = torch.randn(2, 1, 8, 8)",
        "a = torch.randn(2, 1, 8, 8)",
        "b = torch.randn(2, 1, 8, 8)",
    ]


def test_a_tensor_becomes_an_array_of_numpy():
    assert mended("expected np.ndarray (got Tensor)", "x = torch.randn(4, 3)") == ["x = torch.randn(4, 3).numpy()"]


def test_a_batch_is_changed_in_all_inputs_first():
    error = "Expected more than 1 value per channel when training, got input size torch.Size([1, 8])"
    assert mended(error, "x = torch.randn(1, 8)", "y = torch.randn(1, 2)")[0] == (
        "x = torch.randn(4, 8); y = torch.randn(4, 2)"
    )


def test_arguments_that_are_missing_are_added_by_their_names():
    error = "Net.forward() missing 2 required positional arguments: 'mask' and 'lengths'"
    assert mended(error, "x = torch.randn(8, 3)") == [
        "out = model(x, mask=torch.ones(8, 16, dtype=torch.bool), lengths=torch.randint(0, 10, (8,)))"
    ]
    error = "Net.__init__() missing 1 required positional argument: 'num_heads'"
    assert mended(error, "model = Net()") == ["model = Net(num_heads=4)"]


def test_arguments_that_are_not_taken_are_left_out():
    error = "Net.__init__() got an unexpected keyword argument 'bias'"
    assert mended(error, "model = Net(3, bias=True, act=None)") == ["model = Net(3, act=None)"]
    assert mended("Net.forward() takes 2 positional arguments but 3 were given", call="model(x, y)") == [
        "out = model(x)"
    ]


def test_a_loss_of_several_numbers_is_averaged():
    assert mended("The loss has shape 4x3, not one number.") == ["return model, loss.mean()"]


def test_no_input_grows_beyond_measure():
    error = "Given input size: (8x1x1). Calculated output size: (8x0x0). Output size is too small"
    assert mended(error, "x = torch.randn(4, 3, 512, 512)") == ["x = torch.randn(4, 3, 1024, 1024)"]


@pytest.mark.parametrize(
    ("kind", "part"), [("tuple", "out[0]"), ("list", "out[0]"), ("dict", "next(iter(out.values()))")]
)
def test_a_loss_of_a_whole_output_becomes_that_of_a_part(kind, part):
    error = f"TypeError: randn_like(): argument 'input' (position 1) must be Tensor, not {kind}"
    text = "def gradflow_probe():\n    out = model(x)\n    return model, mse_loss(out, torch.randn_like(out))\n"
    assert repairs(text, error)[0] == text.replace(
        "(out, torch.randn_like(out))", f"({part}, torch.randn_like({part}))"
    )


def test_an_error_that_tells_nothing_is_left_alone():
    assert mended("ZeroDivisionError: division by zero", "x = torch.randn(4, 3)") == []


def test_text_that_does_not_parse_is_left_alone():
    assert repairs("def gradflow_probe(:\n", "index out of range in self") == []


ERRORS = st.sampled_from(
    [
        "mat1 and mat2 shapes cannot be multiplied ({0}x{1} and {2}x{3})",
        "expected input[{0}, {1}, {2}] to have {3} channels, but got {1} channels instead",
        "shape '[{0}, -1, {1}]' is invalid for input of size {2}",
        "Dimension out of range (expected to be in range of [-{1}, {0}], but got {2})",
        "not enough values to unpack (expected {0}, got {1})",
        "Given input size: ({0}x{1}x{2}). Calculated output size: ({0}x0x0). Output size is too small",
        "index {0} is out of bounds for dimension {1} with size {2}",
        "index out of range in self",
        "Got self.shape = [{0}, {1}] source.shape = [{2}]",
    ]
)
TENSORS = st.sampled_from(
    ["torch.randn(4, 3)", "torch.randn(ä, 3, 8, 8)", "torch.randint(0, n, (4,))", "torch.ones((), dtype=torch.bool)"]
)


@given(ERRORS, st.tuples(*[st.integers(0, 9)] * 4), st.lists(TENSORS, max_size=3))
@example("Got self.shape = [{0}, {1}] source.shape = [{2}]", (0, 0, 1, 0), ["torch.ones((), dtype=torch.bool)"])
def test_a_repaired_probe_always_parses_and_is_another_text(error, numbers, tensors):
    before = probe(*(f"x{at} = {tensor}  # é" for at, tensor in enumerate(tensors)))
    found = repairs(before, error.format(*numbers))
    assert before not in found and len(set(found)) == len(found)
    for text in found:
        ast.parse(text)


# Notes

NOTED = "def gradflow_probe():\n    # TODO: check the inputs\n    x = 1\n    # see below\n    return x\n"


def test_a_probe_that_runs_loses_its_notes_and_no_other_comment():
    assert without_notes(NOTED) == "def gradflow_probe():\n    x = 1\n    # see below\n    return x\n"


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_probe_that_does_not_run_has_the_reason_as_its_one_note(newline):
    text = with_note(f"\n\n{NOTED}".replace("\n", newline), "The probe raised KeyError: 'x' (line 3).")
    assert text.split(newline)[2:5] == [
        "def gradflow_probe():",
        "    # TODO: The probe raised KeyError: 'x' (line 3).",
        "    x = 1",
    ]


def test_nothing_is_dropped_where_dropout_overwrites_what_the_backward_needs():
    error = "one of the variables needed for gradient computation has been modified by an inplace operation"
    assert mended(error, "model = Net(dim=3, dropout=0.1)") == ["model = Net(dim=3, dropout=0.0)"]


def test_all_inputs_become_arrays_where_the_code_reckons_with_both():
    error = "unsupported operand type(s) for *=: 'numpy.ndarray' and 'Tensor'"
    lines = ("x = torch.randn(4, 3)", "y = torch.randn(4, 2)")
    assert "x = torch.randn(4, 3).numpy(); y = torch.randn(4, 2).numpy()" in mended(error, *lines)


def test_a_map_is_enlarged_where_a_window_over_it_has_no_size():
    assert mended("stride should not be zero", "x = torch.randn(4, 3, 8, 8)")[0] == "x = torch.randn(4, 3, 16, 16)"
