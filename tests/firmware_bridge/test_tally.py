"""When a link is degraded."""

import pytest

from firmware_bridge.tally import WINDOW_NS, Tally


def counted(good: int, bad: int, at_ns: int = 0) -> Tally:
    tally = Tally()
    for _ in range(good):
        tally.count_frame(at_ns)
    for _ in range(bad):
        tally.count_checksum_error(at_ns)
    return tally


@pytest.mark.parametrize(
    ("good", "bad", "is_degraded"),
    [(99, 1, False), (98, 2, True), (990, 10, False), (989, 11, True), (50, 40, False)],
)
def test_bugs_17_more_than_one_bad_frame_in_a_hundred_degrades_a_link(
    good: int, bad: int, *, is_degraded: bool
) -> None:
    assert counted(good, bad).is_degraded is is_degraded


def test_bugs_17_a_degraded_link_stays_so_for_the_next_minute_and_no_longer() -> None:
    tally = counted(90, 20)
    states: list[bool] = []
    for minute in (1, 2):
        tally.count_frame(minute * WINDOW_NS)
        states.append(tally.is_degraded)
    assert states == [True, False]
    assert (tally.frames, tally.checksum_errors) == (92, 20)
