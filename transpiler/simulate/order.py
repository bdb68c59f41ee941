"""Which accesses barriers order: a clock a lane, and how far back others are known to have finished.

In: the barriers that lanes pass. Out: `Clocks`. Each lane has a time that every barrier it passes advances. An access
by another thread at time `t` comes before what a lane does now if `t < floor`, where the floor is that of the
narrowest group that holds both threads: the warp's last `syncwarp`, the block's last barrier, the launch's last grid
barrier.
Non-goals: fences and atomics (`releases`).
"""

from __future__ import annotations

import numpy as np

from transpiler.simulate.lanes import WARP, Chunk, Lanes


class Clocks:
    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.time = np.zeros(chunk.width, np.int64)
        self.warp_floor = np.zeros(chunk.width, np.int64)
        self.block_floor = np.zeros(chunk.width, np.int64)
        self.grid_floor = 0
        self.warps_met = False
        """Has there been a barrier of warps: only then can `warp_floor` be ahead of `block_floor`."""
        self.mates: np.ndarray | None = None
        """Floors against each lane of the own warp, where a part of a warp met."""

    def block_barrier(self, lanes: Lanes) -> None:
        """Lanes meet, block by block."""
        blocks = self.chunk.block_of(lanes)
        latest = np.zeros(self.chunk.blocks, np.int64)
        np.maximum.at(latest, blocks, self.time[lanes.at])
        now = latest[blocks] + 1
        self.time[lanes.at] = self.block_floor[lanes.at] = self.warp_floor[lanes.at] = now

    def grid_barrier(self) -> None:
        now = int(self.time.max()) + 1
        self.time[:] = self.block_floor[:] = self.warp_floor[:] = now
        self.grid_floor = now

    def warp_barrier(self, lanes: Lanes, groups: np.ndarray, whole: np.ndarray) -> None:
        """Lanes with the same group number (one warp's) meet; `whole` tells whether the group is all its warp has."""
        latest = np.zeros(int(groups.max()) + 1, np.int64)
        np.maximum.at(latest, groups, self.time[lanes.at])
        now = latest[groups] + 1
        ids = lanes.ids
        self.warps_met = True
        if whole.all():
            self.time[ids] = self.warp_floor[ids] = now
            return
        mates = self._known_mates()
        slots = self.chunk.variable("laneid", 0, lanes)
        for group in np.unique(groups):
            members = np.flatnonzero(groups == group)
            known = mates[ids[members]].max(axis=0)
            known[slots[members]] = now[members]
            mates[ids[members]] = known
        self.time[ids] = now
        self.warp_floor[ids[whole]] = now[whole]

    def _known_mates(self) -> np.ndarray:
        if self.mates is None:
            self.mates = np.zeros((self.chunk.width, WARP), np.int64)
        return self.mates

    def advance(self, lane: int) -> int:
        """One lane alone goes on to its next time (it publishes what came before); the time that ends."""
        ended = int(self.time[lane])
        self.time[lane] = ended + 1
        return ended
