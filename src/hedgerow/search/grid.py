"""The board of some rules as an image of H x W cells, and the places of actions in what a network answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.game import Rules


class Grid:
    """Where points and actions lie: planes of actions one after the other, each H x W, then the extras.

    >>> from hedgerow.match import Match
    >>> grid = Grid(Match("root_bound(side=3)").rules)
    >>> grid.height, grid.width, grid.answers, grid.features
    (5, 5, 26, 18)
    """

    def __init__(self, rules: Rules[Any]) -> None:
        board, actions = rules.board, rules.actions
        self.height, self.width = board.height, board.width
        self.size = self.height * self.width
        """How many cells the image has."""
        self.cells = np.array([row * self.width + column for row, column in board.cells], np.uint16)
        """The place of every point in the image."""
        self.masked = len(self.cells) < self.size
        """Some cells are no points."""
        self.planes, self.extras = len(actions.planes), len(actions.extras)
        self.answers = self.planes * self.size + self.extras
        """How many numbers tell what to play."""
        self.own = len(rules.fast.features)
        self.features = self.own + self.planes + 3 + rules.players
        self.places = np.array([self._place(rules, action) for action in range(actions.size)], np.int32)
        """The place of every action in an answer."""

    def _place(self, rules: Rules[Any], action: int) -> int:
        plane, point = rules.actions.split(action)
        return plane * self.size + (point if plane == self.planes else int(self.cells[point]))

    def turned_points(self, symmetry: Any) -> np.ndarray:
        """int64 (cells,): from which cell the content of each cell comes when the board is turned."""
        source = np.arange(self.size)
        source[self.cells[list(symmetry.points)]] = self.cells
        return source

    def turned_answers(self, rules: Rules[Any], symmetry: Any) -> np.ndarray:
        """int64 (answers,): the same for what a network answers."""
        source = np.arange(self.answers)
        turned = [rules.actions.turned(action, symmetry) for action in range(rules.actions.size)]
        source[self.places[turned]] = self.places
        return source

    def turned_features(self, rules: Rules[Any], symmetry: Any) -> np.ndarray:
        """int64 (features * cells,): the same for what a network sees; planes of legal actions may change places."""
        points, planes = self.turned_points(symmetry), np.arange(self.features)
        if rules.actions.directed:
            planes[self.own + np.array(symmetry.directions)] = self.own + np.arange(self.planes)
        return np.asarray((planes[:, None] * self.size + points[None, :]).reshape(-1))
