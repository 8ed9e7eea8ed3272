"""One deal to three seats, and what the tests of landing ask of it."""

from tests.engine.felt import MS, Felt

CARDS = ["As", "Ks", "Qs", "Js", "Ts", "9s"]
ORDER = ["S1", "S2", "S3", "S1", "S2", "S3"]
WHOLE = {"S1": ("As", "Js"), "S2": ("Ks", "Ts"), "S3": ("Qs", "9s")}


def hands(felt: Felt) -> dict[str, tuple[str, ...]]:
    """Return which tags each hand holds, in the order they came."""
    return {place: tags for place, tags in felt.watch.table.hand.hands.items() if tags}


def is_over(felt: Felt) -> bool:
    return felt.watch.table.hand.is_deal_over


def at_shoe(felt: Felt, *cards: str, ms: int = 300) -> None:
    """Draw cards from the shoe, one after the other."""
    for card in cards:
        felt.at_ns += ms * MS
        felt.read(card, "shoe")
