"""A timeline is played in its time: cards to the readers, sights and words to the controller."""

import asyncio
from collections.abc import Iterable, Mapping

import pytest

from engine.cards import PACK, STUB, Card, Place, Tag
from engine.events import AnyEvent, CardLost, CardSighted
from hw_fixtures.demo import DemoDealer
from hw_fixtures.playing import play
from hw_fixtures.timeline import Lost, Move, Said, Seen, Timeline, Turn


class Clock:
    """Moves when somebody sleeps, and a little whenever it is looked at."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000

    def __call__(self) -> int:
        return self.now_ns

    async def sleep(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


class Played:
    """Takes all that happens, with its time from the start in seconds."""

    def __init__(self, timeline: Timeline, speed: float, camera: "Camera | None" = None) -> None:
        self.clock = Clock()
        self.moved: list[tuple[float, Tag, Place]] = []
        self.told: list[tuple[float, AnyEvent]] = []
        asyncio.run(
            play(
                timeline,
                self,
                lambda event: self.told.append((self.elapsed_s(), event)),
                clock_ns=self.clock,
                sleep=self.clock.sleep,
                speed=speed,
                camera=camera,
            )
        )

    def move(self, tags: Iterable[Tag], place: Place) -> None:
        self.moved += [(self.elapsed_s(), tag, place) for tag in tags]

    def elapsed_s(self) -> float:
        return round((self.clock.now_ns - 1_000_000_000) / 1e9, 6)


def test_cards_move_when_the_timeline_says() -> None:
    timeline = next(DemoDealer(1))
    played = Played(timeline, speed=1.0)
    assert played.moved == [
        (step.at_s, step.tag, step.target) for step in timeline.steps if isinstance(step, Move)
    ]
    assert played.elapsed_s() == timeline.length_s


def test_sights_and_words_are_told_when_they_happen() -> None:
    timeline = next(DemoDealer(1))
    played = Played(timeline, speed=1.0)
    steps = [step for step in timeline.steps if isinstance(step, (Said, Seen, Lost))]
    assert [at_s for at_s, _ in played.told] == [step.at_s for step in steps]
    assert all(event.at_ns == 1_000_000_000 + round(at_s * 1e9) for at_s, event in played.told)
    sights = [e for _, e in played.told if isinstance(e, (CardSighted, CardLost))]
    assert [event.card for event in sights] == [
        step.card for step in steps if isinstance(step, (Seen, Lost))
    ]


PLANNED_REST_S = 3.0
"""How long a timeline leaves the pack on its pad, before the deal and after it."""
LEAST_REST_S = 2.5
"""How long it lies there at any speed, so that the pad's reader can count it."""


def test_twice_the_speed_takes_half_the_time_but_for_the_counting_of_the_pack() -> None:
    timeline = next(DemoDealer(1))
    once, twice = Played(timeline, speed=1.0), Played(timeline, speed=2.0)
    dealing_s = once.elapsed_s() - 2 * PLANNED_REST_S
    assert (twice.elapsed_s() - 2 * LEAST_REST_S) * 2 == pytest.approx(dealing_s)
    assert [moved[1:] for moved in twice.moved] == [moved[1:] for moved in once.moved]


@pytest.mark.parametrize("speed", [2.0, 10.0, 100.0])
def test_at_any_speed_the_pack_lies_on_its_pad_until_it_is_counted(speed: float) -> None:
    timeline = next(DemoDealer(1))  # the pack is laid down first, dealt, and laid down again
    played = Played(timeline, speed)
    laid_s = [at_s for at_s, _, place in played.moved if place == PACK]
    taken_s = next(at_s for at_s, _, place in played.moved if place == STUB)
    assert taken_s - laid_s[0] == LEAST_REST_S
    assert played.elapsed_s() - laid_s[-1] == pytest.approx(LEAST_REST_S)
    in_play_s = laid_s[-1] - taken_s
    assert in_play_s * speed == pytest.approx(timeline.length_s - 2 * PLANNED_REST_S, abs=1e-3)


class Camera:
    def __init__(self) -> None:
        self.known: dict[Tag, Card] = {}
        self.shown: list[Move | Turn] = []

    def know(self, faces: Mapping[Tag, Card]) -> None:
        self.known |= faces

    def show(self, step: Move | Turn) -> None:
        self.shown.append(step)


def test_a_camera_is_shown_what_happens_to_the_cards_and_tells_itself_what_it_sees() -> None:
    timeline = next(DemoDealer(1))
    camera = Camera()
    played = Played(timeline, speed=1.0, camera=camera)
    assert camera.known == timeline.faces
    assert camera.shown == [step for step in timeline.steps if isinstance(step, (Move, Turn))]
    assert len(played.moved) == len([step for step in camera.shown if isinstance(step, Move)])
    assert not [event for _, event in played.told if isinstance(event, (CardSighted, CardLost))]
