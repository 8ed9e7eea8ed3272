"""A face that the camera sees and cannot read is a card that lies there, never one more."""

from tests.engine.felt import Felt


def dealt() -> Felt:
    """Return a table of three, each with two cards, all of them named by readers."""
    felt = Felt()
    for card, place in (
        ("As", "S1"), ("Ks", "S2"), ("Qs", "S3"), ("Js", "S1"), ("Ts", "S2"), ("9s", "S3"),
    ):  # fmt: skip
        felt.read(card, "shoe")
        felt.wait(0.2)
        felt.read(card, place)
        felt.wait(0.6)
    return felt


def test_a_face_unread_as_a_card_lands_is_that_card() -> None:
    felt = Felt()
    felt.read("As", "shoe")
    felt.wait(0.2)
    felt.read("As", "S1")
    felt.wait(0.1)
    told = felt.sighted(None, "S1")
    assert [line.split(" ->")[0] for line in told] == ["exposed_card S1 As"]


def test_a_face_unread_among_cards_that_are_named_is_noted_and_not_counted() -> None:
    felt = dealt()
    felt.sighted(None, "S2")
    told = felt.wait(2)
    assert told == ["unread_card S2 -> noted final"]
    assert felt.watch.table.hand.unread == {}
    assert not any("wrong_count" in line for line in felt.standing())
