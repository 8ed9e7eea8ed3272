"""No page, stream or answer names a face-down card of a live hand to any role."""

from pathlib import Path

import pytest

from engine.events import AnyEvent, CardSighted
from misdeal.people import ROLES
from misdeal.tablefile import Layout
from misdeal.web.rights import REQUESTS
from tests.misdeal.asked import Desk, at_desk
from tests.misdeal.secrecy import FACE, search


def test_a_hundred_hands_leave_no_face_down_card_in_what_the_page_is_sent(layout: Layout) -> None:
    found = search(layout, 100, seed=1)
    assert found.leaks == []
    assert found.hands == 100
    assert found.named > 1_000


def test_no_role_gets_a_face_down_card_by_asking_for_anything(
    tmp_path: Path, hands: list[AnyEvent], caplog: pytest.LogCaptureFixture
) -> None:
    texts: list[str] = []
    dealt = next(n for n, event in enumerate(hands) if isinstance(event, CardSighted))

    async def work(desk: Desk) -> None:
        for event in hands[:dealt]:
            desk.app.controller.offer(event)
        await desk.app.controller.say("look S1")
        assert desk.app.controller.watch.table.hand.cards
        for role in ROLES:
            headers = desk.cookie_of(role)
            for method, path in REQUESTS:
                if method == "GET" and "{" not in path:
                    reply = await desk.ask(method, path, headers=headers)
                    texts.append(reply.body.decode())

    at_desk(tmp_path, work)
    text = "\n".join([*texts, caplog.text])
    tags = {str(tag) for event in hands[:dealt] if (tag := getattr(event, "tag", None))}
    assert len(tags) > 10
    assert [tag for tag in tags if tag in text] == []
    assert FACE.findall(text) == []
