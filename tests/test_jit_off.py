"""Everything also runs with the JIT off, so that kernels can be debugged as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import numba
import numpy as np
import hedgerow as hg
from walks import walk

assert numba.config.DISABLE_JIT
np.seterr(over="ignore")
for name in sys.argv[1:]:
    rules = hg.make(name)
    states, plies = rules.fast.new(), 0
    for position, action in walk(rules, 1):
        assert rules.fast.unpack(states) == position, name
        assert np.flatnonzero(rules.fast.legal(states)[0]).tolist() == rules.legal(position), name
        if action is not None:
            rules.fast.play(states, [action])
            plies += 1
    assert rules.outcome(position) and plies > 3
    assert len(rules.fast.playouts(1).lengths) == 1
    assert rules.fast.perft(1) == len(rules.legal(rules.start()))
    print(name, plies)
match = hg.Match("hexbo(side=5)")
assert hg.player("net(visits=8)").choose(match) in match.legal()
"""

NAMES = [
    "hexbo(side=5)",
    "hexbo(side=5,players=3)",
    "tanbo(size=9)",
    "root_bound(side=4)",
    "root_bound(side=3,centerless=yes)",
    "rootbound(side=4)",
    "root_down",
    "root_and_thorn",
]


def test_with_the_jit_off() -> None:
    env = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(Path(__file__).parent)}
    found = subprocess.run([sys.executable, "-c", SCRIPT, *NAMES], env=env, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    assert [line.split()[0] for line in found.stdout.splitlines()] == NAMES
