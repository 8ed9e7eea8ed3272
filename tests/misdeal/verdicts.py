"""The verdicts of a survey, in short."""

from engine.cards import Place
from misdeal.surveying import Survey, judge


def verdicts_of(survey: Survey, game: str) -> list[tuple[Place, bool | None]]:
    return [(each.place, each.is_fit) for each in judge(survey) if each.game == game]
