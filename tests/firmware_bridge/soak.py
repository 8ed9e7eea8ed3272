"""A soak: a million frames with faults of every kind, and readers that are pulled out by hundreds.

``python -m tests.firmware_bridge.soak`` runs both and prints what came of them; ``make soak`` does.
The frames go through framer, session and presence in one process, as fast as it can, on a clock of
the soak's: readers of every family in turn, whose cards are moved about. Each fault happens to one
frame, or to one look at an antenna, in a hundred. The readers that are pulled out are on
pseudo-terminals, with the whole bridge, in real time.
"""

import argparse
import asyncio
import gc
import os
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct, field

from engine.cards import FULL_PACK, Pack, Place, Tag, TaggedCard, seat_place
from engine.events import AnyEvent, CardGone, CardRead, DeviceFaulted, DeviceRestored
from firmware_bridge.bridge import Bridge
from firmware_bridge.presence import Presence
from firmware_bridge.register import Register
from hw_fixtures.devices.device import Heard
from hw_fixtures.faults import OTHER_FAMILY, Faults, FaultSource
from tests.firmware_bridge.plugged import Plugged
from tests.firmware_bridge.wires import ICODES, KINDS, MS, Arrivals, Wired, spoilt

RATE = 0.01
"""Of each fault, for each frame or each look."""

LATE_NS = 10_000 * MS
"""How long after it was last heard somewhere a card may be told there: quarantine and all."""

SETTLE_MS = 12_000
"""How long the readers are left alone at the end, without faults, before they must agree."""

FRAME_FAULTS = ("turned", "lost byte", "doubled byte", "cut", "lost", "doubled", "echo", "foreign")


class Figures(Struct):
    """What a soak of one family, or of all, came to."""

    frames: int = 0
    bad_frames: int = 0
    timeouts: int = 0
    restarts: int = 0
    reads: int = 0
    departures: int = 0
    moves: int = 0
    invented: list[str] = field(default_factory=list)
    """Cards that were told where no antenna ever heard them."""
    lost: list[str] = field(default_factory=list)
    """Cards that lie at a place at the end and are not held there."""
    kept: list[str] = field(default_factory=list)
    """Cards that are held at the end where none lies, by a reader that knows an empty place."""

    def add(self, other: "Figures") -> None:
        """Add the figures of another family."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class FaultyReader(Wired):
    """A session with a simulated reader to which everything happens."""

    def __init__(self, name: str, seed: int) -> None:
        # A code is a tag here: no two may differ in one character, as nothing else protects it.
        cards = KINDS[name].tags[:12] if KINDS[name].family != "code_shoe" else ICODES[::11]
        self.pack = Pack("soak", tuple(map(TaggedCard, cards, FULL_PACK)))
        codes = {str(line.tag): line.card for line in self.pack.cards}
        super().__init__(name, antennas=min(4, KINDS[name].antennas), changes={"codes": codes})
        self.rng = random.Random(seed)
        self.wire = self._carry
        self.is_faulty = True
        self.is_breaking_down = False
        self.source = FaultSource(
            Faults(seed=seed, missed_tag=RATE, collision=RATE, ghost_tag=RATE, cross_read=RATE)
        )
        self.heard_ns: dict[tuple[Place, Tag], int] = {}
        """When each antenna last heard each card, its own or a neighbour's."""
        self.places = dict(self.spec.antennas)
        self.cards_in_play = list(cards)
        self.most = min(self.kind.most, 3)
        self._free_ns = 0

    def _hear(self, antenna: int) -> Heard:
        own = self.cards.get(antenna, ())
        if not self.is_faulty:
            self._note(antenna, own)
            return Heard(own)
        beside = [tag for near in (antenna - 1, antenna + 1) for tag in self.cards.get(near, ())]
        heard = self.source.hear(own, beside, self.device.kind)
        self._note(antenna, [tag for tag in heard if tag in own or tag in beside])
        self.is_breaking_down = self.is_breaking_down or self.rng.random() < RATE
        return self.source.collide(heard[: self.kind.most])

    def _note(self, antenna: int, tags: Sequence[Tag]) -> None:
        for tag in tags:
            self.heard_ns[self.places[antenna], tag] = self.now_ns

    def _carry(self, command: bytes, answers: Arrivals) -> Arrivals:
        """Carry answers, in their order, each with what happens to it."""
        if not self.is_faulty:
            return answers
        arrived: Arrivals = []
        for wait_ms, answer in answers:
            base_ms = max(wait_ms, (self._free_ns - self.now_ns) / MS)
            base_ms += 700 * (self.rng.random() < RATE) + 30 * (self.rng.random() < RATE)
            data = self._happen(command, answer)
            self._free_ns = self.now_ns + round((base_ms + 1) * MS)
            if data:
                arrived.append((base_ms, data))
        if self.is_breaking_down:
            self.is_breaking_down = False
            arrived = [(wait, spoilt(data, "cut", self.rng)) for wait, data in arrived[:1]]
            self.brown_out()
        return arrived

    def _happen(self, command: bytes, answer: bytes) -> bytes:
        for fault in FRAME_FAULTS:
            if self.rng.random() >= RATE or not answer:
                continue
            at = self.rng.randrange(len(answer))
            answer = {
                "turned": spoilt(answer, "turned", self.rng),
                "lost byte": answer[:at] + answer[at + 1 :],
                "doubled byte": answer[: at + 1] + answer[at:],
                "cut": spoilt(answer, "cut", self.rng),
                "lost": b"",
                "doubled": answer + answer,
                "echo": command + answer,
                "foreign": OTHER_FAMILY + answer,
            }[fault]
        return answer

    def move_a_card(self) -> None:
        """Lay a card somewhere else, or take it off the table."""
        tag = self.rng.choice(self.cards_in_play)
        left = {n: tuple(each for each in tags if each != tag) for n, tags in self.cards.items()}
        target = self.rng.choice([*self.places, None])
        if target is not None and len(left.get(target, ())) < self.most:
            left[target] = (*left.get(target, ()), tag)
        self.cards = left


def soak_family(name: str, frames: int, seed: int) -> Figures:
    """Let a reader of a family give so many frames, and return what came of it."""
    reader = FaultyReader(name, seed)
    keeper = Presence(Register([reader.pack]))
    figures = Figures()
    reader.open()
    while reader.session.tally.frames < frames:
        reader.run(reader.rng.randrange(1_000, 4_000), asking=reader.places)
        _follow(reader, keeper, figures)
        reader.move_a_card()
        figures.moves += 1
    reader.is_faulty = False
    reader.run(SETTLE_MS, asking=reader.places)
    _follow(reader, keeper, figures)
    _compare(reader, keeper, figures)
    tally = reader.session.tally
    figures.frames = tally.frames
    figures.bad_frames = tally.checksum_errors
    figures.timeouts = tally.timeouts + tally.retries
    figures.restarts = tally.restarts
    return figures


def _follow(reader: FaultyReader, keeper: Presence, figures: Figures) -> None:
    """Let presence take what the reader gave; hold what it tells against what was heard."""
    for poll in reader.polls:
        for event in keeper.take(poll):
            if isinstance(event, CardRead):
                figures.reads += 1
                heard_ns = reader.heard_ns.get((event.place, event.tag), -LATE_NS - 1)
                if event.at_ns - heard_ns > LATE_NS:
                    figures.invented.append(f"{reader.kind.family} {event.place} {event.tag}")
            figures.departures += isinstance(event, CardGone)
    reader.polls.clear()
    reader.sent.clear()
    reader.states.clear()


def _compare(reader: FaultyReader, keeper: Presence, figures: Figures) -> None:
    """Hold what presence believes against what lies there."""
    if reader.kind.family == "code_shoe":  # it says each card once, and nobody can ask again
        return
    for antenna, place in reader.places.items():
        lies = set(reader.cards.get(antenna, ()))
        spot = keeper._spots.get(place)
        held = set(spot.held) if spot is not None else set()
        figures.lost += [f"{reader.kind.family} {place} {tag}" for tag in lies - held]
        if reader.kind.knows_empty:
            figures.kept += [f"{reader.kind.family} {place} {tag}" for tag in held - lies]


def resident_kb() -> int:
    """Return the memory of this process, in kB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def soak_frames(frames: int, seed: int) -> Iterator[tuple[str, Figures, int]]:
    """Soak every family in turn; yield its name, its figures and the memory after it, in kB."""
    for number, name in enumerate(KINDS):
        figures = soak_family(name, frames // len(KINDS), seed + number)
        gc.collect()
        yield name, figures, resident_kb()


# ---------------------------------------------------------------- pulled out and put in again
class Replugged(Struct):
    """What came of readers that were pulled out and put in again."""

    cycles: int = 0
    faults: int = 0
    restored: int = 0
    reads: int = 0
    descriptors_more: int = 0
    """File descriptors that are open at the end and were not before."""
    slowest_loss_ms: float = 0.0
    slowest_return_ms: float = 0.0


async def replug(cycles: int, folder: Path) -> Replugged:
    """Pull readers out and put them in again, each under another number.

    Raises:
        TimeoutError: If one does not come back, or its loss is not told.
    """
    names = ("pepper_c1", "feig", "metratec_ascii", "front_end")
    devices = [
        Plugged(name, {1: seat_place(2 * number + 1)}, folder / name)
        for number, name in enumerate(names)
    ]
    events: list[AnyEvent] = []
    bridge = Bridge(
        [device.spec() for device in devices],
        [],
        emit=events.append,
        clock=time.monotonic_ns,
        rng=random.Random(1),
    )
    for number, device in enumerate(devices):
        device.cards[device.places[1]] = (device.kind.tags[number],)
        device.plug()
    running = asyncio.create_task(bridge.run())
    await _until(lambda: sum(isinstance(event, CardRead) for event in events) == len(devices))
    before = _count_descriptors()
    told = Replugged()
    each = -(-cycles // len(devices))
    await asyncio.gather(
        *(_cycle(device, number, bridge, told, each) for number, device in enumerate(devices))
    )
    told.descriptors_more = _count_descriptors() - before
    await bridge.close()
    await running
    for device in devices:
        device.unplug()
    told.faults = sum(isinstance(event, DeviceFaulted) for event in events)
    told.restored = sum(isinstance(event, DeviceRestored) for event in events)
    told.reads = sum(isinstance(event, CardRead) for event in events)
    return told


async def _cycle(
    device: Plugged, number: int, bridge: Bridge, told: Replugged, cycles: int
) -> None:
    loop = asyncio.get_running_loop()
    for _ in range(cycles):
        start_s = loop.time()
        device.unplug()
        await _until(partial(_is_in_state, bridge, number, "LINK_LOST"))
        told.slowest_loss_ms = max(told.slowest_loss_ms, 1e3 * (loop.time() - start_s))
        start_s = loop.time()
        device.plug()
        await _until(partial(_is_in_state, bridge, number, "READY"))
        told.slowest_return_ms = max(told.slowest_return_ms, 1e3 * (loop.time() - start_s))
        # The return is told with the first look at its place.
        enough = bridge.health()[number].frames + 8
        await _until(partial(_has_frames, bridge, number, enough))
        told.cycles += 1


def _is_in_state(bridge: Bridge, number: int, state: str) -> bool:
    return bridge.health()[number].state == state


def _has_frames(bridge: Bridge, number: int, enough: int) -> bool:
    return bridge.health()[number].frames >= enough


def _count_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def _until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not is_so():  # noqa: ASYNC110 - what is waited for tells nobody
            await asyncio.sleep(0.005)


def main(arguments: Sequence[str]) -> int:
    """Run the soak and print its figures; return 0 where nothing was wrong."""
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--cycles", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args(arguments)
    total = Figures()
    begun_s = time.process_time()
    for name, figures, resident in soak_frames(wanted.frames, wanted.seed):
        total.add(figures)
        print(f"{name:18} {frame_words(figures)}; {resident} kB", flush=True)  # noqa: T201
    per_s = total.frames / (time.process_time() - begun_s)
    print(f"{'all':18} {frame_words(total)}; {per_s:.0f} frames a second of CPU")  # noqa: T201
    with TemporaryDirectory() as folder:
        told = asyncio.run(replug(wanted.cycles, Path(folder)))
    print(told)  # noqa: T201
    is_well = told.faults == told.restored == told.cycles and not told.descriptors_more
    return int(bool(total.invented or total.lost or total.kept) or not is_well)


def frame_words(figures: Figures) -> str:
    """Return the figures of a soak as a line."""
    return (
        f"{figures.frames} frames, {figures.bad_frames} bad, {figures.timeouts} time-outs, "
        f"{figures.restarts} restarts, {figures.moves} moves, {figures.reads} reads, "
        f"{figures.departures} departures, {len(figures.invented)} invented "
        f"{figures.invented[:3]}, {len(figures.lost)} lost {figures.lost[:3]}, "
        f"{len(figures.kept)} kept {figures.kept[:3]}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
