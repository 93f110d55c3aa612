"""The search tree under pressure: threads that share it never get the same nodes."""

from __future__ import annotations

import threading
from itertools import pairwise

import numpy as np
import pytest
from numba import njit

import hedgerow as hg
from hedgerow.search.knobs import Knobs
from hedgerow.search.tree import new_tree, reserve
from hedgerow.search.uct import Search

THREADS = 4
CAPACITY = 20_000
TRIES = 200_000


@njit(nogil=True)
def take(used, capacity, tries, firsts, sizes):
    """Reserves one node now and then, and in between far more than are left; writes down what it got."""
    got = 0
    for number in range(tries):
        size = 1 if number % 50 == 0 else capacity - 10
        first = reserve(used, size, capacity)
        if first >= 0:
            firsts[got], sizes[got] = first, size
            got += 1
    return got


def test_nodes_are_given_to_one_thread_alone_also_where_they_run_out() -> None:
    used = np.full(1, 100, np.int64)
    got: list[list[tuple[int, int]]] = [[] for _ in range(THREADS)]

    def work(number: int) -> None:
        firsts, sizes = np.zeros(TRIES, np.int64), np.zeros(TRIES, np.int64)
        count = take(used, CAPACITY, TRIES, firsts, sizes)
        got[number] = list(zip(firsts[:count].tolist(), sizes[:count].tolist()))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken = sorted(part for parts in got for part in parts)
    assert len(taken) == THREADS * TRIES // 50
    assert taken[0][0] == 100 and all(first + size == after for (first, size), (after, _) in pairwise(taken))
    assert sum(taken[-1]) == used[0] <= CAPACITY


@pytest.mark.parametrize("name", ["hexbo(side=5)", "root_bound(side=5)"])
def test_a_full_tree_is_still_a_tree(name: str) -> None:
    rules = hg.make(name)
    search = Search(rules, rules.start(), Knobs(expand=1), threads=THREADS, memory=1)
    search.capacity = 3000
    search._tree = tree = new_tree(search.capacity, rules.players, rules.actions.size)
    search.run(iterations=10_000)
    parents = np.zeros(len(tree.visits), np.int64)
    for node in range(int(tree.used[0])):
        if tree.children[node] > 0:
            parents[tree.first[node] : tree.first[node] + tree.children[node]] += 1
    assert parents[0] == 0 and (parents[1 : tree.used[0]] == 1).all() and (parents[tree.used[0] :] == 0).all()
    assert (tree.children != -2).all() and tree.used[0] > 2500


@pytest.mark.parametrize("name", ["hexbo(side=5)", "root_bound(side=5)", "hexbo(side=5,players=3)"])
def test_what_is_cut_off_late_leaves_the_same_tree(name: str) -> None:
    """Whether somebody looks after every action, or only after two of them."""
    rules = hg.make(name)
    knobs = Knobs(rave=300, explore=0.1)
    early, late = (Search(rules, rules.start(), knobs, seed=4, memory=64) for _ in range(2))
    for search in (early, late):
        search.run(iterations=20_000)
    for action in list(early.variation(2)):
        for search in (early, late):
            search.advance(action)
        assert early.tree.visits[0] > 0
    used = int(early.tree.used[0])
    assert used == late.tree.used[0] > 1 and early.choices() == late.choices()
    for field, one, other in zip(early.tree._fields, early.tree, late.tree):
        each = rules.players if field == "value" else 1
        assert np.array_equal(one[: each * used], other[: each * used]), field
    for search in (early, late):
        search.run(iterations=500)
    assert early.choices() == late.choices()
