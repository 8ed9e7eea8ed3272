"""What is wrong with a camera's pictures, and when it becomes a fault and ceases to be one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.events import DeviceFaulted, DeviceRestored, Event
from vision.health import Alarm, Health
from vision.seen import Picture

MS = 1_000_000
FRAME_NS = 33_333_333
SMALL = (68, 120)


def small(level: float = 80.0, spread: float = 20.0, seed: int = 0) -> Picture:
    """A shrunk picture of such a brightness, uneven by so much."""
    noise = np.random.default_rng(seed).normal(0, spread, (*SMALL, 1))
    return np.asarray(np.clip(level + noise, 0, 255).repeat(3, axis=2), np.uint8)


def frame(wide: int = 480, high: int = 272) -> Picture:
    return np.zeros((high, wide, 3), np.uint8)


def shown(pictures: list[Picture], every_ns: int = FRAME_NS) -> list[str | None]:
    health = Health((480, 272))
    found: list[str | None] = []
    for at, picture in enumerate(pictures):
        assert health.size(frame(), at * every_ns) is None
        found.append(health.look(picture, at * every_ns))
    return found


# ---------------------------------------------------------------- what is wrong
def test_a_good_picture_has_nothing_wrong() -> None:
    assert set(shown([small(seed=seed) for seed in range(90)])) == {None}


@pytest.mark.parametrize(
    ("picture", "reason"),
    [
        (small(15.0, 9.0), "is dark"),
        (small(18.0, 9.0), None),
        (small(250.0, 40.0), "is blinded by light"),
        (small(80.0, 1.0), "shows nothing: the lens is covered"),
        (small(80.0, 6.0), None),
    ],
    ids=["dark", "not quite dark", "white", "even", "nearly even"],
)
def test_a_picture_that_shows_nothing(picture: Picture, reason: str | None) -> None:
    assert shown([picture]) == [reason]


def test_a_lamp_in_a_corner_blinds_nobody() -> None:
    picture = small()
    picture[:20] = 255
    assert shown([picture]) == [None]


def test_pictures_that_are_equal_for_two_seconds_are_frozen() -> None:
    found = shown([small(seed=1)] * 80)
    assert found.index("is frozen") == 61  # 61 frames are 2.03 s
    assert shown([small(seed=1)] * 50 + [small(seed=2)] * 30) == [None] * 80


@pytest.mark.parametrize(
    ("every_ms", "reason"), [(66, None), (67, "gives 15 frames a second, too few")]
)
def test_fifteen_frames_a_second_are_enough(every_ms: int, reason: str | None) -> None:
    found = shown([small(seed=seed) for seed in range(60)], every_ms * MS)
    assert found[-1] == reason


@pytest.mark.parametrize(
    ("then_ms", "reason"), [(50, None), (51, "gives 20 frames a second, too few")]
)
def test_a_camera_that_was_too_slow_must_give_twenty_frames_a_second(
    then_ms: int, reason: str | None
) -> None:
    health, at_ns, found = Health((640, 360)), 0, None
    for seed in range(120):
        at_ns += (100 if seed < 30 else then_ms) * MS
        picture = small(seed=seed)
        health.size(picture, at_ns)
        found = health.look(picture, at_ns)
    assert found == reason


def test_a_camera_that_has_just_begun_is_not_slow() -> None:
    assert shown([small(seed=1), small(seed=2)], 900 * MS) == [None, None]


def test_another_size_is_told_with_both() -> None:
    health = Health((1920, 1080))
    assert health.size(frame(1280, 720), 0) == "gives 1280x720, was calibrated with 1920x1080"


# ---------------------------------------------------------------- when it is a fault
def told(reasons: list[str | None], *, at_once: bool = False) -> list[Event]:
    alarm = Alarm("camera", fault_ns=300 * MS, good_ns=500 * MS)
    events: list[Event] = []
    for at, reason in enumerate(reasons):
        events += alarm.see(reason, at * 100 * MS, at_once=at_once)
    return events


def fault(tenth: int) -> DeviceFaulted:
    return DeviceFaulted(device="camera", reason="is dark", at_ns=tenth * 100 * MS)


def good(tenth: int) -> DeviceRestored:
    return DeviceRestored(device="camera", at_ns=tenth * 100 * MS)


D = "is dark"
N = None


@pytest.mark.parametrize(
    ("reasons", "events"),
    [
        ([D, D, D], []),
        ([D, D, D, D], [fault(3)]),
        ([D, D, D, N, D, D, D], []),
        ([D] * 20, [fault(3)]),
        ([D] * 4 + [N] * 5, [fault(3)]),
        ([D] * 4 + [N] * 6, [fault(3), good(9)]),
        ([D] * 4 + [N, N, N, N, N, D] * 3, [fault(3)]),
        ([D] * 4 + [N] * 6 + [D] * 4, [fault(3), good(9), fault(13)]),
    ],
)
def test_a_reason_that_lasts_is_a_fault_until_it_has_been_gone_for_a_while(
    reasons: list[str | None], events: list[Event]
) -> None:
    assert told(reasons) == events


def test_what_is_certain_is_a_fault_at_once_and_is_restored_as_any() -> None:
    assert told([N, D, N, N, N, N, N, N], at_once=True) == [fault(1), good(7)]


@given(st.lists(st.sampled_from([D, "is frozen", None])))
def test_faults_and_their_ends_take_turns(reasons: list[str | None]) -> None:
    kinds = [isinstance(event, DeviceFaulted) for event in told(reasons)]
    assert kinds == [at % 2 == 0 for at in range(len(kinds))]
