"""SGF as text: game trees, nodes, properties and their values. It knows no game."""

from __future__ import annotations

import re

from hedgerow.game import BadRecord
from hedgerow.record import MAX_RECORD_CHARS

Node = dict[str, list[str]]
"""The values of every property of a node."""
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]{1,20})|\[((?:[^\\\]]|\\.)*)\])", re.DOTALL)


def value(text: str) -> str:
    """A text as the value of a property.

    >>> value("c4]")
    'c4\\\\]'
    """
    return text.replace("\\", "\\\\").replace("]", "\\]")


def plain(text: str) -> str:
    """The text that a value stands for, on one line.

    >>> plain("c4\\\\]")
    'c4]'
    """
    whole = re.sub(r"\\(?:\r\n|\n\r|\n|\r)", "", text)
    return re.sub(r"\\(.)", r"\1", re.sub(r"[\n\r\t]", " ", whole)).strip()


def main_line(text: str) -> tuple[list[Node], list[str]]:
    """The nodes of the first line of play of the first tree, and notes about what else there is; raises BadRecord."""
    if len(text) > MAX_RECORD_CHARS:
        raise BadRecord(f"{len(text)} characters are too many; hint: a game has at most {MAX_RECORD_CHARS}")
    reader, at, text = _Reader(), 0, text.strip("\ufeff \t\r\n")
    end = len(text)
    while at < end:
        token = _TOKEN.match(text, at)
        if not token:
            raise BadRecord(
                f"line {1 + text.count(chr(10), 0, at)}: cannot read {text[at : at + 20]!r}; hint: this is no SGF"
            )
        reader.take(*token.groups())
        at = token.end()
    return reader.finished()


class _Reader:
    """Follows the brackets; keeps the nodes on the first branch of everything."""

    def __init__(self) -> None:
        self.nodes: list[Node] = []
        self.open: list[list[int]] = []  # for every open tree: whether it is on the first line, and its branches so far
        self.trees = self.branches = 0
        self.name = ""

    def take(self, mark: str | None, name: str | None, text: str | None) -> None:
        if mark == "(":
            self._begin()
        elif not self.open:
            raise BadRecord("there is something outside the tree; hint: SGF is like (;FF[4];B[c3])")
        elif mark == ")":
            self.open.pop()
        elif mark == ";":
            self.name = ""
            if self.open[-1][0]:
                self.nodes.append({})
        elif name is not None:
            self.name = "".join(letter for letter in name if letter.isupper())  # as old writers spell them: BlackSpec
        elif self.open[-1][0]:
            if not self.nodes or not self.name:
                raise BadRecord(f"a value {text!r:.20} of nothing; hint: a node is like ;B[c3]")
            self.nodes[-1].setdefault(self.name, []).append(plain(text or ""))

    def _begin(self) -> None:
        if not self.open:
            self.trees += 1
            self.open.append([int(self.trees == 1), 0])
            return
        parent = self.open[-1]
        parent[1] += 1
        self.branches += parent[1] > 1
        self.open.append([int(parent[0] and parent[1] == 1), 0])

    def finished(self) -> tuple[list[Node], list[str]]:
        if self.open or not self.nodes:
            raise BadRecord("the tree does not end; hint: every ( has its )")
        notes = [f"of {self.trees} games the first was read"] if self.trees > 1 else []
        notes += [f"variations were left out: {self.branches}"] if self.branches else []
        return self.nodes, notes
