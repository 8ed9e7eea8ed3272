"""The facts of each kind of finding: what each says, and when it is not known."""

import pytest

from engine.facts import Scene, Unknown
from engine.state import Finding
from tests.engine.felt import Played, book
from tests.engine.scenes import DEALER_OR_PLAYER, YES_OR_NO, fact, scene_of


# ---------------------------------------------------------------- exposed and boxed cards
@pytest.mark.parametrize(
    ("events", "facts"),
    [
        (
            ("deal Kd S1 up",),
            {"number": 1, "nth": 1, "in_deal": True, "where": "seat", "exposed_by": "dealer"},
        ),
        (
            ("round", "deal Kd S1 up by=player"),
            {"number": 4, "nth": 2, "in_deal": True, "where": "seat", "exposed_by": "player"},
        ),
        (
            ("deal Kd S1", "round S2 S3", "expose Kd"),
            {"number": 1, "nth": 1, "in_deal": True, "exposed_by": DEALER_OR_PLAYER},
        ),
        (
            ("deal Kd S1", "expose Kd", "say exposed Kd by=player"),
            {"exposed_by": "player"},
        ),
        (
            ("deal Kd S1 up", "say exposed Kd by=player"),
            {"exposed_by": "player"},
        ),
        (
            ("deal Kd S1 up", "say exposed Kd by=player", "say exposed Kd by=dealer"),
            {"exposed_by": "dealer"},
        ),
        (
            ("deal Kd S1", "expose Kd", "say exposed Kd by=player", "say undo"),
            {"exposed_by": DEALER_OR_PLAYER},
        ),
        (("deal Kd S1", "round S2 S3", "round", "expose Kd"), {"in_deal": False}),
        (("round", "round S1 S2", "deal Kd S3 up"), {"in_deal": True}),
        (("deal ? S1", "expose Kd"), {"where": "stub", "number": 0}),
        (("deal ? S1", "deal Kd floor"), {"where": "floor", "number": 2}),
        (
            ("round", "deal Kd S1 up"),
            {"others_up_at_hand": 0, "down_cards": 1, "cards_since": 0},
        ),
        (
            ("deal Kd S1 up", "deal ? S2", "deal ? S3", "deal Kc S1 up"),
            {"others_up_at_hand": 1, "down_cards": 0, "cards_since": 0},
        ),
        (
            ("deal Kd S1", "expose Kd", "round S2 S3", "deal Kc S1 up"),
            {"others_up_at_hand": Unknown((0, 1), "exposed_by")},
        ),
        (("deal Kd S1 up", "round S2 S3 S1"), {"down_cards": 1, "cards_since": 1}),
        (("round", "round", "board Kd Kc Ks"), {}),
    ],
)
def test_an_exposed_card_has_its_facts(events: tuple[str, ...], facts: dict[str, object]) -> None:
    played = Played(*events)
    told = {name: fact(name, scene_of(played, "exposed_card")) for name in facts}
    assert told == facts


@pytest.mark.parametrize(
    ("events", "before", "followed"),
    [
        (("deal Kd S1 up",), [0], [False]),
        (("deal Kd S1 up", "deal Kc S2 up"), [0, 1], [True, False]),
        (
            ("deal Kd S1 up", "deal Kc S2", "expose Kc by=player", "deal Ks S3 up"),
            [0, 1, 1],
            [True, True, False],
        ),
        (
            ("deal Kd S1", "expose Kd", "deal Kc S2 up"),
            [0, Unknown((0, 1), "exposed_by")],
            [True, False],
        ),
        (
            ("deal Kd S1", "expose Kd", "deal Kc S2", "expose Kc", "deal Ks S3 up"),
            [0, Unknown((0, 1), "exposed_by"), Unknown((0, 1, 2), "exposed_by")],
            [True, True, False],
        ),
        (("deal Kd S1 up", "deal ? S2", "expose Kc"), [0, 1], [False, False]),
    ],
)
def test_exposures_are_counted_in_their_order(
    events: tuple[str, ...], before: list[object], followed: list[bool]
) -> None:
    played = Played(*events)
    scenes = [scene_of(played, "exposed_card", at) for at in range(len(before))]
    assert [fact("exposed_before", scene) for scene in scenes] == before
    assert [fact("followed", scene) for scene in scenes] == followed


@pytest.mark.parametrize(
    ("events", "at", "facts"),
    [
        # An exposure after the deal carries no matter of the deal on.
        (
            ("deal Kd S1 up", "round S2 S3", "round S1 S2", "deal Kc S3 up"),
            0,
            {"followed_in_deal": True, "followed": True},
        ),
        (
            ("deal Kd S1 up", "round S2 S3", "deal Kc S1", "round S2 S3", "expose Kc by=dealer"),
            0,
            {"followed_in_deal": False, "followed": True},
        ),
        (
            ("deal Kd S1 up", "round S2 S3", "deal Kc S1", "round S2 S3", "expose Kc by=dealer"),
            1,
            {"exposed_in_deal_before": 1, "exposed_before": 1},
        ),
        # Cards dealt off the table are counted among themselves.
        (
            ("deal ? S1", "deal Kd floor", "deal Kc floor"),
            0,
            {"off_table_before": 0, "followed_off_table": True, "followed": False},
        ),
        (
            ("deal ? S1", "deal Kd floor", "deal Kc floor"),
            1,
            {"off_table_before": 1, "followed_off_table": False, "exposed_before": 0},
        ),
    ],
)
def test_exposures_are_told_apart_by_phase_and_place(
    events: tuple[str, ...], at: int, facts: dict[str, object]
) -> None:
    scene = scene_of(Played(*events), "exposed_card", at)
    assert {name: fact(name, scene) for name in facts} == facts


@pytest.mark.parametrize(
    ("events", "in_deal", "in_hand", "followed"),
    [
        (("boxed Kd",), 1, 1, False),
        (("boxed Kd", "deal ? S1", "boxed Kc"), 2, 2, True),
        (("boxed Kd", "round", "round", "boxed Kc"), 1, 2, False),
        (("round", "round", "boxed Kd"), 0, 1, False),
    ],
)
def test_boxed_cards_are_counted_in_the_deal_and_in_the_hand(
    events: tuple[str, ...], in_deal: int, in_hand: int, followed: bool
) -> None:
    scene = scene_of(Played(*events), "boxed_card", 0)
    assert [fact(name, scene) for name in ("boxed_cards", "boxed_in_hand", "followed")] == [
        in_deal, in_hand, followed,
    ]  # fmt: skip


# ---------------------------------------------------------------- the places of the deal
CASES: list[tuple[str, tuple[str, ...], dict[str, object]]] = [
    ("first_card_misplaced", ("deal ? S2",), {"further_card": False}),
    ("first_card_misplaced", ("deal ? S2", "deal ? S3"), {"further_card": True}),
    ("unentitled_hand", ("deal ? S9",), {"further_card": False, "cards_there": 1}),
    (
        "unentitled_hand",
        ("round", "deal ? S9", "deal ? S1", "deal ? S9"),
        {"further_card": True, "cards_there": 2, "is_back": False},
    ),
    ("out_of_sequence", ("round", "deal ? S2", "deal ? S1"), {"only_button": False}),
    ("out_of_sequence", ("round S1 S2", "deal ? S3", "deal ? S3"), {"only_button": True}),
    (
        "rounds_omitted",
        ("round", "round S1 S2", "deal ends"),
        {"lacking": 1, "button_only": True},
    ),
    ("rounds_omitted", ("round", "deal ends"), {"lacking": 3, "button_only": False}),
    (
        "omitted_hand",
        ("round S1 S3", "round S1 S3", "deal ends"),
        {"rounds_omitted": False, "is_dealer": False, "first_omitted": True, "anted": YES_OR_NO},
    ),
    ("omitted_hand", ("round S1 S3", "say ante S2", "deal ends"), {"anted": True}),
    ("omitted_hand", ("round S1 S3", "say no-ante S2", "deal ends"), {"anted": False}),
    ("omitted_hand", ("round S1 S3", "say ante S1", "deal ends"), {"anted": YES_OR_NO}),
    ("omitted_hand", ("round S3", "round S3", "deal ends"), {"first_omitted": False}),
    ("omitted_hand", ("round S1 S3", "round S1 S3", "deal ends"), {"dealer_has_hand": True}),
    ("omitted_hand", ("round S1 S2", "round S1 S2", "deal ends"), {"dealer_has_hand": False}),
    # -------- counts
    (
        "wrong_count",
        ("round", "round S1 S2 S2"),
        {"count": 3, "due": 2, "is_short": False, "is_button": False, "has_acted": False},
    ),
    (
        "wrong_count",
        ("round", "round S1 S2", "deal ends"),
        {"count": 1, "is_short": True, "is_button": True, "next_in_sequence": True},
    ),
    (
        "wrong_count",
        ("round", "deal ? S1", "deal ends"),
        {"count": 1, "is_button": True, "rounds_omitted": True},
    ),
    (
        "wrong_count",
        ("round S1 S2", "round S1 S2 S3", "deal ends"),
        {"count": 1, "is_button": True, "rounds_omitted": False},
    ),
    ("wrong_count", ("round", "round S1 S3", "deal ends"), {"next_in_sequence": False}),
    (
        "wrong_count",
        ("round", "round", "round S1 S2"),
        {"hands_over": 2, "extra_cards": 2, "extra_to_first": False},
    ),
    ("wrong_count", ("round", "round", "deal ? S1"), {"extra_to_first": True}),
    ("wrong_count", ("round", "round S1 S1 S2 S3"), {"extra_to_first": False}),
    (
        "wrong_count",
        ("round", "round S1 S2 S2", "deal ends", "act S3 fold"),
        {"has_acted": True, "agreed_short": False},
    ),
    (
        "wrong_count",
        ("round", "round S1 S2", "deal ends", "say agree short S3"),
        {"agreed_short": True},
    ),
    (
        "wrong_count",
        ("round", "round S1 S2", "deal ends", "say agree short S1"),
        {"agreed_short": False},
    ),
    (
        "wrong_count",
        ("round", "round S1 S2", "deal ends", "act S1 fold"),
        {"only_foul_left": False},
    ),
    (
        "wrong_count",
        ("round", "round S1 S2", "deal ends", "act S1 fold", "act S2 fold"),
        {"only_foul_left": True},
    ),
    # -------- the pack
    ("duplicate_card", ("deal Kd S1", "deal Kd#2 S2"), {"copies": 2}),
    ("foreign_card", ("deal ? S1", "deal X S2"), {"is_known": False, "in_play": True}),
    ("foreign_card", ("deal ? S1", "deal Kd@other S2"), {"is_known": True, "in_play": True}),
    ("foreign_card", ("deal ? S1", "expose Kd@other"), {"in_play": False}),
    ("marked_card", ("deal Kd S1", "mark Kd"), {"in_deal": True, "is_dealt": True}),
    ("marked_card", ("mark Kd",), {"in_deal": False, "is_dealt": False}),
    ("cut_too_thin", ("cut 4/48",), {"fewest": 4}),
    ("cut_too_thin", ("cut 49/3",), {"fewest": 3}),
    ("wrong_pack_count", ("pack 51",), {"count": 51, "due": 52}),
    ("stub_disordered", ("say stub dropped",), {"is_mixed": False}),
    ("stub_disordered", ("say stub dropped mixed",), {"is_mixed": True}),
    (
        "burn_error",
        ("round", "round", "act S1 check", "act S2 check", "act S3 check", "board ? ? ?"),
        {"burns": 0, "street": 0, "acted_since": False},
    ),
    (
        "burn_error",
        ("round", "round", "act S1 check", "act S2 check", "act S3 check", "board ? ? ?",
         "act S1 check"),
        {"acted_since": True},
    ),
    ("burn_error", ("round", "round", "burn", "burn"), {"burns": 2}),
    (
        "board_count",
        ("round", "round", "burn", "board ? ? ? ?"),
        {"count": 1, "from_pack": True, "street": 1},
    ),
    (
        "burn_error",
        ("round", "round", "deal Kd S1", "move Kd burn", "act S1 check", "act S2 check",
         "act S3 check", "board ? ? ?"),
        {"extra_as_burn": True},
    ),
    ("burn_error", ("round", "round", "burn", "burn"), {"extra_as_burn": False}),
    # -------- devices and people
    ("equipment_fault", ("fault shuffler",), {"device": "shuffler", "approved": False}),
    ("equipment_fault", ("fault shuffler", "approve"), {"approved": True}),
    ("equipment_fault", ("approve", "fault shuffler"), {"approved": False}),
    ("report", ("report T-A5 needed=20 put=10",), {"needed": 20, "put": 10, "limit": 0}),
    (
        "report",
        ("report T-A5 minimum=5 raised=3 announced=9 limit=50",),
        {"minimum": 5, "raised": 3, "announced": 9, "limit": 50},
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "events", "facts"), CASES)
def test_a_finding_has_its_facts(
    kind: str, events: tuple[str, ...], facts: dict[str, object]
) -> None:
    scene = scene_of(Played(*events), kind)
    assert {name: fact(name, scene) for name in facts} == facts


@pytest.mark.parametrize(
    ("events", "after_draw"),
    [
        (("round",) * 4, False),
        (
            ("round", "round", "round", "round", "deal Kd S1", "round S2 S3", "act S1 check",
             "act S2 check", "act S3 check", "discard S1 Kd", "deal ? S1"),
            True,
        ),
    ],
)  # fmt: skip
def test_a_hand_counted_after_the_exchange_is_told_from_one_of_the_deal(
    events: tuple[str, ...], after_draw: bool
) -> None:
    extra = ("deal ? S1", "deal ? S1") if not after_draw else ("deal ? S1",)
    played = Played(*events, *extra, game="draw5", rules=book("laws-of-poker"))
    assert fact("after_draw", scene_of(played, "wrong_count")) == after_draw


def test_where_nobody_enters_actions_it_is_unknown_who_has_acted() -> None:
    frame = 'actions = "none"'
    short_hand = Played("round", "round S1 S2", "deal ends", frame=frame)
    assert fact("has_acted", scene_of(short_hand, "wrong_count")) == YES_OR_NO
    burns = Played("round", "round", "burn", "burn", frame=frame)
    assert fact("acted_since", scene_of(burns, "burn_error")) == YES_OR_NO


# ---------------------------------------------------------------- draws
@pytest.mark.parametrize(
    ("events", "facts"),
    [
        (
            ("deal 9d P up", "deal 2h B up", "deal Kc P up", "deal 4s B up", "deal 5h P up"),
            {"due_draw": "none", "landed_draw": "P", "player_total": 9, "banker_total": 6,
             "is_up": False, "is_exposed_draw": True},
        ),
        (
            ("deal 2d P up", "deal 2h B up", "deal Kc P up", "deal 4s B up", "deal 5h B"),
            {"due_draw": "P", "landed_draw": "B", "is_exposed_draw": False, "draws_before": 0},
        ),
        (
            ("deal 9d P up", "deal 2h B up", "deal Kc P up", "deal 4s B up", "deal 5h P up",
             "deal 6h B up"),
            {"landed_draw": "B", "draws_before": 1},
        ),
    ],
)  # fmt: skip
def test_a_wrong_draw_has_its_facts(events: tuple[str, ...], facts: dict[str, object]) -> None:
    played = Played(
        "say bets closed",
        *events,
        game="baccarat",
        at="",
        rules=book("pa-baccarat"),
        frame="decks = 8",
    )
    scene = scene_of(played, "wrong_draw")
    assert {name: fact(name, scene) for name in facts} == facts


@pytest.mark.parametrize(("claim", "rules"), [("misdeal", "tda-2024"), ("redeal", "laws-of-poker")])
def test_a_claim_has_what_is_claimed_and_whether_it_was_upheld(claim: str, rules: str) -> None:
    finding = Finding(kind="claim", facts={"claim": claim})
    table = Played("round", rules=book(rules)).watch.table
    assert fact("claim", Scene(table, finding, (finding,))) == claim
    assert fact("upheld", Scene(table, finding, (finding,))) is False
    assert fact("upheld", Scene(table, finding, (finding,), is_upheld=True)) is True
