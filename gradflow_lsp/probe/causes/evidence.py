"""All that a run found out, gathered for the functions that look for causes; and the form in which they answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from types import FunctionType

import torch

from ..backward import ParameterFacts
from ..births import Births
from ..definitions import Definitions
from ..explaining import Explained
from ..extremes import Extremes
from ..flow import Flow
from ..graph import Graph, Node
from ..measuring import Gradient
from ..ops import Op
from ..outcome import Outcome, leaves_below
from ..own_backward import OwnBackward
from ..report import Location, Related
from ..sites import Site
from ..tracing import Tracer
from ..verdicts import Judgement
from .walk import Walk, as_leaf


@dataclass(frozen=True)
class Place:
    """A user's expression; `in_package` says that what ran was an installed package's code, which it had called."""

    location: Location
    in_package: bool = False
    site: Site | None = field(default=None, compare=False)


@dataclass
class Explanation:
    """One cause for the parameters named: what the report will say of it.

    `planned` says that the flow starts as designed: the parameters wait for others that do learn.
    """

    kind: str
    message: str
    place: Place
    parameters: list[str]
    related: list[Related] = field(default_factory=list)
    planned: bool = False

    @property
    def location(self) -> Location:
        """The expression to blame."""
        return self.place.location


@dataclass
class Evidence:
    """The facts of one call of the probe.

    `loss_values`, the gradients of `facts` and, in the order of `other_leaves`, those of `other_gradients` are of the
    first call's one backward, whatever was seen later. `traced` says that its operations were recorded: they are
    `ops`, with those of the file's import. `read_as_left` says that the gradients are those of the probe's own
    backward, since the graph is gone. `explained` is there only where the backward was watched; `awake` only when the
    probe was replayed: the parameters whose zero or vanishing gradient appears once the others have moved a little.
    `births` and `extremes` come of a traced call, `births` only of one that was made to see where NaN or Inf came from.
    """

    outcome: Outcome
    definitions: Definitions
    tracer: Tracer
    traced: bool
    ops: Sequence[Op]
    frozen_at: Mapping[int, Site | None]
    own_backwards: Sequence[OwnBackward]
    probe_location: Location
    loss_values: Mapping[str, float] = field(default_factory=dict)
    facts: Sequence[ParameterFacts] = ()
    other_gradients: Sequence[Gradient | None] = ()
    judgements: Mapping[str, Judgement] = field(default_factory=dict)
    read_as_left: bool = False
    explained: Explained | None = None
    awake: set[str] | None = None
    births: Births | None = None
    extremes: Extremes | None = None

    @cached_property
    def flow(self) -> Flow:
        """The data flow of the trace."""
        find = self.tracer.tokens.find
        losses = [token for loss in self.outcome.losses.values() if (token := find(loss)) is not None]
        sources = [token for p in self.definitions.all_parameters() if (token := find(p)) is not None]
        return Flow(self.ops, losses, sources)

    @cached_property
    def graph(self) -> Graph:
        """The autograd graph below the losses."""
        return Graph(self.outcome.losses.values(), self.ops)

    @cached_property
    def walk(self) -> Walk | None:
        """Walks through that graph along what the explaining backward saw, if there was one."""
        return None if self.explained is None else Walk(self.graph, self.explained)

    @cached_property
    def leaves(self) -> list[torch.Tensor]:
        """The leaves of that graph."""
        return leaves_below(self.outcome.losses.values())

    @cached_property
    def other_leaves(self) -> list[torch.Tensor]:
        """The leaves that the losses reach and that are no registered parameters."""
        registered = {id(fact.tensor) for fact in self.facts}
        return [leaf for leaf in self.leaves if id(leaf) not in registered]

    def with_verdict(self, verdict: str) -> list[ParameterFacts]:
        """The parameters judged so."""
        return [fact for fact in self.facts if self.judgements[fact.name].verdict == verdict]

    def definition(self, fact: ParameterFacts) -> Place:
        """Where the parameter's layer is written: its own creation, else its module's, else an outer module's."""
        site = self.definitions.parameter_site(fact.tensor) or self.definitions.module_site(fact.parameter.owner)
        if site is None:
            site = next(filter(None, map(self.definitions.module_site, self.modules_around(fact))), None)
        return self.at(site)

    def at(self, site: Site | None) -> Place:
        """The place of a site; the probe itself where none was seen."""
        place = self._places.get(site)
        if place is None:
            place = Place(self.probe_location) if site is None else Place(site.location(), site.in_package, site)
            self._places[site] = place
        return place

    @cached_property
    def _places(self) -> dict[Site | None, Place]:
        """Many parameters and operations share one."""
        return {}

    def created(self, tensor: torch.Tensor) -> Place:
        """Where a parameter, or a plain tensor that requires grad, came into being."""
        token = self.tracer.tokens.find(tensor)
        maker = None if token is None else self.flow.producer(token)
        return self.at(self.definitions.parameter_site(tensor) or (None if maker is None else maker.site))

    def place(self, op: Op | None) -> Place:
        """The user's expression that ran an operation; the probe itself where none was seen."""
        return self.at(None if op is None else op.site)

    def node_place(self, node: Node) -> Place:
        """The user's expression that made an autograd node."""
        return self.place(self.graph.op(node))

    def hook_below(self, node: Node, edge: int) -> Place | None:
        """Where the user registered a hook on what `node` hands its gradient to along an edge."""
        below = node.next_functions[edge][0]
        targets = [target for target in (below, as_leaf(below)) if target is not None]
        sites = [site for hooked, site in self.tracer.hooked if any(hooked is target for target in targets)]
        return self.at(sites[-1]) if sites else None

    def last_write(self, tensor: torch.Tensor) -> Site | None:
        """The user's expression that last wrote a leaf's values, if it was seen."""
        token = self.tracer.tokens.find(tensor)
        return None if token is None else self._writes.get(token)

    @cached_property
    def _writes(self) -> dict[int, Site | None]:
        ops = [op for op in self.tracer.ops if op.name != "requires_grad_"]
        return {token: op.site for op in ops for token in op.outputs}

    def op_at(self, index: int) -> Op | None:
        """The operation at a place of the trace."""
        return self.tracer.ops[index] if index < len(self.tracer.ops) else None

    def parameter_of(self, tensor: torch.Tensor) -> ParameterFacts | None:
        """The model parameter that is this very tensor."""
        return self._facts_by_tensor.get(id(tensor))

    @cached_property
    def _facts_by_tensor(self) -> dict[int, ParameterFacts]:
        return {id(fact.tensor): fact for fact in self.facts}

    def methods(self) -> set[int]:
        """The ids of the code of all methods of the models' modules."""
        modules = (module for model in self.outcome.models.values() for module in model.modules())
        members = (member for module in modules for base in type(module).__mro__ for member in vars(base).values())
        return {id(member.__code__) for member in members if isinstance(member, FunctionType)}

    def modules_around(self, fact: ParameterFacts) -> list[torch.nn.Module]:
        """The modules that hold a parameter, from the one that registers it outwards."""
        modules: list[torch.nn.Module] = []
        for prefix, model in self.outcome.models.items():
            path = fact.parameter.module
            if prefix and not f"{path}.".startswith(f"{prefix}."):
                continue
            module = model
            modules.append(module)
            for part in path[len(prefix) :].strip(".").split("."):
                module = module._modules.get(part) or module
                modules.append(module)
        return modules[::-1]


def merge(explanations: Sequence[Explanation]) -> list[Explanation]:
    """Join explanations of one kind at one place; the first one's sentence stands."""
    merged: dict[tuple[str, Location], Explanation] = {}
    for new in explanations:
        old = merged.setdefault((new.kind, new.location), new)
        if old is not new:
            old.parameters += [name for name in new.parameters if name not in old.parameters]
            old.related += [related for related in new.related if related not in old.related]
            old.planned = old.planned and new.planned
            old.place = Place(old.location, old.place.in_package and new.place.in_package)
    return list(merged.values())
