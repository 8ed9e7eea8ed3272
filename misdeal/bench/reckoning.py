"""What came of questions to a reader: which answers were right; pure."""

from collections.abc import Sequence

from msgspec import Struct

from engine.cards import Tag
from misdeal.bench.upset_reader import Look, Record


class Answer(Struct, frozen=True, kw_only=True):
    """What a host made of one question."""

    antenna: int
    asked_ns: int
    answered_ns: int
    tags: tuple[Tag, ...] | None
    """None where it had to say that it does not know."""


class Score(Struct, frozen=True, kw_only=True):
    """How a run of questions went."""

    right: int
    wrong: int
    """Answered with what was not there: another antenna's card, an older one, nothing at all."""
    lost: int
    """Not answered."""
    again: int = 0
    """Asked once more by the host itself, before it answered."""
    upsets: int
    commands: int
    """What the reader carried out meanwhile."""
    took_s: float

    @property
    def asked(self) -> int:
        """How many questions there were."""
        return self.right + self.wrong + self.lost

    @property
    def commands_per_s(self) -> float:
        """How many commands the reader carried out in a second."""
        return self.commands / self.took_s

    @property
    def right_per_s(self) -> float:
        """How many right answers there were in a second."""
        return self.right / self.took_s


def reckon(answers: Sequence[Answer], record: Record, *, asks_again: bool = False) -> Score:
    """Compare answers with what lay at the antennas between question and answer.

    Args:
        answers: One or more, in order.
        record: What the reader lived through.
        asks_again: Whether the host asks again by itself where it does not know.
    """
    looks = {look.tag: look for look in record.looks}
    right = sum(_is_right(answer, looks) for answer in answers)
    unknown = sum(answer.tags is None for answer in answers)
    start_ns, end_ns = answers[0].asked_ns, answers[-1].answered_ns
    return Score(
        right=right,
        wrong=len(answers) - right - unknown,
        lost=0 if asks_again else unknown,
        again=unknown if asks_again else 0,
        upsets=record.upsets,
        commands=sum(start_ns <= at_ns <= end_ns for at_ns in record.commands_ns),
        took_s=(end_ns - start_ns) / 1e9,
    )


def _is_right(answer: Answer, looks: dict[Tag, Look]) -> bool:
    found = [looks.get(tag) for tag in answer.tags or ()]
    return len(found) == 1 and all(
        look is not None
        and look.antenna == answer.antenna
        and answer.asked_ns <= look.at_ns <= answer.answered_ns
        for look in found
    )
