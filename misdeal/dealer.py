"""The people at a scripted table, in lock-step with its hardware.

A dealer lays cards under simulated antennas and a simulated camera, an operator says what is to be
said, and tells what no picture shows. Each thing is done when the one before has been sensed, and a
line of the script is over when the readers have told all that lies at the table.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping
from itertools import pairwise

from msgspec.structs import replace

from engine.cards import BURN, MUCK, PACK, PLACES, RACK, SHOE, STUB, Place, Tag
from engine.events import (
    AnyEvent,
    CardGone,
    CardRead,
    CardSighted,
    DeviceFaulted,
    DeviceRestored,
    PackCounted,
    TimePassed,
)
from engine.performing import Performance
from engine.script import SECOND_NS, Script
from firmware_bridge.wiring import device_of
from hw_fixtures.camera import SIGHT_S
from hw_fixtures.lockstep import LockstepLoop
from hw_fixtures.scripted import ScriptedTable
from misdeal.controller import Controller
from misdeal.filming import FRAME_S, ScriptedCamera, is_told, sight_words
from misdeal.moments import Moment, Sight, moments
from vision.watcher import CameraEvent

# What is said or told is taken by the controller before the loop's time moves on by this.
_BEAT_S = 0.001
_BEAT_NS = 1_000_000

# How often it is looked whether something has been sensed; time in lock-step costs nothing.
_LOOK_S = 0.01

# How long the readers are waited for: longer than a card must be missed (300 ms), a full pad be
# counted (three inventories of 52 cards, half a second each) or a port be found again (2 s).
_PATIENCE_S = 6.0

# How long a dealer waits for a card to be told where it landed before he goes on all the same: he
# pitches 2.5 cards a second (hw_fixtures.dealing.Pace), and puts a board out in one go.
_PACE_S = 0.4

# How long the camera has for what it is shown: most of it is told after 0.4 s.
_FRAMES = 60

# How long the pack stays away from its pad when it was counted, so that the pad is known as bare,
# and cards are on their way from the discard rack to the shoe.
_AWAY_S = 1.0

# Where the bridge does not tell that a card is gone while others lie there.
_PILES = frozenset({MUCK, BURN, RACK, STUB})

PLACE_OF_DEVICE = {device_of(place): place for place in PLACES}
"""Place of each reader, by the name under which the engine knows it."""


class TableClock:
    """The clock of a scripted table: that of its readers, set forward from line to line."""

    def __init__(self, loop: LockstepLoop) -> None:
        self._loop = loop
        self.ahead_ns = 0
        """How far it is ahead of the readers' own."""

    def __call__(self) -> int:
        """Return the time of the table, in nanoseconds."""
        return self._loop.now_ns() + self.ahead_ns


class Senses:
    """What the bridge has told of a table until now."""

    def __init__(self) -> None:
        self.awaited: set[tuple[Place, Tag]] = set()
        """What is to be read next; what has been read is struck out."""
        self.faulted: set[str] = set()
        """Devices that give no good answers."""
        self.counted: tuple[Tag, ...] | None = None
        """The tags of the last count of the pack."""
        self._held: dict[Place, set[Tag]] = {}

    def take(self, event: AnyEvent) -> None:
        """Take note of what the bridge tells."""
        match event:
            case CardRead():
                self.awaited.discard((event.place, event.tag))
                self._held.setdefault(event.place, set()).add(event.tag)
            case CardGone():
                self._held[event.place].discard(event.tag)
            case PackCounted():
                self.counted = event.tags
            case DeviceFaulted():
                self.faulted.add(event.device)
            case DeviceRestored():
                self.faulted.discard(event.device)
            case _:
                pass

    def misled_at(self, heard: Mapping[Place, frozenset[Tag]]) -> list[Place]:
        """Return where the bridge has not told yet what the antennas hear.

        Args:
            heard: What each antenna hears; one that is missing says nothing.
        """
        return [place for place, tags in heard.items() if not self._is_told(place, tags)]

    def _is_told(self, place: Place, heard: frozenset[Tag]) -> bool:
        held = self._held.get(place, set())
        stale = held - heard
        if place in _PILES and heard:
            stale = {tag for tag in stale if self._is_elsewhere(place, tag)}
        return place == PACK or (heard <= held and not stale)

    def _is_elsewhere(self, place: Place, tag: Tag) -> bool:
        return any(tag in tags for other, tags in self._held.items() if other != place)


class Dealer:
    """Lets the lines of a script happen at a table, one after the other."""

    def __init__(
        self,
        table: ScriptedTable,
        camera: ScriptedCamera,
        controller: Controller,
        clock: TableClock,
        senses: Senses,
    ) -> None:
        self.unsensed: list[str] = []
        """What readers and camera did not tell in time, a sentence each."""
        self._table = table
        self._camera = camera
        self._controller = controller
        self._clock = clock
        self._senses = senses
        self._answers: list[asyncio.Task[object]] = []
        self._number = 0
        """Of the line that happens, from 1."""

    async def play(self, script: Script, performance: Performance) -> list[int]:
        """Let all lines happen; return when each of them began on the table's clock.

        From the moment at which a line has been sensed whole as much time passes to the next one
        as the script has between the two.
        """
        starts: list[int] = []
        times_ns = [line.at_ns for line in script.lines]
        gaps_ns = [after - at for at, after in pairwise([0, *times_ns])]
        # After the last line as much as between two that have no times.
        gaps_ns.append(SECOND_NS)
        self._clock.ahead_ns += gaps_ns[0]
        steps = zip(performance.run(), gaps_ns[1:], strict=True)
        for self._number, ((line, told), gap_ns) in enumerate(steps, start=1):
            starts.append(self._clock())
            if line.verb == "collect":
                self._camera.clear()
            for moment in moments(line, [event for event, _ in told]):
                is_in_hand = performance.watch.table.hand.is_started
                await self._let_happen(moment, is_in_hand=is_in_hand)
            await self._settle()
            self._clock.ahead_ns += max(0, gap_ns - 2 * _BEAT_NS)
            self._controller.offer(TimePassed(at_ns=self._clock()))
            await asyncio.sleep(2 * _BEAT_S)
        return starts

    async def _let_happen(self, moment: Moment, *, is_in_hand: bool) -> None:
        for words in moment.said:
            await self._say(words)
        for event in moment.devices:
            await self._meddle(event)
        await self._move_cards(moment)
        if moment.count is not None:
            await self._count(moment.count, is_in_hand=is_in_hand)

    async def _move_cards(self, moment: Moment) -> None:
        """Carry cards, let the camera see it, and give the readers time to tell it.

        What lies somewhere only for a while lies there until it was told.
        """
        table = self._table
        if moment.seen:
            self._camera.settle()
        unshown = self._camera.follow(moment)
        await self._shuffle_in(moment.laid.get(SHOE, []))
        table.lift(moment.lifted)
        for place, tags in moment.laid.items():
            table.lay(tags, place)
        for place, tags in moment.strayed.items():
            table.echo(tags, place)
        heard = table.heard()
        self._senses.awaited |= {
            (place, tag)
            for place, tags in [*moment.laid.items(), *moment.strayed.items()]
            for tag in tags
            if tag in heard.get(place, ())
        }
        is_passing = SHOE in moment.laid or moment.strayed
        waits = asyncio.create_task(
            until(lambda: not self._senses.awaited, _PATIENCE_S if is_passing else _PACE_S)
        )
        await self._film([sight for sight in moment.seen if sight not in unshown])
        if unshown:
            await asyncio.sleep(SIGHT_S)
        for sight in unshown:
            self._controller.offer(replace(sight, at_ns=self._clock()))
        await waits

    async def _shuffle_in(self, tags: list[Tag]) -> None:
        """Take cards out of the discard rack well before they come out of the shoe again."""
        discarded = [tag for tag in tags if tag in self._table.at(RACK)]
        if discarded:
            self._table.lift(discarded)
            await asyncio.sleep(_AWAY_S)

    async def _film(self, shown: list[Sight]) -> None:
        """Film until the camera has told what it is shown.

        What the eye could not read is told as the script has it, and a face that the script does
        not have is passed over, each with a note: scripts try rules, the video bench tries eyes.
        """
        seen_ns = self._clock() + round(SIGHT_S * SECOND_NS)
        frames = 0
        while shown and frames < _FRAMES:
            await asyncio.sleep(FRAME_S)
            frames += 1
            told = self._camera.shoot()
            ahead_ns = self._clock() - self._camera.now_ns
            for event in told:
                if self._is_due(event, shown):
                    self._controller.offer(replace(event, at_ns=event.at_ns + ahead_ns))
            shown = [sight for sight in shown if not is_told(sight, told)]
        for sight in shown:
            self._note(f"the camera did not tell {sight_words(sight)}: told as the script has it")
            self._controller.offer(replace(sight, at_ns=seen_ns))

    def _is_due(self, event: CameraEvent, shown: Collection[Sight]) -> bool:
        """Say whether the controller should hear what the camera tells; note what it should not."""
        if isinstance(event, (DeviceFaulted, DeviceRestored)):
            return True
        if any(is_told(sight, [event]) for sight in shown):
            return True
        if isinstance(event, CardSighted) and event.card is not None:
            self._note(f"the camera told {sight_words(event)}, too: passed over")
        return False

    async def _settle(self) -> None:
        """Wait until the readers have told all that lies at the table now."""
        table, senses = self._table, self._senses
        await until(lambda: not senses.awaited)
        senses.awaited.clear()
        # What nobody has drawn from the shoe's mouth was set aside.
        self._camera.take_away(table.at(SHOE))
        table.lift(table.at(SHOE))
        table.hush()
        await until(lambda: not senses.misled_at(table.heard()))
        misled = senses.misled_at(table.heard())
        if misled:
            self._note(f"the readers did not tell all of {', '.join(misled)}")

    async def _count(self, count: PackCounted, *, is_in_hand: bool) -> None:
        """Lay the pack on its pad, and take it away when it was counted.

        In mid-hand an operator counts, and a pack that is short as well: the pad would name the
        card that is missing, which a script that tells a number alone does not.
        """
        tags = count.tags
        if tags is None:
            pack = self._controller.watch.table.setup.packs[0]
            own = sorted(pack.own_tags())
            if is_in_hand or count.count < len(own) or PACK not in self._table.places:
                await self._say(f"pack {count.count}")
                return
            tags = (*own, *(card.tag for card in pack.cards if card.spare))[: count.count]
        self._senses.counted = None
        self._table.lay(tags, PACK)
        await until(lambda: self._senses.counted is not None)
        if self._senses.counted is None:
            self._note("the reader of the pad did not tell the pack")
        self._table.lift(tags)
        await asyncio.sleep(_AWAY_S)

    async def _meddle(self, event: DeviceFaulted | DeviceRestored) -> None:
        """Let a device fail, or work again: pull a reader's plug, else have somebody tell it."""
        place = PLACE_OF_DEVICE.get(event.device)
        is_fault = isinstance(event, DeviceFaulted)
        if place in self._table.places:
            self._table.plug(place, is_in=not is_fault)
            await until(lambda: (event.device in self._senses.faulted) is is_fault)
        else:
            await self._say(f"{'fault' if is_fault else 'restore'} {event.device}")

    def _note(self, what: str) -> None:
        self.unsensed.append(f"after event {self._number}: {what}")

    async def _say(self, words: str) -> None:
        """Say something to the controller; its journal keeps what came of it."""
        self._answers.append(asyncio.create_task(self._controller.say(words)))
        await asyncio.sleep(_BEAT_S)


async def until(is_so: Callable[[], bool], patience_s: float = _PATIENCE_S) -> None:
    """Wait until something is so, or patience is at an end."""
    loop = asyncio.get_running_loop()
    end_s = loop.time() + patience_s
    while not is_so() and loop.time() < end_s:  # noqa: ASYNC110 - half of it is no event
        await asyncio.sleep(_LOOK_S)
