"""What holds for every dialect, told by simulated readers with encoders of their own."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import seat_place
from firmware_bridge.dialects import DIALECTS
from firmware_bridge.dialects.dialect import MOST_LISTED
from firmware_bridge.families import FAMILIES
from firmware_bridge.presence import MAX_TAGS
from tests.firmware_bridge.wires import (
    KINDS,
    LISTENED,
    MS,
    MULTI,
    POLLED,
    Arrivals,
    Wire,
    Wired,
    clean,
    unlucky,
)

FEW = settings(max_examples=settings().max_examples // 5)


def test_an_inventory_may_be_as_long_as_what_a_place_holds() -> None:
    assert MOST_LISTED == MAX_TAGS


def test_every_family_has_a_dialect_but_the_one_whose_answers_are_not_public() -> None:
    assert FAMILIES.keys() - DIALECTS.keys() == {"ti_s6350"}


@pytest.mark.parametrize(
    ("family", "reset", "reset_ms", "gap_ms", "max_tags", "signs"),
    [
        ("pepper_c1", "f50300fcff0aba40", 1000, 0, MOST_LISTED, True),
        ("metratec_ascii", b"RST\r".hex(), 500, 0, None, False),
        ("feig", "05ff63d3ae", 1000, 0, MOST_LISTED, False),
        ("anyid7e55", "7e55080000010004004729", 1000, 50, MOST_LISTED, True),
        ("pn532_hsu", "0000ff00ff00" + "5555" + "00" * 14, 0, 0, None, False),
        ("chafon_uhf", "", 0, 0, None, False),
        ("chafon_rr3036_hf", "", 0, 0, None, False),
        ("twn4_simple", b"000131E1\r".hex(), 2000, 0, None, False),
        ("ti_trf796x_ascii", b"0108000304170000".hex(), 500, 0, None, False),
        ("front_end", "00020703b0bd00", 500, 0, None, True),
    ],
)
def test_what_a_family_that_is_asked_needs(  # its commands to restart are golden bytes, too
    family: str, reset: str, reset_ms: int, gap_ms: int, max_tags: int | None, *, signs: bool
) -> None:
    dialect = DIALECTS[family]()
    assert (dialect.reset.hex(), dialect.reset_ms, dialect.gap_ms) == (reset, reset_ms, gap_ms)
    assert (dialect.max_tags, dialect.reads_signatures) == (max_tags, signs)
    assert not dialect.is_listening
    assert dialect.has_identity
    assert dialect.has_outputs is (family == "front_end")
    assert dialect.keep_alive_ms is None


@pytest.mark.parametrize(
    ("family", "quiet_ms", "has_identity"),
    [
        ("r200", 2000, True),
        ("thingmagic", 3000, True),
        ("rdm6300", None, False),
        ("wl134", None, False),
        ("code_shoe", None, False),
    ],
)
def test_what_a_family_that_tells_needs(
    family: str, quiet_ms: int | None, *, has_identity: bool
) -> None:
    dialect = DIALECTS[family]()
    assert dialect.is_listening
    assert (dialect.quiet_ms, dialect.has_identity) == (quiet_ms, has_identity)
    assert dialect.reset == b""


@pytest.mark.parametrize("name", KINDS)
def test_a_reader_becomes_ready_and_is_known_by_its_name(name: str) -> None:
    wired = Wired(name, identity=KINDS[name].told or None)
    wired.open()
    wired.run(2_500)
    assert wired.session.state == "READY", (wired.session.why, wired.sent)
    assert wired.session.tally.noise_bytes == 0


@pytest.mark.parametrize("name", [name for name, kind in KINDS.items() if kind.told])
def test_bugs_9_another_reader_is_a_wrong_device_and_gives_no_card(name: str) -> None:
    kind = KINDS[name]
    wired = Wired(name, {1: kind.tags[:1]}, identity="another")
    wired.open()
    wired.run(3_000, asking=[1])
    assert wired.session.state == "WRONG_DEVICE"
    assert kind.told in wired.session.why
    assert wired.polls == []


@pytest.mark.parametrize("name", POLLED)
def test_bugs_41_an_inventory_tells_all_that_the_antenna_hears(name: str) -> None:
    kind = KINDS[name]
    wired = Wired(name).ready()
    for count in sorted({1, 2, 5, 24, 25, 26, 52, kind.most}):
        if count > kind.most:
            continue
        wired.cards[1] = kind.tags[:count]
        wired.ask()  # a list that is not counted is whole only where the one before was the same
        poll = wired.ask()
        assert poll.outcome == "seen"
        assert sorted(poll.tags) == sorted(kind.tags[:count])
        if kind.knows_all:
            assert poll.is_complete
    assert wired.session.tally.timeouts == 0


@pytest.mark.parametrize("name", POLLED)
def test_bugs_38_an_empty_place_is_told_as_empty(name: str) -> None:
    wired = Wired(name).ready()
    wired.ask()
    assert wired.ask().outcome == "empty"


@pytest.mark.parametrize(
    "name", [n for n in POLLED if n not in ("pn532_hsu", "twn4_simple", "pepper_c1")]
)
@pytest.mark.parametrize("count", [0, 2])
def test_bugs_48_a_part_is_used_and_is_not_complete(name: str, count: int) -> None:
    kind = KINDS[name]
    wired = Wired(name, {1: kind.tags[:count]}).ready()
    wired.is_whole = False
    poll = wired.ask()
    assert poll.outcome == ("seen" if count else "unknown")
    assert not poll.is_complete
    assert sorted(poll.tags) == sorted(kind.tags[:count])


@pytest.mark.parametrize("name", MULTI)
def test_each_antenna_is_asked_for_its_own_tags(name: str) -> None:
    kind = KINDS[name]
    cards = {n: kind.tags[2 * n : 2 * n + 2] for n in range(1, kind.antennas + 1)}
    wired = Wired(name, cards, antennas=kind.antennas).ready()
    for antenna in [*cards, *cards]:
        poll = wired.ask(antenna)
        assert poll.place == seat_place(antenna)
        assert sorted(poll.tags) == sorted(cards[antenna])


@pytest.mark.parametrize("name", LISTENED)
def test_a_reader_that_tells_is_listened_to_and_never_asked(name: str) -> None:
    kind = KINDS[name]
    wired = Wired(name).ready()
    assert not wired.session.is_idle
    wired.cards[1] = kind.tags[:1]
    wired.run(1_000)
    seen = [poll for poll in wired.polls if poll.tags or poll.cards]
    assert seen
    assert all(poll.is_pushed and not poll.is_complete for poll in seen)
    assert wired.sent == []
    if name == "code_shoe":
        assert [poll.cards for poll in seen] == [("9h",)]
    else:
        assert {poll.tags for poll in seen} == {kind.tags[:1]}


@pytest.mark.parametrize("name", LISTENED)
def test_a_reader_that_tells_nothing_of_an_empty_place_never_calls_it_empty(name: str) -> None:
    kind = KINDS[name]
    wired = Wired(name, {1: kind.tags[:1]}).ready()
    wired.cards.clear()
    wired.run(5_000)
    assert "empty" not in {poll.outcome for poll in wired.polls}
    assert wired.session.state == "READY"


@pytest.mark.parametrize("name", KINDS)
def test_bugs_50_a_reader_that_breaks_down_is_set_up_again(name: str) -> None:
    kind = KINDS[name]
    wired = Wired(name, {1: kind.tags[:1]}).ready()
    wired.run(500, asking=[1])
    wired.brown_out()
    wired.polls.clear()
    wired.run(9_000, asking=[1])
    assert wired.session.state == "READY"
    if name != "code_shoe":
        assert wired.polls[-1].tags or kind.is_listening
        assert any(poll.tags == kind.tags[:1] for poll in wired.polls)


@pytest.mark.parametrize("name", POLLED)
def test_bugs_1_2_a_reader_that_boots_for_2500_ms_becomes_ready(name: str) -> None:
    wired = Wired(name)
    wired.wire = lambda _command, answers: answers if wired.now_ns > 2_500_000_000 else []
    wired.open()
    wired.run(7_000)
    assert wired.session.state == "READY"
    assert wired.session.tally.timeouts == 0


@pytest.mark.parametrize("name", POLLED)
def test_bugs_29_a_full_echo_changes_nothing(name: str) -> None:
    kind = KINDS[name]
    wired = Wired(name, {1: kind.tags[:1]})
    wired.wire = lambda command, answers: [(1.0, command), *answers]
    wired.open()
    wired.run(3_000)
    assert wired.session.state == "READY"
    assert wired.ask().tags == kind.tags[:1]
    assert wired.session.tally.timeouts == 0


@pytest.mark.parametrize("name", POLLED)
def test_bugs_23_answers_byte_by_byte_are_answers(name: str) -> None:
    kind = KINDS[name]
    wired = Wired(name, {1: kind.tags[:1]}).ready()

    def in_bytes(_command: bytes, answers: Arrivals) -> Arrivals:
        data = b"".join(answer for _, answer in answers)
        return [(5 + n / 20, data[n : n + 1]) for n in range(len(data))]

    wired.wire = in_bytes
    assert wired.ask().tags == kind.tags[:1]
    assert wired.session.tally.timeouts == 0


def late_once(wired: Wired, victim: int, delay_ms: float) -> Wire:
    """Carry the answer to one command late; a reader answers one command after the other."""
    seen = 0
    free_ns = 0

    def carry(_command: bytes, answers: Arrivals) -> Arrivals:
        nonlocal seen, free_ns
        seen += 1
        wait_ms = delay_ms if seen == victim else 0.0
        base_ms = max(0.0, (free_ns - wired.now_ns) / MS) + wait_ms
        free_ns = wired.now_ns + round((base_ms + 10) * MS)
        return [(base_ms + wait, data) for wait, data in answers]

    return carry


@pytest.mark.parametrize("name", MULTI)
@pytest.mark.parametrize("delay_ms", [110, 300, 700, 2_100])
def test_bugs_52_a_late_answer_reaches_no_other_antenna(name: str, delay_ms: float) -> None:
    kind = KINDS[name]
    cards = {1: kind.tags[:1], 2: (), 3: kind.tags[2:3]}
    for victim in range(1, 6):
        wired = Wired(name, cards, antennas=3).ready()
        wired.wire = late_once(wired, victim, delay_ms)
        wired.run(6_000, asking=[1, 2, 3])
        for poll in wired.polls:
            own = set(cards[list(wired.spec.antennas.values()).index(poll.place) + 1])
            assert set(poll.tags) <= own
            assert not poll.is_complete or set(poll.tags) == own
        assert {poll.tags for poll in wired.polls} >= {kind.tags[:1], (), kind.tags[2:3]}


@pytest.mark.parametrize("name", POLLED)
def test_bugs_40_a_reader_that_answers_nothing_is_restarted_and_its_port_opened_afresh(
    name: str,
) -> None:
    wired = Wired(name).ready()
    wired.wire = lambda _command, _answers: []
    wired.run(14_000, asking=[1])
    assert wired.is_hopeless
    assert "STALE" in wired.states
    reset = DIALECTS[wired.kind.family](wired.spec.options).reset
    assert bool(reset) == (wired.session.tally.restarts > 0)
    wired.wire = clean
    wired.run(8_000, asking=[1])
    assert wired.session.state == "READY"


@pytest.mark.parametrize("name", KINDS)
@FEW
@given(seed=st.integers(0, 2**32))
def test_whatever_happens_on_the_wire_no_tag_is_booked_where_it_is_not_heard(
    name: str, seed: int
) -> None:
    kind = KINDS[name]
    rng = random.Random(seed)
    count = min(3, kind.antennas)
    cards = {
        n: kind.tags[2 * n : 2 * n + rng.randrange(0, min(3, kind.most + 1))] for n in (1, 2, 3)
    }
    wired = Wired(name, cards, antennas=count).ready()
    # Frames of an inventory that are neither counted nor leave a trace are beyond any bridge.
    wired.wire = unlucky(rng, wired, has_losses=name != "chafon_uhf")
    wired.run(10_000, asking=range(1, count + 1))
    heard = {seat_place(n): set(tags) for n, tags in cards.items()}
    trusted: dict[Any, int] = {}
    for poll in wired.polls:
        for tag in poll.tags:
            if tag not in heard[poll.place]:
                trusted[poll.place, tag] = trusted.get((poll.place, tag), 0) + 1
        if poll.is_complete and DIALECTS[kind.family].family.reads_to_trust == 1:
            assert set(poll.tags) == heard[poll.place]
    assert all(count < DIALECTS[kind.family].family.reads_to_trust for count in trusted.values())


@pytest.mark.parametrize("name", KINDS)
@FEW
@given(
    st.lists(st.tuples(st.integers(0, 700), st.binary(max_size=60)), max_size=30),
    st.integers(0, 2**32),
)
def test_bugs_31_no_bytes_at_any_time_raise(
    name: str, arrivals: list[tuple[int, bytes]], seed: int
) -> None:
    wired = Wired(name)
    rng = random.Random(seed)
    wired.wire = lambda _command, answers: answers if rng.random() < 0.5 else []
    wired.open()
    for gap_ms, data in arrivals:
        wired.run(gap_ms, asking=[1])
        wired.follow(wired.session.receive(data, wired.now_ns))
    wired.run(3_000, asking=[1])
