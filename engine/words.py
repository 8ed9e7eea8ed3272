"""Findings in sentences for people: what was found, where, and what a verdict is called."""

from typing import Any

from engine.cards import Place, seat_number
from engine.state import Finding

VERDICTS: dict[str, str] = {
    "misdeal": "MISDEAL",
    "redeal": "REDEAL",
    "deal_stands": "DEAL STANDS",
    "complete_deal": "COMPLETE THE DEAL",
    "card_replaced": "CARD REPLACED",
    "card_turned_down": "TURN THE CARD DOWN",
    "card_stays_up": "CARD STAYS UP",
    "card_plays": "CARD PLAYS",
    "card_dead": "CARD DEAD",
    "card_scrap": "CARD IS SCRAP",
    "card_moved": "MOVE THE CARD",
    "hand_dead": "HAND DEAD",
    "hand_foul": "HAND FOUL",
    "hand_void": "HAND VOID",
    "hand_live": "HAND LIVE",
    "hand_moved": "HAND MOVED",
    "extra_hand_discarded": "EXTRA HAND DISCARDED",
    "deck_fouled": "DECK FOULED - STOP",
    "deal_void": "DEAL VOID",
    "round_void": "ROUND VOID",
    "deck_replaced": "REPLACE THE PACK",
    "street_redealt": "REDEAL THE STREET",
    "stub_reshuffled": "RESHUFFLE THE STUB",
    "noted": "NOTED",
    "result_stands": "RESULT STANDS",
    "hand_continues": "HAND CONTINUES",
    "pot_carried": "POT CARRIED OVER",
    "withdraw_allowed": "CHIPS MAY BE TAKEN BACK",
    "no_ground": "NO GROUND",
    "not_eligible": "MAY NOT CLAIM",
    "floor": "CALL THE FLOOR",
    "suspend": "PLAY SUSPENDED",
    "resume": "PLAY RESUMES",
}
"""Every verdict and what it is called at the table."""

STOPPING = frozenset({
    "misdeal", "redeal", "deck_fouled", "deal_void", "round_void", "suspend",
})  # fmt: skip
"""Verdicts that stop the hand."""

TAKES_CARD_OUT = frozenset({"card_dead", "card_scrap"})
"""Verdicts that take the card that they name out of play."""

_SENTENCES: dict[str, str] = {
    "exposed_card": "{card} at {place} is seen face up.",
    "boxed_card": "{card} lay face up in the pack.",
    "first_card_misplaced": "The first card off the pack went to {landed_place}; it was due to"
    " {due_place}.",
    "unentitled_hand": "Cards lie at {place}, which is not entitled to a hand.",
    "omitted_hand": "{place} is in the hand and has no cards.",
    "wrong_count": "{place} has {count} cards where {due} are due.",
    "out_of_sequence": "A card went to {landed_place} when {due_place} was due.",
    "rounds_omitted": "The dealer stopped {lacking} cards before the deal was complete.",
    "extra_hand": "There are more hands than players.",
    "duplicate_card": "{copies} cards of one face are in the deal: {card}.",
    "foreign_card": "A card that is not of this pack is at {place}.",
    "nonstandard_card": "{card} does not belong to the game.",
    "missing_card": "{card} is not back; it was last read at {last_place}.",
    "marked_card": "The back of a card can be told from the others.",
    "wrong_pack_count": "The pack has {count} cards where {due} are due.",
    "cut_too_thin": "The cut left {fewest} cards in one packet.",
    "card_exposed_in_cut": "{card} was seen face up in the cut.",
    "not_shuffled": "The deal began without a shuffle.",
    "not_cut": "The deal began and the cut had not been offered.",
    "dealer_out_of_turn": "The deal is being made out of turn.",
    "burn_error": "{burns} cards were burned for this street where one is due.",
    "premature_card": "A card was put out before the betting was complete.",
    "board_count": "The number of cards put out on the board is wrong.",
    "wrong_draw": "A card was drawn for {landed_draw}; due was {due_draw}.",
    "stuck_cards": "Two cards left the shoe together.",
    "stub_disordered": "The rest of the pack has lost its order.",
    "equipment_fault": "The device {device} has failed.",
    "cross_read": "A tag was read at {also_read_at} and lies at {lies_at}.",
    "face_mismatch": "The camera sees {face_seen} where the tag says another card.",
    "unread_card": "A card at {place} has not been read.",
    "early_draw": "A card left the shoe before the betting was closed.",
    "claim": "{place} claims a {claim}.",
    "report": "Reported under {clause}.",
}


def place_words(place: str | None) -> str:
    """Return a place as people say it."""
    if place is None:
        return "the table"
    number = seat_number(Place(place)) if place else None
    named = {"D": "the dealer's hand", "P": "Player", "B": "Banker", "none": "nobody"}
    return f"seat {number}" if number is not None else named.get(place, f"the {place}")


class _Blank(dict[str, Any]):
    def __missing__(self, key: str) -> str:
        return "?"


def sentence(finding: Finding) -> str:
    """Return what was found, as one sentence."""
    facts: dict[str, Any] = _Blank(finding.facts)
    for key in ("due_place", "landed_place", "last_place", "lies_at", "also_read_at",
                "due_draw", "landed_draw"):  # fmt: skip
        if key in facts:
            facts[key] = place_words(str(facts[key]).removeprefix("the "))
    facts["place"] = place_words(finding.place)
    facts["card"] = finding.card or "a card"
    text = _SENTENCES[finding.kind].format_map(facts)
    if finding.facts.get("came_from"):
        before = place_words(str(finding.facts["came_from"]))
        text += f" One that was not dealt lay at {before} in the hand before."
    return text[0].upper() + text[1:]
