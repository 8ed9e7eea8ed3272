"""Facts of the number of cards in a hand, and of the pack, board and burns."""

from engine.betting import live_seats
from engine.facts.fact import Scene, Unknown, fact, found
from engine.state import last_said

found("count", "cards that were counted", int, "wrong_count", "wrong_pack_count", "board_count")
found("due", "cards that there should be", int, "wrong_count", "wrong_pack_count")
found("is_button", "the hand is the button's", bool, "wrong_count")
found("after_draw", "cards have been exchanged", bool, "wrong_count")


@fact(bool, "wrong_count")
def is_short(scene: Scene) -> bool:
    """The hand has fewer cards than it is due."""
    facts = scene.finding.facts
    return int(facts["count"]) < int(facts["due"])


@fact(int, "wrong_count")
def hands_over(scene: Scene) -> int:
    """Hands that have more cards than they are due."""
    return sum(int(f.facts["count"]) > int(f.facts["due"]) for f in scene.siblings)


@fact(int, "wrong_count")
def extra_cards(scene: Scene) -> int:
    """Cards too many in all starting hands."""
    return sum(max(0, int(f.facts["count"]) - int(f.facts["due"])) for f in scene.siblings)


found(
    "extra_to_first",
    "the one extra card went to the first hand after a whole deal",
    bool,
    "wrong_count",
)
found("extra_as_burn", "another card of a hand was laid on the burn", bool, "burn_error")


@fact(bool, "wrong_count")
def next_in_sequence(scene: Scene) -> bool:
    """The last hand in the order lacks one card, which the top card would be."""
    table = scene.table
    facts = scene.finding.facts
    is_last = scene.finding.place == table.order[-1]
    return bool(facts.get("rounds_omitted")) and is_last and len(scene.siblings) == 1


@fact(bool, "wrong_count")
def has_acted(scene: Scene) -> bool | Unknown:
    """This player has acted on his hand."""
    table = scene.table
    if scene.finding.place in table.hand.betting.seats_acted:
        return True
    is_untold = table.setup.actions == "none" and table.hand.is_deal_over
    return Unknown((True, False)) if is_untold else False


@fact(bool, "wrong_count")
def agreed_short(scene: Scene) -> bool:
    """The players agreed that the short hand may play."""
    return last_said(scene.table.hand, "agree short", scene.finding.place) is not None


@fact(bool, "wrong_count")
def only_foul_left(scene: Scene) -> bool:
    """All others have dropped and no sound hand is left."""
    live = live_seats(scene.table)
    foul = {finding.place for finding in scene.siblings}
    return scene.finding.place in live and live <= foul and scene.table.hand.is_deal_over


found("copies", "cards of the one face", int, "duplicate_card")
found("is_known", "a register knows the tag", bool, "foreign_card")
found("in_play", "the card has come into play", bool, "foreign_card")
found("is_dealt", "the card has been dealt", bool, "marked_card")
found("fewest", "cards in the smaller packet", int, "cut_too_thin")
found("is_mixed", "the stub was mixed with other cards", bool, "stub_disordered")
found("from_pack", "the card came off the pack", bool, "board_count")
found("burns", "cards burned for the street", int, "burn_error")


@fact(bool, "burn_error")
def acted_since(scene: Scene) -> bool | Unknown:
    """Somebody has acted since it was found."""
    table = scene.table
    if table.setup.actions == "none":
        return Unknown((True, False))
    return table.hand.betting.in_turn > int(scene.finding.facts["actions_then"])
