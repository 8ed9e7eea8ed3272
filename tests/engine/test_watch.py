"""The engine's door: what is due, what may be shown, what is refused."""

import msgspec
import pytest
from msgspec.structs import replace

from engine.cards import FULL_PACK
from engine.docket import Ruling
from engine.errors import SetupError
from engine.events import AnyEvent, TimePassed
from engine.setup import TableSetup
from engine.statements import parse_statement
from engine.watch import begin, next_due, open_rulings, phase, public, refused, view
from tests.engine.felt import Felt, Played, book, inferred, seats

TDA = book()


# ---------------------------------------------------------------- the table's start
def test_a_table_without_seats_cannot_be_watched() -> None:
    with pytest.raises(SetupError, match="seats: found none, expected at least one seat"):
        begin(TableSetup(game="holdem", seats=()), TDA)


def test_a_game_that_nobody_knows_cannot_be_watched() -> None:
    setup = TableSetup(game="bridge", seats=seats("1 2"))  # type: ignore[arg-type]
    with pytest.raises(SetupError, match="game: found 'bridge', expected one of holdem"):
        begin(setup, TDA)


def test_baccarat_needs_no_seat() -> None:
    setup = TableSetup(game="baccarat", seats=(), decks=8)
    assert begin(setup, book("pa-baccarat")).table.order == ("P", "B")


# ---------------------------------------------------------------- who is due
@pytest.mark.parametrize(
    ("game", "rules", "events", "due"),
    [
        ("holdem", "tda-2024", "shuffle", ("S1", "down")),
        ("holdem", "tda-2024", "deal ? S1", ("S2", "down")),
        ("holdem", "tda-2024", "round", ("S1", "down")),
        ("holdem", "tda-2024", "round, round", None),
        ("holdem", "tda-2024", "round, deal ends", None),
        ("stud7", "tda-2024", "round, round", ("S1", "up")),
        ("caribbean-stud", "nsw-caribbean-stud", "round, deal ? D, round", ("D", "down")),
        (
            "caribbean-stud", "nsw-caribbean-stud",
            "round, deal ? D, round, deal ? D, round, deal ? D, round, deal ? D, round",
            ("D", "up"),
        ),
        ("blackjack", "south-dakota-blackjack", "round", ("D", "up")),
        ("blackjack", "south-dakota-blackjack", "round, deal ? D, round", ("D", "down")),
    ],
)  # fmt: skip
def test_the_next_card_is_due_to_one_place_up_or_down(
    game: str, rules: str, events: str, due: tuple[str, str] | None
) -> None:
    played = Played(*events.split(", "), game=game, rules=book(rules))
    assert next_due(played.watch) == due


@pytest.mark.parametrize(
    ("events", "due"),
    [
        ("shuffle", ("P", "up")),
        ("deal 2d P up", ("B", "up")),
        ("deal 2d P up, deal 4h B up", ("P", "up")),
        ("deal 2d P up, deal 4h B up, deal 3d P up, deal Kh B up", ("P", "up")),
        ("deal 2d P up, deal 4h B up, deal 3d P up, deal Kh B up, deal 2h P up", ("B", "up")),
        ("deal 2d P up, deal 4h B up, deal 3d P up, deal Kh B up, deal 9h P up", None),
        ("deal 9d P up, deal 4h B up, deal Kd P up, deal Kh B up", None),
        ("deal 6d P up, deal 4h B up, deal Kd P up, deal Kh B up", ("B", "up")),
    ],
)
def test_in_baccarat_the_next_action_is_always_a_single_value(
    events: str, due: tuple[str, str] | None
) -> None:
    lines = ("say bets closed", *events.split(", "))
    played = Played(
        *lines, game="baccarat", at="", rules=book("pa-baccarat"), frame="decks = 8"
    )  # fmt: skip
    assert next_due(played.watch) == due


# ---------------------------------------------------------------- what may be shown
def texts(*rulings: Ruling) -> str:
    """Return everything that rulings say, as one text; a hash says nothing."""
    return msgspec.json.encode([replace(ruling, book_hash="") for ruling in rulings]).decode()


def test_the_view_counts_cards_and_names_none() -> None:
    felt = Felt()
    felt.round()
    felt.round("S1 S2")
    felt.move("As", "S1", "muck")
    shown = view(felt.watch)
    assert not any(card in msgspec.json.encode(shown).decode() for card in FULL_PACK)
    counts = {p.place: (p.cards, p.due, p.unread, p.is_next) for p in shown.places}
    assert counts == {
        "S1": (1, 2, 0, False),
        "S2": (2, 2, 0, False),
        "S3": (1, 2, 0, True),
        "board": (0, None, 0, False),
        "burn": (0, None, 0, False),
        "muck": (1, None, 0, False),
        "rack": (0, None, 0, False),
    }


def test_the_view_shows_cards_at_a_seat_that_is_due_none() -> None:
    felt = Felt()
    felt.deal("S1")
    felt.deal("S9")
    assert {p.place: p.due for p in view(felt.watch).places if p.cards} == {"S1": 2, "S9": 0}


def test_the_view_shows_how_many_cards_of_a_hand_were_not_read() -> None:
    felt = Felt()
    felt.deal("S1")
    felt.at_ns += 10**9
    felt.back_sighted("S2")
    felt.wait(1)
    assert {p.place: (p.cards, p.unread) for p in view(felt.watch).places if p.cards} == {
        "S1": (1, 0),
        "S2": (1, 1),
    }


@pytest.mark.parametrize(
    ("events", "told", "card"),
    [
        (("deal Kd S1", "deal ? S2", "seen Kd as Kc"), "face_mismatch noted", "Kd"),
        (("deal Kd S1", "deal ? S2", "stray Kd S2"), "cross_read noted", "Kd"),
        (("deal Kd@other S1",), "foreign_card floor", "Kd"),
        (("deal Kd S1", "mark Kd"), "marked_card floor", "Kd"),
    ],
)
def test_a_face_down_card_of_a_live_hand_is_not_named(
    events: tuple[str, ...], told: str, card: str
) -> None:
    (ruling,) = view(Played(*events).watch).in_force
    assert f"{ruling.finding} {ruling.verdict}" == told
    assert card not in texts(ruling)


@pytest.mark.parametrize(
    ("events", "card"),
    [
        # What stops the hand, or takes that very card out, is named; what lies open is seen.
        (("deal Kd S1", "deal Kd#2 S2"), "Kd"),
        (("deal JK S1",), "JK"),
        (("deal ? S1", "deal ? S2", "deal Kd S3 up"), "Kd"),
        (("deal ? S1", "boxed Kd"), "Kd"),
    ],
)
def test_a_card_is_named_where_the_ruling_takes_it_out_or_stops_the_hand(
    events: tuple[str, ...], card: str
) -> None:
    played = Played(*events)
    (ruling,) = played.rulings.values()
    assert public(played.watch, ruling).card == card


def test_a_scrap_of_paper_found_after_action_is_named() -> None:
    events = ("round", "round", "act S1 call", "act S2 call", "act S3 check", "burn")
    played = Played(*events, "board ? JK ? ?")
    assert [r.card for r in view(played.watch).in_force if r.verdict == "card_scrap"] == ["JK"]


def test_while_a_ruling_asks_its_face_down_card_is_not_named() -> None:
    events = ("round", "round", "board ? ?", "deal JK S1")
    played = Played(*events, frame='actions = "none"')
    (asking,) = [r for r in view(played.watch).in_force if r.finding == "nonstandard_card"]
    assert (asking.card, bool(asking.asks)) == (None, True)
    assert "JK" not in texts(asking)
    assert asking.because.startswith("A card does not belong to the game.")


def test_what_is_shown_of_a_ruling_names_no_tag() -> None:
    played = Played("deal Kd S1 up", "deal X S2")
    shown = [public(played.watch, ruling) for ruling in played.rulings.values()]
    assert "E004" not in texts(*shown)


def test_only_rulings_in_force_of_this_hand_are_shown() -> None:
    felt = inferred()
    felt.round("S1 S2")
    felt.deal("S3", up=True)
    assert [r.finding for r in view(felt.watch).in_force] == ["exposed_card"]
    felt.round()
    felt.collect()
    assert view(felt.watch).in_force == ()


def test_a_ruling_that_was_superseded_is_not_shown() -> None:
    played = Played("round", "deal Kd S1 up", "deal Kc S2 up")
    assert [r.card for r in view(played.watch).in_force] == ["Kc"]


def test_the_open_rulings_are_those_that_wait_for_somebody() -> None:
    played = Played("deal X S1", "deal Kd S2 up", "deal ? S3")
    assert [ruling.finding for ruling in open_rulings(played.watch)] == ["foreign_card"]


# ---------------------------------------------------------------- the phase
DEALT = ("round", "round")
CALLED = ("act S1 call", "act S2 call", "act S3 check")
CHECKED = ("act S1 check", "act S2 check", "act S3 check")


@pytest.mark.parametrize(
    ("events", "is_in"),
    [
        (("shuffle",), "waiting for the deal"),
        (("round",), "initial deal"),
        (DEALT, "preflop"),
        ((*DEALT, *CALLED, "burn", "board ? ? ?"), "flop"),
        ((*DEALT, *CALLED, "burn", "board ? ? ?", *CHECKED, "burn", "board ?"), "turn"),
        (
            (*DEALT, *CALLED, "burn", "board ? ? ?", *CHECKED, "burn", "board ?", *CHECKED,
             "burn", "board ?"),
            "river",
        ),
        ((*DEALT, "say pot taken"), "pot taken"),
        ((*DEALT, "say pot taken", "collect"), "waiting for the deal"),
    ],
)  # fmt: skip
def test_the_phase_of_a_flop_game_follows_deal_and_board(
    events: tuple[str, ...], is_in: str
) -> None:
    assert phase(Played(*events).watch.table) == is_in


@pytest.mark.parametrize(
    ("game", "rules", "events", "is_in"),
    [
        ("stud7", "tda-2024", ("round", "round", "round S1 S2 S3"), "third street"),
        (
            "stud7", "tda-2024",
            ("round", "round", "round S1 S2 S3", *CHECKED, "burn", "deal ? S1 up"),
            "fourth street",
        ),
        ("draw5", "laws-of-poker", ("round",) * 5, "first betting"),
        (
            "draw5", "laws-of-poker",
            ("round", "round", "round", "round", "deal Kd S1", "round S2 S3", *CHECKED,
             "discard S1 Kd"),
            "exchange",
        ),
        (
            "draw5", "laws-of-poker",
            ("round", "round", "round", "round", "deal Kd S1", "round S2 S3", *CHECKED,
             "discard S1 Kd", "deal ? S1", "act S1 check"),
            "second betting",
        ),
        ("three-card", "qld-three-card", ("say bets closed", "round", "deal ends"), "play"),
    ],
)  # fmt: skip
def test_the_phase_of_another_game_has_its_own_names(
    game: str, rules: str, events: tuple[str, ...], is_in: str
) -> None:
    assert phase(Played(*events, game=game, rules=book(rules)).watch.table) == is_in


# ---------------------------------------------------------------- what is refused
def stated(text: str, at_ns: int = 10**12) -> AnyEvent:
    return parse_statement(text, at_ns)


@pytest.mark.parametrize(
    ("events", "text", "reason"),
    [
        (("round",), "say undo", "there is no statement to undo"),
        (("round",), "say button S2", "the button moves between hands"),
        (("shuffle",), "say button S9", "the button moves between hands, to a seat in the game"),
        (("round",), "say leaves S2", "a player leaves between hands"),
        (("shuffle",), "say leaves S9", "a player leaves between hands, from a seat in the game"),
        (("round",), "say back S2", "S2 is not absent"),
        (("round",), "say pack blue", "no pack 'blue' is registered"),
        (("round",), "say dismiss R1 why", "there is no ruling r1"),
        (("deal X S1", "collect", "say next hand"), "say dismiss R1 why", "r1 is expired"),
        (("round",), "say sits S2", "S2 is in the game"),
        (("round",), "say sits D", "seat"),
        (("round",), "say tabled S9", "S9 has no hand"),
        (("round",), "act S9 fold", "S9 has no hand"),
        (("shuffle",), "act S1 fold", "no hand is being played"),
        (("shuffle",), "deal ends", "no deal"),
        (("shuffle",), "say pot taken", "no hand is being played"),
        (("round", "round", "act S1 fold"), "act S1 call", "S1 has folded"),
        (("round",), "say counted S9 2", "S9 has no hand"),
        (("round",), "report Z-99", "no clause"),
        (("round",), "call misdeal S9", "S9"),
    ],
)
def test_a_statement_that_does_not_fit_is_refused_with_its_reason(
    events: tuple[str, ...], text: str, reason: str
) -> None:
    assert reason in (refused(Played(*events).watch, stated(text)) or "")


@pytest.mark.parametrize(
    ("events", "text"),
    [
        (("round", "say substantial yes"), "say undo"),
        (("shuffle",), "say button S2"),
        (("shuffle",), "say leaves S2"),
        (("shuffle",), "say sits S9"),
        (("round",), "say pack other"),
        (("deal X S1",), "say dismiss R1 why"),
        (("round", "round"), "say tabled S1"),
        (("round", "round"), "act S1 fold"),
        (("round",), "deal ends"),
        (("round",), "handle S1"),
        (("round",), "call misdeal S1"),
        (("round",), "report T-A5"),
        (("round",), "say pot taken"),
    ],
)
def test_a_statement_that_fits_is_taken(events: tuple[str, ...], text: str) -> None:
    assert refused(Played(*events).watch, stated(text)) is None


def test_what_a_sensor_tells_is_never_refused() -> None:
    assert refused(Felt().watch, TimePassed(at_ns=1)) is None


def test_a_player_who_was_away_may_come_back_once() -> None:
    frame = "absent = [2]"
    assert refused(Played("shuffle", frame=frame).watch, stated("say back S2")) is None
    assert refused(Played("say back S2", frame=frame).watch, stated("say back S2")) is not None


def test_undo_takes_back_the_last_statement_and_no_earlier_one() -> None:
    frame = 'actions = "none"'
    events = ("round", "round S1 S3", "deal ends", "say substantial yes")
    played = Played(*events, "say tabled S1", "say undo", frame=frame)
    assert "wrong_count S2 -> hand_dead final" in played.standing()
