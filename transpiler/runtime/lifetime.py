"""Keep the arguments of a launch alive until the device is done with them.

In: the stream of a launch and the objects whose memory it uses. Out: references held until an event behind the launch has passed.
Memory pools hand freed memory out again in the order of the stream that they serve, so a launch on that stream needs no
reference; this is for launches on another one. An event closes a batch of launches: few events, and little memory held long.
Non-goals: graphs, whose replays outlive any event: their owner keeps their arrays.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from transpiler.runtime.driver import Driver

BATCH_LAUNCHES = 16
BATCH_BYTES = 32 * 1024 * 1024


@dataclass(slots=True)
class _Queue:
    """What one stream holds: the open batch, and closed ones with their events, oldest first."""

    objects: list[Any] = field(default_factory=list)
    bytes: int = 0
    closed: deque[tuple[Any, list[Any]]] = field(default_factory=deque)


class Keeper:
    def __init__(self, driver: Driver) -> None:
        self._driver = driver
        self._lock = threading.Lock()
        self._queues: dict[int, _Queue] = {}
        self.waiting = False
        """Whether closed batches wait for their events."""

    def __len__(self) -> int:
        """Launches whose arguments are held."""
        queues = list(self._queues.values())
        return sum(len(q.objects) + sum(len(batch) for _, batch in q.closed) for q in queues)

    def hold(self, stream: int, objects: Any, size: int, event: Any = None) -> None:
        """Hold what the launch just given to `stream` uses: `size` bytes of memory.

        With an `event` behind the launch they are held until it has passed; without, a batch shares one.
        """
        with self._lock:
            queue = self._queues.setdefault(stream, _Queue())
            if event is not None:
                queue.closed.append((event, [*queue.objects, objects]))
                queue.objects, queue.bytes = [], 0
            else:
                queue.objects.append(objects)
                queue.bytes += size
                if len(queue.objects) >= BATCH_LAUNCHES or queue.bytes >= BATCH_BYTES:
                    queue.closed.append((self._driver.record(stream), queue.objects))
                    queue.objects, queue.bytes = [], 0
            released = self._passed()
        del released  # outside the lock: freeing an array may run any code

    def close(self, stream: int) -> None:
        """End the open batch of a stream, which may see no launch again."""
        with self._lock:
            queue = self._queues.get(stream)
            if queue is not None and queue.objects and not self._driver.capturing(stream):
                queue.closed.append((self._driver.record(stream), queue.objects))
                queue.objects, queue.bytes = [], 0

    def release(self) -> None:
        """Let go of what is done, now. Cheap callers test `waiting` first."""
        with self._lock:
            released = self._passed()
        del released

    def _passed(self) -> list[Any]:
        """Take out what is done; streams that hold nothing any more are forgotten."""
        done: list[Any] = []
        waiting = False
        for stream, queue in list(self._queues.items()):
            while queue.closed and self._driver.passed(queue.closed[0][0]):
                done.append(queue.closed.popleft())
            waiting = waiting or bool(queue.closed)
            if not queue.closed and not queue.objects:
                del self._queues[stream]
        self.waiting = waiting
        return done
