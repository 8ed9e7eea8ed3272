"""Who may do what: one table of requests, one of statements. Whatever is in neither, nobody may.

An inspector may say everything, so that one person can run a table alone. An administrator looks
after people and machines and says nothing at a table; an auditor looks on.
"""

from misdeal.people import ROLES, Role

Roles = frozenset[Role]

ALL: Roles = frozenset(ROLES)
TABLE: Roles = frozenset({"dealer", "supervisor", "inspector"})
FLOOR: Roles = frozenset({"supervisor", "inspector"})
INSPECTOR: Roles = frozenset({"inspector"})
ADMINISTRATOR: Roles = frozenset({"administrator"})

ANYBODY = None
"""Also who has not signed in."""

REQUESTS: dict[tuple[str, str], Roles | None] = {
    ("GET", "/"): ANYBODY,
    ("GET", "/static/{path:path}"): ANYBODY,
    ("GET", "/healthz"): ANYBODY,
    ("GET", "/readyz"): ANYBODY,
    ("GET", "/metrics"): ALL,
    ("GET", "/api/v1/openapi.json"): ALL,
    ("GET", "/api/v1/info"): ALL,
    ("GET", "/api/v1/state"): ALL,
    ("GET", "/api/v1/stream"): ALL,
    ("GET", "/api/v1/clauses"): ALL,
    ("POST", "/api/v1/say"): TABLE,
    ("POST", "/api/v1/sign-in"): ANYBODY,
    ("POST", "/api/v1/enter"): ANYBODY,
    ("POST", "/api/v1/sign-out"): ALL,
    ("GET", "/api/v1/people"): ADMINISTRATOR,
    ("POST", "/api/v1/people/revoke"): ADMINISTRATOR,
}
"""Every request that is answered, and who may make it."""

STATEMENTS: dict[str, Roles] = {
    "act": TABLE,
    "call": TABLE,
    "report": TABLE,
    "handle": TABLE,
    "look": TABLE,
    "shuffle": TABLE,
    "cut": TABLE,
    "deal": TABLE,
    "pack": TABLE,
    "fault": FLOOR,
    "restore": FLOOR,
    "approve": INSPECTOR,
    "say interfered": TABLE,
    "say found": TABLE,
    "say agree short": TABLE,
    "say ante": TABLE,
    "say no-ante": TABLE,
    "say tabled": TABLE,
    "say exposed": TABLE,
    "say substantial": TABLE,
    "say handled": TABLE,
    "say looked": TABLE,
    "say counted": TABLE,
    "say dismiss": FLOOR,
    "say undo": TABLE,
    "say pack": TABLE,
    "say blind": TABLE,
    "say pot taken": TABLE,
    "say next hand": TABLE,
    "say sits": TABLE,
    "say leaves": TABLE,
    "say back": TABLE,
    "say level up": FLOOR,
    "say break": FLOOR,
    "say stub dropped": TABLE,
    "say bets closed": TABLE,
    "say button": FLOOR,
}
"""Every statement of ``engine.statements``, by the words that it begins with."""


def may_say(role: Role, text: str) -> bool:
    """Say whether a role may make a statement; of words that are none, everybody at the table may.

    They are refused for what they are, with the reason.
    """
    words = text.split()
    for length in (3, 2, 1):
        roles = STATEMENTS.get(" ".join(words[:length]))
        if roles is not None:
            return role in roles
    return role in TABLE
