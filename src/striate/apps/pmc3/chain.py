"""One Markov chain over trees and models: priors, proposals, and the rule that accepts them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from striate.apps.pmc3.model import EQUAL_FREQUENCIES, EQUAL_RATES, SubstitutionModel
from striate.apps.pmc3.tree import Tree, random_tree

BRANCH_RATE = (
    10.0  # branches are Exponential(10) beforehand, alpha Exponential(1), rates and frequencies flat
)
SHORTEST, LONGEST = 1e-8, 100.0
SMALLEST_SHARE = 1e-4  # of rates and frequencies
LARGEST_ALPHA = 200.0


@dataclass(frozen=True)
class ChainState:
    """Where a chain is, and how probable that is."""

    tree: Tree
    model: SubstitutionModel
    log_likelihood: float
    log_prior: float

    @property
    def log_posterior(self) -> float:
        return self.log_likelihood + self.log_prior


LogLikelihood = Callable[[Tree, SubstitutionModel], float]
Proposal = tuple[Tree, SubstitutionModel, float]  # and the logarithm of the Hastings ratio


def log_prior(tree: Tree, model: SubstitutionModel) -> float:
    """Logarithm of the prior density; topologies are all as likely, and the constant for that is left out."""
    branches = len(tree.lengths) - 1
    value = branches * math.log(BRANCH_RATE) - BRANCH_RATE * tree.length
    if model.alpha is not None:
        value += math.lgamma(6) + math.lgamma(4) - model.alpha
    return value


def start(kind: str, leaves: int, log_likelihood: LogLikelihood, random: np.random.Generator) -> ChainState:
    """A random tree under "jc69" or "gtr+g"."""
    model = (
        SubstitutionModel()
        if kind == "jc69"
        else SubstitutionModel(EQUAL_RATES, EQUAL_FREQUENCIES, alpha=1.0)
    )
    tree = random_tree(leaves, random)
    return ChainState(tree, model, log_likelihood(tree, model), log_prior(tree, model))


@dataclass(frozen=True)
class ChainStep:
    """Where a step led: another state, or the same one when the move was refused."""

    state: ChainState
    move: str
    accepted: bool


def step(
    state: ChainState, heat: float, log_likelihood: LogLikelihood, random: np.random.Generator
) -> ChainStep:
    """One Metropolis-Hastings step of a chain whose posterior is raised to the power `heat`."""
    move, (tree, model, log_hastings) = propose(state.tree, state.model, random)
    chance = math.log(1.0 - random.random())
    if math.isinf(log_hastings):
        return ChainStep(state, move, accepted=False)
    next_prior = log_prior(tree, model)
    proposed = ChainState(tree, model, log_likelihood(tree, model), next_prior)
    gain = heat * (proposed.log_posterior - state.log_posterior) + log_hastings
    return (
        ChainStep(proposed, move, accepted=True) if chance < gain else ChainStep(state, move, accepted=False)
    )


def propose(tree: Tree, model: SubstitutionModel, random: np.random.Generator) -> tuple[str, Proposal]:
    """One of the moves, by lot, and its name; a Hastings ratio of minus infinity marks a move out of bounds."""
    moves = [_stretch, _stretch, _interchange]
    if model.alpha is not None:
        moves += [_reshape, _exchange_rates, _exchange_frequencies]
    move = moves[int(random.integers(len(moves)))]
    return NAMES[move], move(tree, model, random)


def _stretch(tree: Tree, model: SubstitutionModel, random: np.random.Generator) -> Proposal:
    """Multiply one branch by a factor; the Hastings ratio of a multiplier is the factor itself."""
    node = int(random.integers(len(tree.lengths) - 1))
    log_factor = 2.0 * (random.random() - 0.5) * math.log(4.0)
    length = tree.lengths[node] * math.exp(log_factor)
    if not SHORTEST <= length <= LONGEST:
        return tree, model, -math.inf
    return tree.with_length(node, length), model, log_factor


def _interchange(tree: Tree, model: SubstitutionModel, random: np.random.Generator) -> Proposal:
    """Exchange the neighbours of one inner branch: a child below it with a sibling beside it (symmetric)."""
    inner = range(tree.leaves, tree.top)
    if not inner:
        return tree, model, -math.inf
    node = inner[int(random.integers(len(inner)))]
    children = tree.children[node]
    siblings = [other for other in tree.children[tree.parents[node]] if other != node]
    child = children[int(random.integers(len(children)))]
    return tree.interchanged(child, siblings[int(random.integers(len(siblings)))]), model, 0.0


def _reshape(tree: Tree, model: SubstitutionModel, random: np.random.Generator) -> Proposal:
    """Multiply alpha by a factor."""
    assert model.alpha is not None
    log_factor = 2.0 * (random.random() - 0.5) * math.log(2.0)
    alpha = model.alpha * math.exp(log_factor)
    if alpha > LARGEST_ALPHA or alpha < 1 / LARGEST_ALPHA:
        return tree, model, -math.inf
    return tree, replace(model, alpha=alpha), log_factor


def _exchange_rates(tree: Tree, model: SubstitutionModel, random: np.random.Generator) -> Proposal:
    shares, inside = _moved_share(model.rates, random)
    return (tree, replace(model, rates=shares), 0.0) if inside else (tree, model, -math.inf)


def _exchange_frequencies(tree: Tree, model: SubstitutionModel, random: np.random.Generator) -> Proposal:
    shares, inside = _moved_share(model.frequencies, random)
    return (tree, replace(model, frequencies=shares), 0.0) if inside else (tree, model, -math.inf)


def _moved_share(shares: tuple[float, ...], random: np.random.Generator) -> tuple[tuple[float, ...], bool]:
    """Move a little from one share to another (symmetric); False when one would become too small."""
    giver, taker = (int(index) for index in random.choice(len(shares), 2, replace=False))
    amount = 0.1 * random.random()
    moved = list(shares)
    moved[giver] -= amount
    moved[taker] += amount
    return tuple(moved), moved[giver] >= SMALLEST_SHARE


# Moves by the names that MrBayes gives to its own of that kind, and those of each model.
NAMES = {
    _stretch: "Multiplier(V)",
    _interchange: "NNI(Tau)",
    _reshape: "Multiplier(Alpha)",
    _exchange_rates: "Slider(Revmat)",
    _exchange_frequencies: "Slider(Pi)",
}
MOVES = {"jc69": tuple(NAMES.values())[:2], "gtr+g": tuple(NAMES.values())}
