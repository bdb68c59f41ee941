"""Shadow cells: who touched a cell of memory last, and when.

In: a number of cells. Out: `Shadow`, columns of *stamps* (see `races`; 0 is nobody): the last plain writer, two
readers and two atomic accesses since. Two are enough: of two unordered accesses by different threads at least one
conflicts with whoever is ordered behind neither. Columns exist when first used. An array too large to be shadowed
cell by cell gets rows for the cells that are touched.
Non-goals: what conflicts with what.
"""

from __future__ import annotations

import numpy as np

DENSE = 1 << 26
"""Up to so many cells a column has one entry a cell (the system gives pages as they are touched)."""


class Shadow:
    __slots__ = ("_rows", "atomics", "readers", "size", "writer")

    def __init__(self, size: int) -> None:
        self.size = size
        self._rows: dict[int, int] | None = None if size <= DENSE else {}
        self.writer: np.ndarray | None = None
        self.readers: list[np.ndarray | None] = [None, None]
        self.atomics: list[np.ndarray | None] = [None, None]

    def rows(self, cells: np.ndarray) -> np.ndarray:
        """Where the columns keep what they know of cells."""
        if self._rows is None:
            return cells
        distinct, inverse = np.unique(cells, return_inverse=True)
        rows = np.array([self._rows.setdefault(cell, len(self._rows)) for cell in distinct.tolist()], np.int64)
        self._grow()
        return rows[inverse]

    def _grow(self) -> None:
        assert self._rows is not None
        self.writer = self._grown(self.writer)
        self.readers = [self._grown(column) for column in self.readers]
        self.atomics = [self._grown(column) for column in self.atomics]

    def _grown(self, column: np.ndarray | None) -> np.ndarray | None:
        assert self._rows is not None
        if column is None or len(column) >= len(self._rows):
            return column
        return np.concatenate([column, np.zeros(max(len(self._rows), 1024), np.int64)])

    def _column(self) -> np.ndarray:
        return np.zeros(self.size if self._rows is None else max(1024, 2 * len(self._rows)), np.int64)

    def written(self) -> np.ndarray:
        if self.writer is None:
            self.writer = self._column()
        return self.writer

    def pair(self, which: list[np.ndarray | None], slot: int) -> np.ndarray:
        """A column of `readers` or `atomics`, made if it does not exist."""
        column = which[slot]
        if column is None:
            column = which[slot] = self._column()
        return column

    def initialised(self, rows: np.ndarray) -> np.ndarray:
        """Which cells some thread has written in this launch."""
        known = np.zeros(len(rows), bool)
        for column in (self.writer, *self.atomics):
            if column is not None:
                known |= column[rows] != 0
        return known
