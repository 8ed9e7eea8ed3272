"""Facts of every finding: the game, the phase, what has happened in the hand."""

from engine.facts.fact import Scene, Unknown, fact
from engine.state import last_said

BREAK_WINDOW_NS = 60_000_000_000
"""In a break a hand may be disputed for a minute after the pot. Source: TDA 2024 rule 22."""


@fact(
    str,
    values=(
        "holdem",
        "omaha",
        "shortdeck",
        "stud7",
        "draw5",
        "lowball27",
        "caribbean-stud",
        "three-card",
        "baccarat",
        "blackjack",
    ),
)
def game(scene: Scene) -> str:
    """The game that is dealt."""
    return scene.table.plan.game


@fact(bool)
def substantial_action(scene: Scene) -> bool | Unknown:
    """Substantial action has happened, as the book defines it."""
    table = scene.table
    told = last_said(table.hand, "substantial")
    if told is not None:
        return bool(told.yes)
    if table.setup.actions == "none":
        return Unknown((True, False)) if table.hand.is_deal_over else False
    betting = table.hand.betting
    if scene.substantial == "two-players":
        return len(betting.seats_acted) >= 2
    return betting.in_turn >= 3 or (betting.in_turn >= 2 and betting.has_chips)


@fact(bool)
def handled(scene: Scene) -> bool | Unknown:
    """A player has handled his cards in this deal."""
    table = scene.table
    told = last_said(table.hand, "handled")
    if told is not None:
        return bool(told.yes)
    if table.hand.touched:
        return True
    unseen = table.setup.actions == "none" and table.hand.is_deal_over
    return Unknown((True, False)) if unseen else False


@fact(bool)
def deal_over(scene: Scene) -> bool:
    """The initial deal is over."""
    return scene.table.hand.is_deal_over


@fact(int)
def rounds_begun(scene: Scene) -> int:
    """How many rounds of the initial deal have begun."""
    table = scene.table
    return -(-table.hand.served // max(1, len(table.order)))


@fact(bool)
def pot_taken(scene: Scene) -> bool:
    """The pot of this hand had been taken in when it was found."""
    fixed = scene.finding.facts.get("pot_taken")
    if isinstance(fixed, bool):
        return fixed
    taken_ns = scene.table.hand.pot_taken_ns
    return taken_ns is not None and taken_ns <= scene.finding.at_ns


@fact(bool)
def next_hand_begun(scene: Scene) -> bool:
    """The next hand has begun: first riffle or first card."""
    table = scene.table
    return table.past.pot_taken_ns is not None and table.is_next_begun


@fact(bool)
def disputable(scene: Scene) -> bool:
    """The hand may still be disputed: no next hand, and in a break no minute since the pot."""
    table = scene.table
    if next_hand_begun(scene) and scene.finding.kind == "report":
        return False
    taken = table.hand.pot_taken_ns
    found_ns = scene.finding.at_ns
    return not (taken is not None and table.in_break and found_ns - taken > BREAK_WINDOW_NS)


@fact(bool)
def bets_closed(scene: Scene) -> bool:
    """The betting is closed and cards may be drawn."""
    return scene.table.bets_closed


@fact(bool)
def player_dealt(scene: Scene) -> bool:
    """Players deal in turn."""
    return scene.table.is_player_dealt


@fact(bool)
def closed_poker(scene: Scene) -> bool:
    """A game in which every card is dealt face down."""
    return scene.table.plan.is_closed


@fact(str, values=("flop", "stud", "draw", "casino"))
def kind_of_game(scene: Scene) -> str:
    """The kind of game."""
    return scene.table.plan.kind


@fact(bool)
def upheld(scene: Scene) -> bool:
    """A claim on this matter has been upheld."""
    return scene.is_upheld
