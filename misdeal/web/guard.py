"""Who is asking: sessions in a cookie, tokens in a header, and how often somebody may try to enter.

A request that changes something and comes with a cookie must bear the token of its session, which
no page of another origin can read. A request with a token of its own needs none.
"""

import asyncio
import hashlib
import hmac
from collections import OrderedDict
from collections.abc import Callable, Mapping

from msgspec import Struct

from misdeal.people import KeyKind, People, Person
from misdeal.web.rights import REQUESTS

TRIES = 5
"""How often somebody may fail in a row. Source: Frigate's default, 5 a minute."""

REFILL_S = 12.0
"""After which time he may try once more."""

REMEMBERED = 1000
"""Names and addresses whose tries are counted; of more, the oldest are forgotten."""

WAITING_AT_MOST = 8
"""Passwords that wait to be checked; each keeps a core busy for a tenth of a second."""


class Caller(Struct, frozen=True):
    """Somebody who has signed in, and how he asks."""

    person: Person
    secret: str
    is_session: bool
    """Whether a browser sends his key by itself."""


class Tries:
    """Counts failures by name and by address: a bucket of tries, refilled one after the other.

    Args:
        now_s: Gives a time in seconds that never runs backwards.
    """

    def __init__(self, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._used: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait_s(self, *keys: str) -> float:
        """Return how long those must wait who have failed too often; 0 for none."""
        return max(max(0.0, (self._level(key) - TRIES + 1) * REFILL_S) for key in keys)

    def fail(self, *keys: str) -> None:
        """Count a failure."""
        for key in keys:
            self._used[key] = (self._level(key) + 1, self._now_s())
            self._used.move_to_end(key)
        while len(self._used) > REMEMBERED:
            self._used.popitem(last=False)

    def forgive(self, *keys: str) -> None:
        """Forget the failures of somebody who has signed in."""
        for key in keys:
            self._used.pop(key, None)

    def _level(self, key: str) -> float:
        used, at_s = self._used.get(key, (0.0, 0.0))
        return max(0.0, used - (self._now_s() - at_s) / REFILL_S)


class Guard:
    """Knows who is asking.

    Args:
        people: Who may sign in.
        cookie: The name of the cookie that a session lies in.
        now_s: Gives a time in seconds that never runs backwards.
    """

    def __init__(self, people: People, cookie: str, now_s: Callable[[], float]) -> None:
        self.people = people
        self.cookie = cookie
        self.tries = Tries(now_s)
        # One password at a time: the table comes first.
        self._lane = asyncio.Lock()
        self._waiting = 0

    async def caller(self, headers: Mapping[str, str], cookies: Mapping[str, str]) -> Caller | None:
        """Return who is asking; None for somebody who has not signed in.

        The file of people is asked in a thread: a disk that is slow must not hold up the table.
        """
        scheme, _, token = headers.get("authorization", "").partition(" ")
        is_session = scheme.lower() != "bearer"
        secret = cookies.get(self.cookie, "") if is_session else token
        person = await self._who(secret, is_session=is_session) if secret else None
        return Caller(person, secret, is_session) if person else None

    async def is_still(self, caller: Caller) -> bool:
        """Say whether somebody is still signed in, and as what he was."""
        return await self._who(caller.secret, is_session=caller.is_session) == caller.person

    async def _who(self, secret: str, *, is_session: bool) -> Person | None:
        kind: KeyKind = "session" if is_session else "token"
        return await asyncio.to_thread(self.people.who, secret, kind)

    async def check_password(self, name: str, password: str) -> Person | None:
        """Return the person whose password it is.

        Raises:
            TooManyError: If too many wait already.
        """
        if self._waiting >= WAITING_AT_MOST:
            raise TooManyError
        self._waiting += 1
        try:
            async with self._lane:
                return await asyncio.to_thread(self.people.check_password, name, password)
        finally:
            self._waiting -= 1


class TooManyError(Exception):
    """Too many passwords wait to be checked."""


def proof_of(secret: str) -> str:
    """Return the token that a session's requests must bear; the session does not follow from it."""
    return hashlib.sha256(f"misdeal proof {secret}".encode()).hexdigest()


def is_proven(caller: Caller, headers: Mapping[str, str]) -> bool:
    """Say whether a request that changes something comes from the page itself."""
    if not caller.is_session:
        return True
    return hmac.compare_digest(headers.get("x-misdeal-proof", ""), proof_of(caller.secret))


def verdict_on(method: str, path: str, caller: Caller | None, headers: Mapping[str, str]) -> int:
    """Return the HTTP status with which a request is refused, or 200.

    Args:
        method: Of the request.
        path: The path of its route, as ``rights.REQUESTS`` has it.
        caller: Who asks.
        headers: Of the request.
    """
    roles = REQUESTS[(method, path)]
    if roles is None:
        return 200
    if caller is None:
        return 401
    is_allowed = caller.person.role in roles and (method == "GET" or is_proven(caller, headers))
    return 200 if is_allowed else 403
