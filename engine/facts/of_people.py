"""Facts of draws, devices, claims and reports."""

from engine.facts.fact import Scene, Value, fact, found

_DRAWS: tuple[Value, ...] = ("P", "B", "D", "seat", "none")


@fact(str, "wrong_draw", values=("P", "B", "none"))
def due_draw(scene: Scene) -> str:
    """Who was due the card."""
    return str(scene.finding.facts["due_draw"])


@fact(str, "wrong_draw", values=_DRAWS)
def landed_draw(scene: Scene) -> str:
    """Where the card landed."""
    place = str(scene.finding.facts["landed_draw"])
    return "seat" if place.startswith("S") else place


found("is_up", "the card lies face up", bool, "wrong_draw")
found("draws_before", "wrong draws in this coup before this one", int, "wrong_draw")
found("player_total", "Player's total of two cards", int, "wrong_draw")
found("banker_total", "Banker's total of two cards", int, "wrong_draw")


@fact(bool, "wrong_draw")
def is_exposed_draw(scene: Scene) -> bool:
    """Cards that lie face up on the wrong draw's place now."""
    seen = scene.table.hand.cards.get(scene.finding.tag) if scene.finding.tag else None
    return bool(seen and seen.is_up)


@fact(str, "equipment_fault")
def device(scene: Scene) -> str:
    """Which device failed."""
    return str(scene.finding.facts["device"])


@fact(bool, "equipment_fault")
def approved(scene: Scene) -> bool:
    """The inspector has approved since."""
    return scene.table.approved_ns >= scene.finding.at_ns


@fact(str, "claim", values=("misdeal", "redeal"))
def claim(scene: Scene) -> str:
    """What is claimed."""
    return str(scene.finding.facts["claim"])


for _name, _meaning in (
    ("needed", "chips needed to call"),
    ("put", "chips that were put in"),
    ("limit", "the most that may be bet"),
    ("minimum", "the least that may be raised"),
    ("raised", "chips by which the bet was raised"),
    ("announced", "chips that were announced"),
):
    found(_name, _meaning + "; 0 where it was not told", int, "report")
