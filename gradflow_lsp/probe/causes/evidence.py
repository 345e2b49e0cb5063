"""All that a run found out, gathered for the functions that look for causes; and the form in which they answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from ..backward import ParameterFacts
from ..definitions import Definitions
from ..explaining import Explained
from ..flow import Flow
from ..graph import Graph, Node
from ..outcome import Outcome
from ..report import Location, Related
from ..sites import Site
from ..tracing import Op, Tracer
from ..verdicts import Judgement


@dataclass(frozen=True)
class Place:
    """A user's expression; `in_package` says that what ran was an installed package's code, which it had called."""

    location: Location
    in_package: bool = False


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

    `explained` is there only when a second backward was made; `awake` only when the probe was replayed: the parameters
    whose zero or vanishing gradient appears once the others have moved a little.
    """

    outcome: Outcome
    facts: Sequence[ParameterFacts]
    judgements: dict[str, Judgement]
    definitions: Definitions
    tracer: Tracer
    flow: Flow
    graph: Graph
    probe_location: Location
    explained: Explained | None = None
    awake: set[str] | None = None

    def with_verdict(self, verdict: str) -> list[ParameterFacts]:
        """The parameters judged so."""
        return [fact for fact in self.facts if self.judgements[fact.name].verdict == verdict]

    def definition(self, fact: ParameterFacts) -> Place:
        """Where the parameter's layer is written: its own creation, else its module's, else an outer module's."""
        site = self.definitions.parameter_site(fact.tensor) or self.definitions.module_site(fact.parameter.owner)
        if site is None:
            site = next(filter(None, map(self.definitions.module_site, self._outer_modules(fact))), None)
        return self.at(site)

    def at(self, site: Site | None) -> Place:
        """The place of a site; the probe itself where none was seen."""
        return Place(self.probe_location) if site is None else Place(site.location(), site.in_package)

    def place(self, op: Op | None) -> Place:
        """The user's expression that ran an operation; the probe itself where none was seen."""
        return self.at(None if op is None else op.site)

    def node_place(self, node: Node) -> Place:
        """The user's expression that made an autograd node."""
        return self.place(self.graph.op(node))

    def parameter_of(self, tensor: torch.Tensor) -> ParameterFacts | None:
        """The model parameter that is this very tensor."""
        return next((fact for fact in self.facts if fact.tensor is tensor), None)

    def _outer_modules(self, fact: ParameterFacts) -> list[torch.nn.Module]:
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
