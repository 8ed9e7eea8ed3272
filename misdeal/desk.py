"""The work at the pad: what is read goes to the enrolment, what that says is told.

Each card that is registered is kept before the next one is asked for. A card that can be asked for
its maker's signature is asked while it lies there.
"""

import asyncio
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from engine.cards import PACK, Place, Tag
from firmware_bridge.actuators import Gate
from firmware_bridge.bridge import Bridge, ReaderHealth
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.polls import Poll
from firmware_bridge.session import Step
from firmware_bridge.wiring import ReaderSpec
from misdeal.config import TableFile
from misdeal.enrolment import Enrolment, Happening, Looked, Said, Signed, take
from misdeal.tablefile import specs_of

# How often the reader's state is looked at; it counts as stale after a second.
HEALTH_S = 1.0

MOST_TRIES = 5
"""How often a card is asked for its signature. Source: as ``firmware_bridge.suspicion``."""

LAST_WAIT_S = 2.0
"""Chosen: five tries take a fraction of it; a person waits so long without wondering."""


def reader_at(file: TableFile, place: Place) -> ReaderSpec | None:
    """Return the reader that covers a place, listening there alone; None where none does."""
    for spec in specs_of(file):
        for number, covered in spec.antennas.items():
            if covered == place:
                return replace(spec, antennas={number: place})
    return None


class Desk:
    """Carries a pack from card to card.

    Args:
        enrolment: Where it begins.
        tell: Takes what is said.
        keep: Takes the enrolment whenever what is registered has changed, before that is told.
        last_wait_s: How long the last card's signature is waited for.
    """

    def __init__(
        self,
        enrolment: Enrolment,
        *,
        tell: Callable[[Said], None],
        keep: Callable[[Enrolment], None],
        last_wait_s: float = LAST_WAIT_S,
    ) -> None:
        self.enrolment = enrolment
        self._tell = tell
        self._keep = keep
        self._last_wait_s = last_wait_s
        # Without a bound: it is emptied at once, and a reader looks a hundred times a second.
        self._happenings: asyncio.Queue[Happening] = asyncio.Queue()
        self._tries: Counter[Tag] = Counter()
        self._can_sign = False

    def offer(self, happening: Happening) -> None:
        """Take note of what happened; it is seen to in turn."""
        self._happenings.put_nowait(happening)

    def take_signature(self, tag: Tag, signature: bytes) -> None:
        """Take what a tag gave that was asked for its signature."""
        self._tries[tag] += 1
        if signature:
            # Imported here as it takes a tenth of a second, and many chips have none.
            from firmware_bridge.authenticity import check_signature  # noqa: PLC0415

            is_genuine = check_signature(tag, signature) == "genuine"
            self.offer(Signed(tag, signature, is_genuine))

    def tag_to_sign(self) -> Tag | None:
        """Return a registered tag that lies there and is to be asked for its signature, if any."""
        tags = [line.tag for line in self.enrolment.lines if self._can_sign]
        return next(filter(self._is_unsigned, reversed(tags)), None)

    def _is_unsigned(self, tag: Tag) -> bool:
        enrolment = self.enrolment
        is_there = tag in enrolment.pad.lying and tag not in enrolment.signatures
        return is_there and self._tries[tag] < MOST_TRIES and _may_sign(tag)

    async def attend(
        self,
        spec: ReaderSpec,
        *,
        clock: Callable[[], int],
        rng: random.Random,
        tell_reader: Callable[[ReaderHealth], None],
    ) -> None:
        """Read until the pack is whole.

        Args:
            spec: The reader, listening at one place.
            clock: Gives the time in nanoseconds.
            rng: Spreads the tries to reconnect.
            tell_reader: Takes how the reader does, whenever that has changed.

        Raises:
            OSError: If what is registered cannot be kept.
        """
        bridge = _Pad(self, spec, clock=clock, rng=rng)
        if spec.safe_state is not None:
            # Cards are drawn past it; when the work is over it shuts by itself.
            bridge.command(spec.name, Gate(is_open=True))
        self._can_sign = DIALECTS[spec.family].reads_signatures and PACK in spec.antennas.values()
        works = [
            asyncio.ensure_future(self._work()),
            asyncio.ensure_future(bridge.run()),
            asyncio.ensure_future(_watch(bridge, tell_reader)),
        ]
        try:
            done, _ = await asyncio.wait(works, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await bridge.close()
            for work in works:
                work.cancel()
            await asyncio.gather(*works, return_exceptions=True)
        for work in done:
            work.result()

    async def _work(self) -> None:
        """See to what happens until the pack is whole, and a little longer for the last signature.

        A signature that is no maker's takes its card back: then the work goes on.
        """
        until_s: float | None = None
        while True:
            if self.enrolment.asked is not None:
                until_s = None
            elif self.tag_to_sign() is None:
                return
            elif until_s is None:
                until_s = asyncio.get_running_loop().time() + self._last_wait_s
            try:
                async with asyncio.timeout_at(until_s):
                    happening = await self._happenings.get()
            except TimeoutError:
                return
            self._see_to(happening)

    def _see_to(self, happening: Happening) -> None:
        before = self.enrolment
        self.enrolment, said = take(before, happening)
        if (before.lines, before.signatures) != (self.enrolment.lines, self.enrolment.signatures):
            self._keep(self.enrolment)
        for each in said:
            self._tell(each)


class _Pad(Bridge):
    """A bridge to one place, that asks registered cards for their signatures."""

    def __init__(
        self, desk: Desk, spec: ReaderSpec, *, clock: Callable[[], int], rng: random.Random
    ) -> None:
        super().__init__([spec], (), emit=_ignore, clock=clock, rng=rng, on_poll=_looks(desk))
        self._desk = desk

    def tag_to_verify(self) -> Tag | None:
        """Return the tag that is to be asked for its signature next, if any."""
        return self._desk.tag_to_sign()

    def follow(self, reader: Any, step: Step, now_ns: int) -> None:
        """Hand signatures to the desk: none is registered yet to compare them with."""
        for tag, signature in step.signatures:
            self._desk.take_signature(tag, signature)
        super().follow(reader, replace(step, signatures=()), now_ns)


def _looks(desk: Desk) -> Callable[[Poll], None]:
    def take_poll(poll: Poll) -> None:
        if poll.outcome != "unknown":
            desk.offer(Looked(poll.tags))

    return take_poll


def _ignore(event: object) -> None:
    del event


def _may_sign(tag: Tag) -> bool:
    from firmware_bridge.authenticity import has_signature  # noqa: PLC0415 - as above

    return has_signature(tag)


async def _watch(bridge: Bridge, tell: Callable[[ReaderHealth], None]) -> None:
    """Tell how the reader does whenever it is in another state than before; at first if unwell."""
    told = "READY"
    while True:
        await asyncio.sleep(HEALTH_S)
        for reader in bridge.health():
            if reader.state not in (told, "QUARANTINED"):
                told = reader.state
                tell(reader)
