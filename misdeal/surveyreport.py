"""A survey in words: what was read where, what was heard elsewhere, and what follows."""

from collections.abc import Iterable, Iterator, Sequence

from engine.words import place_words
from firmware_bridge.bridge import DEALING_PACE_MS
from misdeal.surveying import MOST_FALSE_GONE, Reading, Survey, Verdict


def place_lines(survey: Survey) -> Iterator[str]:
    """Yield a line a place: the read rate of each stack, and how long it waits for its turn."""
    cycles = {cycle.place: cycle for cycle in survey.cycles}
    yield "read rate of the card that is read worst, by height of the stack"
    for place in dict.fromkeys(reading.place for reading in survey.readings):
        rates = "  ".join(
            f"{reading.height}: {reading.rate:4.0%}" if reading.looks else f"{reading.height}: none"
            for reading in survey.readings
            if reading.place == place
        )
        cycle = cycles.get(place)
        pace = ""
        if cycle:
            pace = f"   every {cycle.median_ms:.0f} ms, at worst {cycle.worst_ms:.0f} ms"
            pace += ": slower than the deal" if cycle.median_ms > DEALING_PACE_MS else ""
        yield f"  {place_words(place):<10} {rates}{pace}"


def reading_words(reading: Reading) -> str:
    """Return one measurement as it is told when it is made."""
    cards = "1 card" if reading.height == 1 else f"{reading.height} cards"
    rate = f"{reading.rate:.0%}" if reading.looks else "no answer from its reader"
    return f"{place_words(reading.place)}, {cards}: {rate}"


def crossing_words(survey: Survey) -> Iterator[str]:
    """Yield the map of cross-talk, a line a pair."""
    if not survey.crossings:
        yield "no antenna hears a card that lies elsewhere"
        return
    yield "cards that were heard elsewhere"
    for each in survey.crossings:
        share = f"{each.hits / each.looks:.0%} of {each.looks} looks"
        yield f"  at {place_words(each.lies_at)}, heard at {place_words(each.heard_at)}: {share}"


def verdict_lines(verdicts: Sequence[Verdict]) -> Iterator[str]:
    """Yield a line a game: which places are not fit for it, and which were not measured."""
    yield f"fit: a card that lies there is taken for gone in {MOST_FALSE_GONE:.0%} of hands at most"
    for game in dict.fromkeys(verdict.game for verdict in verdicts):
        own = [verdict for verdict in verdicts if verdict.game == game]
        unfit = _names(verdict for verdict in own if verdict.is_fit is False)
        unknown = _names(verdict for verdict in own if verdict.is_fit is None)
        said = [
            f"not fit: {unfit}" if unfit else "",
            f"not measured to {own[0].cards} cards: {unknown}" if unknown else "",
        ]
        yield f"  {game:<15} {'; '.join(filter(None, said)) or 'every place is fit'}"


def _names(verdicts: Iterable[Verdict]) -> str:
    return ", ".join(place_words(verdict.place) for verdict in verdicts)
