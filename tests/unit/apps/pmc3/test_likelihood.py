"""The likelihood against closed forms and brute force, the chain against its prior."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from striate.apps.pmc3 import chain
from striate.apps.pmc3.likelihood import Likelihood
from striate.apps.pmc3.line_sizes import tree_line
from striate.apps.pmc3.model import SubstitutionModel, gamma_rates
from striate.apps.pmc3.nexus import Matrix, parse_nexus, random_matrix
from striate.apps.pmc3.tree import Tree, random_tree
from striate.errors import WorkloadError

GTR = SubstitutionModel((0.1, 0.3, 0.05, 0.15, 0.3, 0.1), (0.3, 0.25, 0.15, 0.3), alpha=0.5)


def simplex(count):
    return st.lists(st.floats(0.05, 1), min_size=count, max_size=count).map(
        lambda values: tuple(value / sum(values) for value in values)
    )


models = st.builds(SubstitutionModel, simplex(6), simplex(4), st.none() | st.floats(0.1, 20))


@given(st.floats(1e-6, 5))
def test_jc69_changes_by_its_closed_form(length):
    chances = SubstitutionModel().transitions(np.array([length]))[0, 0]
    same = 1 / 4 + 3 / 4 * math.exp(-4 / 3 * length)  # Jukes and Cantor (1969)

    assert np.allclose(np.diag(chances), same)
    assert np.allclose(chances[0, 1:], (1 - same) / 3)


@given(models, st.floats(1e-4, 3), st.floats(1e-4, 3))
def test_transitions_keep_probability_balance_and_time(model, first, second):
    one, two, both = (model.transitions(np.array([length])) for length in (first, second, first + second))

    assert np.allclose(one.sum(axis=-1), 1)
    assert np.allclose(one @ two, both)  # Chapman and Kolmogorov
    flow = np.array(model.frequencies)[:, None] * one[0]
    assert np.allclose(flow, np.swapaxes(flow, -1, -2))  # detailed balance


@given(st.floats(0.05, 50), st.integers(1, 8))
def test_rates_over_sites_have_mean_one_and_grow(alpha, classes):
    rates = gamma_rates(alpha, classes)

    assert rates.mean() == pytest.approx(1)
    assert (np.diff(rates) > 0).all()


def test_rates_of_four_classes_are_yangs():
    # Yang (1994), table 1: alpha = 0.5, four classes, means
    assert gamma_rates(0.5, 4) == pytest.approx([0.0334, 0.2519, 0.8203, 2.8944], abs=2e-4)


def brute_force(matrix, tree, model):
    """Sum over every assignment of states to the inner nodes, one site and one class at a time."""
    chances = model.transitions(np.array(tree.lengths))
    total = 0.0
    for site in range(matrix.sites):
        leaf_states = [[s for s in range(4) if matrix.states[t, site] >> s & 1] for t in range(matrix.taxa)]
        probability = 0.0
        for rates in range(len(model.site_rates)):
            for inner in product(range(4), repeat=tree.leaves - 2):
                for leaves in product(*leaf_states):
                    states = (*leaves, *inner)
                    term = model.frequencies[states[tree.top]]
                    for node, parent in enumerate(tree.parents[:-1]):
                        term *= chances[node, rates, states[parent], states[node]]
                    probability += term / len(model.site_rates)
        total += math.log(probability)
    return total


@settings(max_examples=15)
@given(st.integers(3, 5), models, st.integers(0, 2**32))
def test_pruning_is_the_sum_over_all_histories(taxa, model, seed):
    random = np.random.default_rng(seed)
    letters = random.choice([1, 2, 4, 8, 5, 15], (taxa, 3), p=[0.23, 0.23, 0.23, 0.23, 0.04, 0.04])
    matrix = Matrix(tuple("abcde"[:taxa]), letters.astype(np.uint8))
    tree = random_tree(taxa, random)
    for node in range(len(tree.lengths) - 1):
        tree = tree.with_length(node, float(random.exponential(0.3)))

    assert Likelihood(matrix).log(tree, model) == pytest.approx(brute_force(matrix, tree, model), rel=1e-10)


def test_a_thousand_taxa_do_not_underflow():
    matrix = parse_nexus(random_matrix(1000, 5, seed=1))
    value = Likelihood(matrix).log(random_tree(1000, np.random.default_rng(1)), GTR)

    assert math.isfinite(value)
    assert value < 5 * 1000 * math.log(1 / 4) * 0.5


def test_missing_data_are_certain():
    matrix = Matrix(("a", "b", "c"), np.full((3, 7), 15, np.uint8))

    assert Likelihood(matrix).log(random_tree(3, np.random.default_rng(1)), GTR) == pytest.approx(
        0, abs=1e-12
    )


@given(st.integers(3, 40), st.integers(0, 2**32))
def test_a_trees_text_has_the_length_that_is_reserved_for_it(leaves, seed):
    tree = random_tree(leaves, np.random.default_rng(seed))
    line = f"   tree gen.7 = [&U] {tree.newick()};\n"

    assert len(line) == tree_line(leaves, 7)
    assert line.count("(") == line.count(")") == leaves - 2


@given(st.integers(4, 12), st.integers(0, 2**32))
def test_an_interchange_is_a_binary_tree_with_one_other_branch(leaves, seed):
    random = np.random.default_rng(seed)
    tree = random_tree(leaves, random)
    moved, _, log_hastings = chain._interchange(tree, SubstitutionModel(), random)

    assert log_hastings == 0
    assert sorted(len(nodes) for nodes in moved.children) == sorted(len(nodes) for nodes in tree.children)
    assert len(moved.inner_bottom_up) == leaves - 2
    assert len(tree.splits() ^ moved.splits()) == 2  # one inner branch exchanged for another


def prior_samples(kind, leaves, steps, seed):
    """A chain that sees no data: it must sample its prior."""
    random = np.random.default_rng(seed)
    state = chain.start(kind, leaves, lambda tree, model: 0.0, random)
    for _ in range(steps):
        state = chain.step(state, 1.0, lambda tree, model: 0.0, random).state
        yield state


def test_without_data_the_chain_samples_its_prior():
    states = list(prior_samples("gtr+g", 5, 60_000, seed=4))[1000:]
    lengths = np.array([state.tree.lengths[0] for state in states])
    topologies = Counter(state.tree.splits() for state in states)

    assert lengths.mean() == pytest.approx(1 / 10, rel=0.1)
    assert np.quantile(lengths, 0.9) == pytest.approx(math.log(10) / 10, rel=0.1)
    assert len(topologies) == 15  # all unrooted trees of five leaves
    assert max(topologies.values()) < 1.6 * len(states) / 15
    assert min(topologies.values()) > 0.55 * len(states) / 15
    assert np.mean([state.model.alpha for state in states]) == pytest.approx(1, rel=0.2)
    assert np.mean([state.model.frequencies[0] for state in states]) == pytest.approx(1 / 4, rel=0.1)
    assert np.var([state.model.frequencies[0] for state in states]) == pytest.approx(3 / 80, rel=0.2)


@pytest.mark.parametrize(
    "call",
    [
        lambda: SubstitutionModel(rates=(1.0,) * 6),
        lambda: SubstitutionModel(frequencies=(0.5, 0.5, 0.0, 0.0)),
        lambda: SubstitutionModel(alpha=0.0),
        lambda: random_tree(2, np.random.default_rng(1)),
    ],
)
def test_models_and_trees_that_cannot_be_are_refused(call):
    with pytest.raises(WorkloadError, match="expected"):
        call()


def test_a_tree_knows_its_splits():
    tree = Tree((4, 4, 5, 5, 5, -1), (0.1,) * 5 + (0.0,))  # leaves 0 1 under node 4; 2 3 at the top

    assert tree.splits() == frozenset([frozenset([2, 3])])
    assert tree.newick(1) == "(3:1.0e-01,4:1.0e-01,(1:1.0e-01,2:1.0e-01):1.0e-01)"
