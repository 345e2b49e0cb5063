"""Where layers are defined: this file plays the user's code."""

import copy
import sys

import pytest
import torch
from torch import nn

from gradflow_lsp.probe.definitions import Definitions
from gradflow_lsp.probe.sites import SiteRecorder

from .reading import text_at

pytestmark = pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")


class Scaled(nn.Linear):
    def __init__(self, size):
        super().__init__(size, size)
        self.gain = nn.Parameter(torch.ones(size))


@pytest.fixture
def definitions():
    with Definitions(SiteRecorder(lambda path: path == __file__)) as definitions:
        yield definitions


@pytest.fixture
def defined(definitions):
    """The expressions that define a parameter, from the innermost outwards."""

    def defined(parameter):
        site = definitions.parameter_site(parameter)
        return [text_at(at.location()) for at in site.chain()]

    return defined


def test_a_layer_is_defined_by_its_call(defined):
    layer = nn.Linear(2, 3)
    assert defined(layer.weight) == defined(layer.bias) == ["nn.Linear(2, 3)"]


def test_layers_of_one_sequential_each_have_their_own_call(defined):
    model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    assert [defined(layer.weight)[0] for layer in model] == ["nn.Linear(2, 3)", "nn.Linear(3, 1)"]


def test_layers_of_a_loop_share_their_call(defined):
    model = [nn.Linear(2, n) for n in (3, 4)]
    assert [defined(layer.weight)[0] for layer in model] == ["nn.Linear(2, n)"] * 2


def test_a_factory_is_the_place_and_its_caller_is_related(defined):
    def block(size):
        return nn.Linear(size, size)

    layer = block(3)
    assert defined(layer.weight) == ["nn.Linear(size, size)", "block(3)"]


def test_a_parameter_of_the_users_module_is_its_own_expression(defined):
    layer = Scaled(2)
    assert defined(layer.gain) == ["nn.Parameter(torch.ones(size))", "Scaled(2)"]


def test_super_init_is_passed_over_for_the_call_that_constructs_the_subclass(defined):
    layer = Scaled(2)
    assert defined(layer.weight) == ["Scaled(2)"]


def test_what_torch_builds_inside_is_defined_by_the_call_of_torch(defined):
    attention = nn.MultiheadAttention(4, 2)
    assert defined(attention.out_proj.weight) == ["nn.MultiheadAttention(4, 2)"]


def test_a_copy_is_defined_where_it_is_copied(defined):
    layer = nn.Linear(2, 3)
    twin = copy.deepcopy(layer)
    assert defined(twin.weight) == ["copy.deepcopy(layer)"]


def test_a_replaced_parameter_is_defined_where_it_was_made(defined):
    layer = nn.Linear(2, 3)
    layer.weight = nn.Parameter(torch.zeros(3, 2))
    assert defined(layer.weight) == ["nn.Parameter(torch.zeros(3, 2))"]


def test_a_lazy_layer_keeps_its_definition_when_it_gets_its_size(defined):
    layer = nn.LazyLinear(3)
    layer(torch.ones(1, 2))
    assert defined(layer.weight) == ["nn.LazyLinear(3)"]


def test_modules_without_parameters_have_a_place_too(definitions):
    activation = nn.ReLU()
    assert text_at(definitions.module_site(activation).location()) == "nn.ReLU()"
    assert activation in list(definitions.modules())


def test_what_was_made_before_has_no_place():
    layer = nn.Linear(2, 3)
    with Definitions(SiteRecorder(lambda path: path == __file__)) as definitions:
        assert definitions.parameter_site(layer.weight) is None
        assert definitions.module_site(layer) is None


def test_the_order_counts_from_the_beginning_of_the_probe(definitions):
    before = nn.Linear(2, 3)
    definitions.begin_probe()
    layer = nn.Linear(2, 3)
    assert [definitions.order(p) for p in (before.weight, layer.weight, layer.bias)] == [None, 0, 1]
    assert list(map(id, definitions.parameters())) == [id(layer.weight), id(layer.bias)]


def test_a_parameter_knows_the_modules_whose_code_made_it(definitions):
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.scaled = Scaled(2)

    net, other = Net(), nn.Linear(2, 3)
    assert definitions.made_within(net.scaled.gain, {id(net.scaled)})
    assert definitions.made_within(net.scaled.gain, {id(net)})
    assert not definitions.made_within(net.scaled.gain, {id(other)})
    assert not definitions.made_within(nn.Parameter(torch.ones(1)), {id(net), id(other)})


def test_a_parameter_that_was_taken_out_is_still_known_by_its_name(definitions):
    layer = nn.Linear(2, 3)
    weight = layer.weight
    del layer.weight
    registered = definitions.registered_as(weight)
    assert (registered.module(), registered.class_name, registered.name) == (layer, "Linear", "weight")


def test_a_parameter_made_of_a_computed_tensor_is_told(definitions):
    told = []
    definitions.on_rewrap = lambda parameter, data, site: told.append(text_at(site.location()))
    weight = torch.ones(2, requires_grad=True)
    nn.Parameter(weight)
    nn.Parameter(weight * 2)
    assert told == ["nn.Parameter(weight * 2)"]


def test_a_layer_is_kept_alive_for_the_length_of_the_probe_only(definitions):
    definitions.begin_probe()
    layer = nn.Linear(2, 3)
    del layer
    assert [type(module) for module in definitions.modules()] == [nn.Linear]
    definitions.end_probe()
    assert list(definitions.modules()) == []
    assert list(definitions.parameters()) == []


def test_torch_is_put_back_as_it_was():
    before = nn.Parameter.__new__, nn.Module.__init__
    with pytest.raises(ZeroDivisionError), Definitions.unlocated():
        assert (nn.Parameter.__new__, nn.Module.__init__) != before
        _ = 1 / 0
    assert (nn.Parameter.__new__, nn.Module.__init__) == before
    assert not nn.modules.module._global_parameter_registration_hooks


def test_what_the_users_code_has_put_in_the_place_of_torchs_own_stays():
    init = nn.Module.__init__
    with Definitions.unlocated():
        inner = nn.Module.__init__

        def patched(self, *args, **kwargs):
            inner(self, *args, **kwargs)

        nn.Module.__init__ = patched
    try:
        assert nn.Module.__init__ is patched
        assert nn.Linear(1, 1).in_features == 1
    finally:
        nn.Module.__init__ = init
