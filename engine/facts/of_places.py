"""Facts of where cards were dealt: first card, order, omitted and unentitled hands."""

from engine.cards import Place
from engine.facts.fact import Scene, Unknown, fact, found
from engine.state import count_of


@fact(bool, "first_card_misplaced", "unentitled_hand", "out_of_sequence")
def further_card(scene: Scene) -> bool:
    """Another card has been dealt since."""
    number = int(scene.finding.facts.get("first_number", 1))
    return scene.table.hand.dealt > number


found("is_back", "the player was away at the deal that is replayed, and is back", bool,
       "unentitled_hand")  # fmt: skip


@fact(int, "unentitled_hand")
def cards_there(scene: Scene) -> int:
    """Cards that lie at the place."""
    return count_of(scene.table, scene.finding.place or Place(""))


@fact(bool, "out_of_sequence")
def only_button(scene: Scene) -> bool:
    """Nothing but the button's own cards was out of turn."""
    table = scene.table
    return all(seat == table.button for seat in table.hand.slips)


found("rounds_omitted", "the dealer only stopped early: no hand was passed over", bool,
       "wrong_count", "omitted_hand")  # fmt: skip
found("lacking", "cards that are lacking in all", int, "rounds_omitted")


@fact(bool, "rounds_omitted")
def button_only(scene: Scene) -> bool:
    """The last card of the deal alone is lacking, and it is the button's."""
    table = scene.table
    is_last = table.order[-1] == table.button and not table.is_player_dealt
    return is_last and scene.finding.facts.get("lacking") == 1


@fact(bool, "omitted_hand", "wrong_count")
def is_dealer(scene: Scene) -> bool:
    """The hand is the house dealer's."""
    return scene.finding.place == "D"


@fact(bool, "omitted_hand")
def first_omitted(scene: Scene) -> bool:
    """This is the first hand left out, counted from the dealer's left."""
    places = {finding.place for finding in scene.siblings}
    first = next((place for place in scene.table.order if place in places), None)
    return first == scene.finding.place


@fact(bool, "omitted_hand")
def dealer_has_hand(scene: Scene) -> bool:
    """The dealer has a hand to give."""
    table = scene.table
    return table.dealer is not None and count_of(table, table.dealer) > 0


@fact(bool, "omitted_hand")
def anted(scene: Scene) -> bool | Unknown:
    """The player has put in his ante."""
    for stated in reversed(scene.table.hand.said):
        if stated.seat == scene.finding.place and stated.topic in ("ante", "no-ante"):
            return stated.topic == "ante"
    return Unknown((True, False))
