"""All that a run found out, gathered for the functions that look for causes; and the form in which they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FunctionType

import torch

from ..backward import ParameterFacts
from ..births import Births
from ..definitions import Definitions
from ..explaining import Explained
from ..extremes import Extremes
from ..flow import Flow
from ..graph import Graph, Node
from ..ops import Op
from ..outcome import Outcome
from ..report import Location, Related
from ..sites import Site
from ..tracing import Tracer
from ..verdicts import Judgement


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
    """The facts of one run.

    `read_as_left` says that the gradients are those of the probe's own backward, since the graph is gone.
    `explained` is there only when a second backward was made; `awake` only when the probe was replayed: the parameters
    whose zero or vanishing gradient appears once the others have moved a little. `births` and `extremes` come of a
    second call of the probe, `births` only of one that was made to see where NaN or Inf came from.
    """

    outcome: Outcome
    facts: Sequence[ParameterFacts]
    judgements: dict[str, Judgement]
    definitions: Definitions
    tracer: Tracer
    flow: Flow
    graph: Graph
    probe_location: Location
    read_as_left: bool = False
    explained: Explained | None = None
    awake: set[str] | None = None
    births: Births | None = None
    extremes: Extremes | None = None

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
        return Place(self.probe_location) if site is None else Place(site.location(), site.in_package, site)

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

    def op_at(self, index: int) -> Op | None:
        """The operation at a place of the trace."""
        return self.tracer.ops[index] if index < len(self.tracer.ops) else None

    def parameter_of(self, tensor: torch.Tensor) -> ParameterFacts | None:
        """The model parameter that is this very tensor."""
        return next((fact for fact in self.facts if fact.tensor is tensor), None)

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
