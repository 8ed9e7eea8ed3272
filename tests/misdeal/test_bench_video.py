"""What a camera told is held against what lay there, and the bench of filmed hands."""

import pytest

from engine.cards import BOARD, Card, Place
from engine.events import BackSighted, CardLost, CardSighted, DeviceFaulted, DeviceRestored
from hw_fixtures.picture.faces import Deck
from hw_fixtures.picture.mishaps import Mishaps
from hw_fixtures.picture.reel import Exposure, Landing
from misdeal.bench import video
from misdeal.bench.sights import Score, Told, score

NINE = Exposure(place=BOARD, card=Card("9h"), from_s=10.0, until_s=20.0)
KING = Exposure(place=Place("S1"), card=Card("Kd"), from_s=12.0, until_s=18.0)


def face(at_s: float, card: str = "9h", place: str = "board") -> Told:
    return Told(at_s, CardSighted(at_ns=0, place=Place(place), card=Card(card)))


def lost(at_s: float, card: str = "9h", place: str = "board") -> Told:
    return Told(at_s, CardLost(at_ns=0, place=Place(place), card=Card(card)))


def fault(at_s: float) -> Told:
    return Told(at_s, DeviceFaulted(at_ns=0, device="camera"))


def restored(at_s: float) -> Told:
    return Told(at_s, DeviceRestored(at_ns=0, device="camera"))


def held(*told: Told) -> Score:
    return score([NINE, KING], told, 30.0)


def test_what_was_told_in_time_and_later_is_counted() -> None:
    found = held(face(10.2), face(12.5, "Kd", "S1"), lost(18.1, "Kd", "S1"), lost(20.5))
    assert (found.exposed, found.in_time, len(found.waits_s)) == (2, 1, 2)
    assert found.waits_s == pytest.approx((0.2, 0.5))
    assert (found.missed, found.wrong) == ((), ())


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ([face(10.2), face(11.0)], [1]),
        ([face(10.2), face(10.3, "9d")], [1]),
        ([face(10.2), face(10.3, "9h", "S2")], [1]),
        ([face(9.0), face(10.2)], [0]),
        ([face(10.2), lost(15.0)], [1]),
        ([face(10.2), lost(20.1), lost(20.5)], [2]),
        ([face(10.2), lost(20.1), face(22.0)], [2]),
    ],
)
def test_what_did_not_happen_is_wrong(told: list[Told], wrong: list[int]) -> None:
    assert list(held(*told, face(12.2, "Kd", "S1")).wrong) == [told[at] for at in wrong]


def test_what_was_not_told_is_missed() -> None:
    assert held(face(10.2)).missed == (KING,)


def test_what_lies_for_a_moment_need_not_be_told() -> None:
    brief = Exposure(place=BOARD, card=Card("9h"), from_s=10.0, until_s=10.4)
    assert score([brief], [], 30.0).exposed == 0
    assert score([brief], [face(10.2), lost(10.6)], 30.0).wrong == ()


def test_what_comes_while_the_camera_is_faulted_or_bad_is_not_due() -> None:
    told = [fault(11.5), restored(14.0), face(15.0, "Kd", "S1")]
    found = held(face(10.2), *told)
    assert (found.exposed, found.blind, found.missed) == (1, ((11.5, 14.0),), ())
    assert held(face(10.2), fault(11.5)).blind == ((11.5, 30.0),)
    bad = score([NINE, KING], [face(10.2)], 30.0, [(11.0, 13.0)])
    assert (bad.exposed, bad.missed) == (1, ())


def test_what_lies_there_after_a_fault_may_be_told_again() -> None:
    told = [face(10.2), fault(13.0), restored(15.0), face(15.5)]
    assert held(*told, face(12.2, "Kd", "S1")).wrong == ()


def back(at_s: float, place: str = "S1") -> Told:
    return Told(at_s, BackSighted(at_ns=0, place=Place(place)))


def test_each_card_that_comes_to_lie_face_down_explains_one_back() -> None:
    landings = [Landing(Place("S1"), 1.0), Landing(Place("S1"), 5.0), Landing(Place("S2"), 2.0)]
    told = [back(0.5), back(1.2), back(1.3), back(5.2), back(3.0, "S3")]
    found = score([], told, 30.0, landings=landings)
    assert found.backs == (3, 2)
    assert sorted(each.at_s for each in found.wrong) == [0.5, 1.3, 3.0]


# ---------------------------------------------------------------- the bench
def test_a_fault_comes_every_half_minute_for_six_seconds() -> None:
    dark = video.Setting(name="dark", mishaps=Mishaps(is_dark=True))
    assert [video.is_bad_at(at_s, dark) for at_s in (0, 11.9, 12, 17.9, 18, 42)] == [
        *(False, False, True, True, False, True),
    ]
    assert video.bad_spans(dark, 60.0) == [(12.0, 18.0), (42.0, 48.0)]
    assert not video.is_bad_at(12, video.Setting(name="clean"))
    assert video.bad_spans(video.Setting(name="clean"), 60.0) == []


def test_filmed_hands_are_watched_frame_by_frame() -> None:
    result = video.measure(video.SETTINGS[0], 2.0, deck=Deck(), eye=None)
    assert (result.score.missed, result.score.wrong) == ((), ())
    assert len(result.looks_ms) == 60
    assert list(video.flaws(result)) == []


def test_the_bench_prints_a_line_a_setting(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--eye", "told", "--faulty", "0.1"]
    assert video.main([*arguments, "--only", "o"]) == 0
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["camera", "seconds", "faces"]
    assert [line.split("  ")[0] for line in lines] == [
        *("one frame in ten lost", "noise", "frozen", "no frames", "another size"),
    ]


def test_what_is_not_as_it_must_be_is_a_line_each() -> None:
    scored = Score(exposed=1, waits_s=(), missed=(KING,), wrong=(face(3.0), back(4.0)), blind=())
    result = video.Result(
        setting=video.Setting(name="dark"), score=scored, length_s=1.0, looks_ms=(2.0,)
    )
    missed, wrong, _ = video.flaws(result)
    assert missed == "dark: 12.00 s: Kd at S1 was not told"
    assert wrong.startswith("dark: 3.00 s: did not happen: CardSighted(")
    row = video.row(result)
    assert row[:7] == ("dark", "1", "1", "0", "0", "1", "1")
    assert row[9] == "0 of 0, 1 false"
