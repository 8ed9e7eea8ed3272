"""Hands begin and end by themselves: the next deal, its button, and who is dealt in."""

import pytest

from engine.cards import Place, Tag
from engine.events import PackCounted
from engine.watch import card_path, next_due, wakes_at
from tests.engine.felt import Felt, book, inferred, seats

TDA = book()


# ---------------------------------------------------------------- hands begin and end by themselves
def test_a_clean_hand_that_is_collected_makes_the_next_hand_due_and_moves_the_button() -> None:
    felt = inferred()
    felt.round()
    felt.round()
    felt.collect()
    table = felt.watch.table
    assert (table.hand_no, table.button, table.order) == (2, "S1", ("S2", "S3", "S1"))
    assert felt.log == []


def test_one_statement_corrects_the_button() -> None:
    felt = inferred()
    felt.round()
    felt.round()
    felt.collect()
    felt.say("say button S2")
    assert next_due(felt.watch) == ("S3", "down")
    felt.round()
    felt.round()
    felt.collect()
    assert (felt.watch.table.hand_no, felt.watch.table.button) == (3, "S3")
    assert felt.log == []


def test_a_misdeal_is_replayed_by_the_same_button() -> None:
    felt = inferred()
    felt.deal("S1", up=True)
    felt.collect()
    table = felt.watch.table
    assert (table.hand_no, table.button) == (1, "S3")
    felt.round()
    felt.round()
    felt.collect()
    assert (felt.watch.table.hand_no, felt.watch.table.button) == (2, "S1")


def test_a_misdeal_that_was_set_aside_is_not_replayed() -> None:
    felt = inferred()
    felt.deal("S1", up=True)
    felt.say("say dismiss R1 the floor let it play")
    felt.collect()
    assert felt.watch.table.hand_no == 2


def test_a_ruling_that_stops_no_deal_does_not_keep_the_button() -> None:
    felt = inferred()
    felt.round("S1 S2")
    felt.deal("S3", up=True)
    felt.round()
    felt.collect()
    assert felt.standing() == ["exposed_card S3 Qs -> card_replaced final"]
    assert felt.watch.table.hand_no == 2


def test_where_hands_are_told_the_same_deal_is_due_until_it_is_said_otherwise() -> None:
    felt = Felt(button=Place("S3"))
    felt.round()
    felt.round()
    felt.collect()
    assert (felt.watch.table.hand_no, felt.watch.table.button) == (1, "S3")
    felt.say("say next hand")
    assert (felt.watch.table.hand_no, felt.watch.table.button) == (2, "S1")


def test_a_player_who_sits_down_is_dealt_in_from_the_next_hand() -> None:
    felt = inferred()
    felt.round()
    felt.say("say sits S5")
    felt.round()
    assert felt.watch.table.seats == seats("1 2 3")
    felt.collect()
    assert felt.watch.table.seats == seats("1 2 3 5")


def test_a_player_who_leaves_is_dealt_out() -> None:
    felt = inferred()
    felt.say("say leaves S2")
    assert felt.watch.table.order == seats("1 3")


def test_a_player_who_takes_back_his_leaving_before_the_deal_sits_where_he_sat() -> None:
    felt = inferred()
    felt.say("say leaves S2")
    felt.say("say sits S2")
    felt.say("say next hand")
    assert felt.watch.table.seats == seats("1 2 3")


def test_a_penalty_is_served_hand_by_hand() -> None:
    felt = inferred(penalty={Place("S2"): 2})
    served = []
    for _ in range(3):
        served.append(dict(felt.watch.table.penalty))
        felt.round()
        felt.round()
        felt.collect()
        felt = felt_again(felt)
    assert served == [{"S2": 2}, {"S2": 1}, {}]
    assert felt.log == []


def felt_again(felt: Felt) -> Felt:
    """Deal on with the same table from a fresh order of cards."""
    again = Felt()
    again.watch, again.at_ns = felt.watch, felt.at_ns
    again.log = felt.log
    return again


def test_a_replay_counts_as_the_same_hand_of_a_penalty() -> None:
    felt = inferred(penalty={Place("S2"): 2})
    felt.deal("S1", up=True)
    felt.collect()
    assert felt.watch.table.penalty == {"S2": 2}


def test_the_pack_that_lies_whole_on_the_pad_is_the_one_in_play() -> None:
    felt = Felt()
    assert felt.watch.table.pack == "main"
    other = tuple(sorted(felt.watch.table.setup.packs[1].own_tags()))
    assert felt.tell(PackCounted(at_ns=1, count=52, is_complete=True, tags=other)) == []
    assert felt.watch.table.pack == "other"


# ---------------------------------------------------------------- the pack between two hands
def counted(felt: Felt, *, missing: str = "", added: str = "") -> list[str]:
    """Lay the pack on its pad, with cards missing or added."""
    own = felt.watch.table.setup.packs[0].own_tags() - set(missing.split())
    tags = tuple(sorted({*own, *map(Tag, added.split())}))
    felt.at_ns += 10**9
    return felt.tell(PackCounted(at_ns=felt.at_ns, count=len(tags), is_complete=True, tags=tags))


def test_a_pack_that_lies_ready_and_is_not_whole_is_told_with_the_card_that_is_missing() -> None:
    assert counted(Felt(), missing="Kd") == [
        "wrong_pack_count -> floor open",
        "missing_card Kd -> floor open",
    ]


def test_a_pack_that_is_half_on_its_pad_proves_nothing() -> None:
    felt = Felt()
    half = " ".join(sorted(felt.watch.table.setup.packs[0].own_tags())[:26])
    assert counted(felt, missing=half) == []


def test_a_card_too_many_in_the_pack_is_told_when_it_is_counted() -> None:
    felt = Felt()
    assert counted(felt, added="9h#2") == ["wrong_pack_count -> floor open"]


def test_the_census_at_the_end_of_a_hand_names_the_card_and_where_it_was_seen_last() -> None:
    felt = inferred()
    felt.round()
    felt.round()
    told = felt.collect(missing="Ks")
    assert "missing_card Ks -> floor open" in told
    assert "it was last read at seat 2" in felt.only("missing_card").because


def test_a_card_dealt_again_ends_the_hand_before_though_a_slow_reader_still_holds_another() -> None:
    felt = inferred()
    felt.round()
    felt.round()
    felt.say("say pot taken")
    felt.gone("As", felt.watch.table.order[0])
    felt.at_ns += 10**9
    felt.read("As", "shoe")
    assert felt.watch.table.hand_no == 2
    assert felt.log == []


# ---------------------------------------------------------------- shuffled before readers tell
def stopped(**setup: bool) -> tuple[Felt, Tag]:
    """Deal the first card to the wrong seat, which is a misdeal; return the card as well."""
    felt = inferred(**setup)
    felt.say("shuffle")
    felt.say("cut 26/26")
    first = felt.fresh()
    felt.deal("S2", first)
    assert felt.standing() == ["first_card_misplaced As -> misdeal final"]
    return felt, Tag(first)


@pytest.mark.parametrize("word", ["shuffle", "cut 26/26", "cut declined"])
def test_a_card_after_the_shuffle_begins_the_next_deal_though_a_reader_still_holds_the_last(
    word: str,
) -> None:
    felt, first = stopped()
    felt.say(word)
    felt.deal("S1", first)
    felt.gone(first, "S2")
    assert felt.watch.table.deal_no == 2
    assert felt.watch.table.hand.hands == {"S1": (first,)}
    assert {ruling.finding for ruling in felt.log} == {"first_card_misplaced"}


@pytest.mark.parametrize("is_counted", [True, False])
def test_a_shuffle_before_readers_tell_that_the_cards_are_gone_is_the_next_deals(
    is_counted: bool,
) -> None:
    felt, first = stopped(prepared=False)
    felt.say("shuffle")
    felt.say("cut 26/26")
    felt.gone(first, "S2")
    if is_counted:
        felt.collect()
    felt.deal("S1")
    assert felt.watch.table.deal_no == 2
    assert (felt.watch.table.hand.is_shuffled, felt.watch.table.hand.is_cut) == (True, True)
    assert {ruling.finding for ruling in felt.log} == {"first_card_misplaced"}


def test_a_shuffle_that_is_entered_late_in_a_good_deal_begins_none() -> None:
    felt = inferred()
    felt.deal("S1")
    felt.say("shuffle")
    felt.deal("S2")
    assert felt.watch.table.deal_no == 1
    assert felt.log == []


# ---------------------------------------------------------------- where a card has been
def test_the_path_of_a_card_goes_back_to_the_deal_before() -> None:
    felt = Felt()
    first = felt.fresh()
    felt.deal("S1", first)
    felt.move(first, "S1", "muck")
    assert card_path(felt.watch, Tag(first)) == ((1, "S1"), (1, "muck"))
    felt.collect()
    felt.deal("S2", first)
    assert card_path(felt.watch, Tag(first)) == ((1, "S1"), (1, "muck"), (2, "S2"))


def test_a_card_that_was_never_dealt_has_no_path() -> None:
    assert card_path(Felt().watch, Tag("Kd")) == ()


# ---------------------------------------------------------------- when time matters
def test_a_quiet_table_waits_for_no_clock() -> None:
    assert wakes_at(Felt().watch) is None


def test_a_table_that_waits_for_a_slow_reader_says_until_when() -> None:
    felt = Felt()
    felt.deal("S1")
    assert wakes_at(felt.watch) is None
    felt.at_ns += 10**9
    felt.back_sighted("S2")
    assert wakes_at(felt.watch) == felt.at_ns + 400_000_001
