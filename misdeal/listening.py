"""The readers of a table as a survey or an enrolment hears them: look by look."""

import random
from collections.abc import Callable, Sequence
from typing import Any

from firmware_bridge.bridge import Bridge
from firmware_bridge.polls import Poll
from firmware_bridge.session import Step
from firmware_bridge.wiring import ReaderSpec


class Listener(Bridge):
    """A bridge that hands on each look at each place, before any of it is believed.

    Readers, turns and time-outs are those of a table that is watched, and so is what is measured.

    Args:
        specs: The readers.
        on_poll: Takes each look, in order, from within the event loop; must not block.
        clock: Gives the time in nanoseconds.
        rng: Spreads the tries to reconnect.

    Raises:
        WiringError: If the readers cannot be wired so.
    """

    def __init__(
        self,
        specs: Sequence[ReaderSpec],
        *,
        on_poll: Callable[[Poll], None],
        clock: Callable[[], int],
        rng: random.Random,
    ) -> None:
        super().__init__(specs, (), emit=_ignore, clock=clock, rng=rng)
        self._on_poll = on_poll

    def follow(self, reader: Any, step: Step, now_ns: int) -> None:
        """Hand on the looks of a step before the bridge follows it."""
        for poll in step.polls:
            self._on_poll(poll)
        super().follow(reader, step, now_ns)


def _ignore(event: object) -> None:
    del event
