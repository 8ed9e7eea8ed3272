"""Rule books: what is read, what is refused and where, and what a house lays over a book."""

import hashlib

import pytest

from engine.clauses import KINDS, SENSOR_KINDS, Clause
from engine.errors import BookError
from engine.rulebook import RuleBook, book_names, compile_book, load_book
from tests.engine.felt import Felt

HEAD = """\
name = "home"
version = "3"
title = "Rules of the home"
games = ["holdem", "draw5"]
"""

MARKED = """
[[clause]]
id = "H-1"
finding = "marked_card"
when = "in_deal"
verdict = "misdeal"
source = "page 1"

[[clause]]
id = "H-2"
finding = "marked_card"
when = "!in_deal"
verdict = "deck_replaced"
source = "page 2"
"""


def clause(**changes: str) -> str:
    """Return the text of a clause with some of its keys changed, added, or dropped."""
    keys = {
        "id": '"H-9"',
        "finding": '"foreign_card"',
        "verdict": '"floor"',
        "source": '"page 9"',
        **changes,
    }
    return "[[clause]]\n" + "".join(f"{key} = {value}\n" for key, value in keys.items() if value)


def compiled(text: str = HEAD + MARKED, house: str | None = None) -> RuleBook:
    return compile_book(text, file="home.toml", house=house, house_file="house.toml")


def faults(text: str = HEAD + MARKED, house: str | None = None) -> list[str]:
    """Return the faults of a book, as they are printed."""
    with pytest.raises(BookError) as caught:
        compiled(text, house)
    return [str(fault) for fault in caught.value.faults]


def ids(rules: RuleBook, finding: str = "marked_card", game: str = "holdem") -> list[str]:
    return [each.id for each in rules.clauses_on(finding, game)]


# ---------------------------------------------------------------- the books that are shipped
@pytest.mark.parametrize("name", book_names())
def test_every_shipped_book_compiles_under_its_own_name(name: str) -> None:
    assert compile_book(load_book(name), file=name).name == name


@pytest.mark.parametrize("name", book_names())
def test_every_clause_of_a_shipped_book_says_itself_in_plain_words(name: str) -> None:
    rules = compile_book(load_book(name), file=name)
    assert [each.id for each in rules.clauses if not each.plain or not each.source] == []


def test_a_book_that_is_not_shipped_is_refused_with_the_name_it_may_have_meant() -> None:
    with pytest.raises(BookError, match="did you mean 'tda-2024'"):
        load_book("tda-2042")


# ---------------------------------------------------------------- what is read
def test_a_book_has_its_name_its_text_and_a_hash_of_it() -> None:
    text = HEAD + MARKED
    rules = compiled(text)
    assert (rules.name, rules.version, rules.title, rules.games) == (
        "home", "3", "Rules of the home", ("holdem", "draw5"),
    )  # fmt: skip
    assert (rules.text, rules.house_text) == (text, "")
    assert rules.hash == compiled().hash
    assert len(rules.hash) == len(hashlib.sha256().hexdigest())


def test_a_house_rule_changes_the_hash_and_not_the_name() -> None:
    bare, laid = compiled(), compiled(house='foreign_card = "misdeal"\n')
    assert bare.name == laid.name
    assert bare.hash != laid.hash
    assert laid.house_text == 'foreign_card = "misdeal"\n'


def test_a_clause_has_defaults_for_what_it_does_not_say() -> None:
    (read,) = compiled(HEAD + clause(finding='"foreign_card"', verdict='"misdeal"')).clauses
    assert read == Clause(
        id="H-9",
        finding="foreign_card",
        verdict="misdeal",
        when=read.when,
        decider="book",
        cite=("H-9",),
        source="page 9",
        file="home.toml",
        line=5,
    )
    assert read.when.holds({})


@pytest.mark.parametrize(
    ("changes", "decider"),
    [
        ({"verdict": '"floor"'}, "floor"),
        ({"verdict": '"misdeal"'}, "book"),
        ({"verdict": '"misdeal"', "callable_by": '"not_looked"'}, "claim"),
        ({"verdict": '"floor"', "decider": '"book"'}, "book"),
    ],
)
def test_who_decides_follows_from_the_verdict_and_the_claim(
    changes: dict[str, str], decider: str
) -> None:
    (read,) = compiled(HEAD + clause(**changes)).clauses
    assert read.decider == decider


def test_what_is_said_for_a_game_comes_before_what_is_said_for_all() -> None:
    text = HEAD + clause(id='"all"') + clause(id='"draw"', games='["draw5"]', verdict='"misdeal"')
    rules = compiled(text)
    assert ids(rules, "foreign_card", "draw5") == ["draw", "all"]
    assert ids(rules, "foreign_card", "holdem") == ["all"]


def test_the_gaps_of_a_book_are_the_findings_that_it_does_not_decide() -> None:
    gaps = set(compiled().gaps("holdem"))
    assert {"exposed_card", "wrong_count", "duplicate_card"} <= gaps
    assert "marked_card" not in gaps
    assert gaps <= KINDS - SENSOR_KINDS


def test_what_a_game_cannot_show_is_no_gap() -> None:
    rules = compiled(HEAD.replace('"draw5"', '"draw5", "baccarat"') + MARKED)
    assert "wrong_draw" in rules.gaps("baccarat")
    assert "wrong_draw" not in rules.gaps("holdem")
    assert "premature_card" not in rules.gaps("baccarat")


@pytest.mark.parametrize(("dealt_by", "is_gap"), [("house", False), ("players", True)])
def test_only_players_who_deal_can_deal_out_of_turn(dealt_by: str, is_gap: bool) -> None:
    rules = compiled(HEAD + f'dealt_by = "{dealt_by}"\n' + MARKED)
    assert ("dealer_out_of_turn" in rules.gaps("draw5")) == is_gap


def test_a_clause_for_other_games_leaves_a_gap() -> None:
    rules = compiled(HEAD + clause(games='["draw5"]'))
    assert "foreign_card" in rules.gaps("holdem")
    assert "foreign_card" not in rules.gaps("draw5")


# ---------------------------------------------------------------- what is refused
BAD_CLAUSES: list[tuple[dict[str, str], str]] = [
    ({"vredict": '"floor"'}, ":10: clause[0].vredict: found 'vredict', expected a known key; did"),
    (
        {"finding": '"foregn_card"'},
        ":7: clause[0].finding: found 'foregn_card', expected one of its",
    ),
    ({"verdict": '"misdeel"'}, "values; did you mean 'misdeal'?"),
    ({"verdict": "5"}, ":8: clause[0].verdict: found 5, expected str"),
    ({"also": '"yes"'}, ":10: clause[0].also: found 'yes', expected bool"),
    ({"remedy": '"stop"'}, ":10: clause[0].remedy: found 'stop', expected list"),
    ({"remedy": "[5]"}, ":10: clause[0].remedy: found"),
    ({"cite": "[5]"}, ":10: clause[0].cite: found"),
    ({"remedy": '["put {neded} in"]'}, "found 'neded', expected a number of chips; did you mean"),
    ({"remedy": '["put {needed:x} in"]'}, "found 'needed', expected a number of chips"),
    ({"remedy": '["put {needed in"]'}, "expected braces in pairs"),
    ({"games": "[[1]]"}, ":10: clause[0].games: found [1], expected a text"),
    ({"games": '["holdm"]'}, ":10: clause[0].games: found 'holdm', expected a game; did you mean"),
    ({"decider": '"dealer"'}, ":10: clause[0].decider: found 'dealer', expected one of its values"),
    ({"callable_by": '"all"'}, ":10: clause[0].callable_by: found 'all', expected one of its"),
    ({"until": '"sunset"'}, ":10: clause[0].until: found 'sunset', expected one of its values"),
    ({"next_dealer": '"S3"'}, ":10: clause[0].next_dealer: found 'S3', expected one of its values"),
    ({"per": '"seat"'}, ":10: clause[0].per: found 'seat', expected one of its values"),
    ({"basis": '"memory"'}, ":10: clause[0].basis: found 'memory', expected one of its values"),
    ({"source": ""}, ":5: clause[0]"),
    ({"source": '""'}, "found no citation, expected a source"),
    ({"id": ""}, ":5: clause[0]: found nothing, expected the key 'id'"),
    ({"finding": ""}, ":5: clause[0]: found nothing, expected the key 'finding'"),
    ({"verdict": ""}, ":5: clause[0]: found nothing, expected the key 'verdict'"),
    ({"when": '"handeld"'}, ":10: clause[0].when: found the fact 'handeld', expected a fact of"),
    ({"when": '"nth == 1"'}, "found the fact 'nth', expected a fact of foreign_card"),
    ({"when": "\"game == 'holdm'\""}, "found game compared with 'holdm', expected one of holdem"),
    ({"when": "\"kind_of_game in ['flop', 'boat']\""}, "found kind_of_game compared with 'boat'"),
    ({"when": '"rounds_begun"'}, "expected a condition that is true or false"),
    ({"when": '"rounds_begun +"'}, ":10: clause[0].when: found 'rounds_begun +'"),
    ({"when": '"handled > 2"'}, "expected a condition that can be evaluated"),
    ({"when": '"10 / (rounds_begun - 3) > 1"'}, "expected a condition that can be evaluated"),
    ({"when": "true"}, ":10: clause[0].when: found True, expected str"),
]


@pytest.mark.parametrize(("changes", "fault"), BAD_CLAUSES)
def test_a_bad_clause_is_refused_with_its_line_and_key(changes: dict[str, str], fault: str) -> None:
    told = faults(HEAD + clause(**changes))
    assert any(each.startswith("home.toml:") and fault in each for each in told)


BAD_HEADS = [
    ('name = "home"', "", "home.toml:1: name: found nothing, expected the key 'name'"),
    ('version = "3"', "", "home.toml:1: version: found nothing, expected the key 'version'"),
    ('title = "Rules of the home"', "", "home.toml:1: title: found nothing, expected the key"),
    ('games = ["holdem", "draw5"]', "", "home.toml:1: games: found nothing, expected the key"),
    ("title", "titel", "home.toml:3: titel: found 'titel', expected a known key; did you mean"),
    ('"3"', "3", "home.toml:2: version: found 3, expected str"),
    ('["holdem", "draw5"]', '"holdem"', "home.toml:4: games: found 'holdem', expected list"),
    ('["holdem", "draw5"]', '["holdm"]', "home.toml:4: games: found 'holdm', expected a game"),
    ("games", 'dealt_by = "me"\ngames', "home.toml:4: dealt_by: found 'me', expected"),
    ("games", 'substantial_action = "x"\ngames', "home.toml:4: substantial_action: found 'x',"),
    ("games", 'clause = "x"\ngames', "home.toml:4: clause: found str, expected tables"),
    ("games", "clause = [5]\ngames", "home.toml:4: clause: found list, expected tables"),
]


@pytest.mark.parametrize(("old", "new", "fault"), BAD_HEADS)
def test_a_bad_head_is_refused_with_its_line_and_key(old: str, new: str, fault: str) -> None:
    text = HEAD.replace(old, new, 1) + ("" if "clause" in new else MARKED)
    assert any(each.startswith(fault) for each in faults(text))


def test_two_clauses_that_may_both_apply_are_refused_with_an_example() -> None:
    text = HEAD + clause(id='"A"', when='"in_play"') + clause(id='"B"', when='"!is_known"')
    (told,) = faults(text)
    assert told.startswith("home.toml:11: ")
    assert "A and B may both apply to foreign_card: in_play = True, is_known = False" in told


def test_two_clauses_for_different_games_do_not_meet() -> None:
    text = HEAD + clause(games='["holdem"]') + clause(id='"H-8"', games='["draw5"]')
    assert len(compiled(text).clauses) == 2


def test_two_clauses_for_a_game_in_common_are_refused() -> None:
    text = HEAD + clause(games='["holdem"]') + clause(id='"H-8"', games='["draw5", "holdem"]')
    assert len(faults(text)) == 1


def test_a_clause_that_is_marked_also_may_stand_beside_another() -> None:
    text = HEAD + clause() + clause(id='"H-8"', also="true")
    assert ids(compiled(text), "foreign_card") == ["H-9", "H-8"]


def test_reports_of_different_clauses_do_not_meet() -> None:
    text = HEAD + clause(finding='"report"') + clause(id='"H-8"', finding='"report"')
    assert len(compiled(text).clauses) == 2


def test_one_reported_clause_may_not_have_two_answers() -> None:
    text = HEAD + clause(finding='"report"') + clause(finding='"report"', verdict='"misdeal"')
    assert len(faults(text)) == 1


def test_what_is_no_toml_is_named_with_its_line() -> None:
    (told,) = faults('name = "home"\nversion = \n')
    assert told.startswith("home.toml:2: ")
    assert told.endswith("expected TOML")


def test_all_faults_of_a_book_and_a_house_are_told_at_once() -> None:
    text = HEAD.replace("title", "titel") + clause(verdict='"misdeel"') + clause(when='"handeld"')
    house = 'foregn_card = "misdeal"\ndisable = ["H-7"]\n\n' + clause(finding='"x"')
    assert {each.split(": found")[0] for each in faults(text, house)} == {
        "home.toml:3: titel",
        "home.toml:1: title",
        "home.toml:8: clause[0].verdict",
        "home.toml:15: clause[1].when",
        "house.toml:1: foregn_card",
        "house.toml:6: clause[0].finding",
        "house.toml:2: disable",
    }


# ---------------------------------------------------------------- the layers
def test_a_house_adds_a_clause_that_goes_before_the_books_own() -> None:
    house = clause(finding='"marked_card"', when='"in_deal"', verdict='"noted"')
    rules = compiled(house=house)
    assert ids(rules) == ["H-9", "H-1", "H-2"]


def test_a_house_replaces_a_clause_by_its_id() -> None:
    house = clause(id='"H-1"', finding='"marked_card"', when='"in_deal"', verdict='"noted"')
    rules = compiled(house=house.replace("[[clause]]", "[[replace]]"))
    assert [(each.id, each.verdict) for each in rules.clauses_on("marked_card", "holdem")] == [
        ("H-1", "noted"),
        ("H-2", "deck_replaced"),
    ]


def test_a_house_disables_a_clause_by_its_id() -> None:
    assert ids(compiled(house='disable = ["H-1"]\n')) == ["H-2"]


def test_a_finding_with_a_verdict_replaces_all_that_the_book_says_of_it() -> None:
    rules = compiled(house='marked_card = "floor"\n')
    (only,) = rules.clauses_on("marked_card", "holdem")
    assert (only.id, only.verdict, only.decider, only.cite) == (
        "house:marked_card", "floor", "floor", ("house:marked_card",),
    )  # fmt: skip


BAD_HOUSES = [
    ('disable = ["H-7"]', "house.toml:1: disable: found 'H-7', expected a clause that is there"),
    ("disable = 5", "house.toml:1: disable: found 5, expected a clause's id"),
    ("disable = [[1]]", "house.toml:1: disable: found [1], expected a clause's id"),
    ('marked_card = "misdeel"', "house.toml:1: marked_card: found 'misdeel', expected a verdict;"),
    ("marked_card = []", "house.toml:1: marked_card: found [], expected a verdict"),
    ('marked_crad = "floor"', "house.toml:1: marked_crad: found 'marked_crad', expected a known"),
    ('games = ["holdem"]', "house.toml:1: games: found 'games', expected a known key"),
    ("disable = ", "house.toml:1: found "),
    (
        clause(id='"H-7"').replace("[[clause]]", "[[replace]]"),
        "house.toml:1: replace: found 'H-7', expected a clause that is there",
    ),
    (clause(source=""), "house.toml:1: clause[0]"),
    ('report = "floor"', "house.toml:1: report: found 'floor', expected clauses: a report names"),
    ('claim = "floor"', "house.toml:1: claim: found 'floor', expected clauses"),
    (clause(id='"H-1"'), "house.toml:1: clause: found 'H-1', expected a new id, or [[replace]]"),
]


@pytest.mark.parametrize(("house", "fault"), BAD_HOUSES)
def test_a_bad_house_file_is_refused_with_its_line_and_key(house: str, fault: str) -> None:
    assert any(each.startswith(fault) for each in faults(house=house))


def test_two_clauses_of_the_house_that_may_both_apply_are_refused_in_the_house_file() -> None:
    house = clause(id='"A"') + clause(id='"B"', verdict='"misdeal"')
    (told,) = faults(house=house)
    assert told.startswith("house.toml:6: ")


def test_what_a_jurisdiction_says_goes_before_the_book_and_behind_the_house() -> None:
    rules = compile_book(
        HEAD + clause(),
        file="home.toml",
        jurisdiction=clause(id='"J-1"', verdict='"noted"'),
        house=clause(id='"K-1"', verdict='"misdeal"', when='"in_play"'),
    )
    assert ids(rules, "foreign_card") == ["K-1", "J-1", "H-9"]
    assert rules.jurisdiction_text.startswith("[[clause]]")


def test_a_house_may_replace_what_a_jurisdiction_added_and_no_other_way_round() -> None:
    replaces = clause(id='"J-1"', verdict='"noted"').replace("[[clause]]", "[[replace]]")
    rules = compile_book(HEAD, file="home.toml", jurisdiction=clause(id='"J-1"'), house=replaces)
    assert [(each.id, each.verdict) for each in rules.clauses] == [("J-1", "noted")]
    with pytest.raises(BookError, match="jurisdiction:1: replace: found 'J-1'"):
        compile_book(HEAD, file="home.toml", jurisdiction=replaces, house=clause(id='"J-1"'))


def test_a_clause_that_a_house_rule_leaves_nothing_to_say_is_reported() -> None:
    house = clause(finding='"marked_card"', verdict='"noted"')
    assert compiled(house=house).shadowed == ("H-1", "H-2")


@pytest.mark.parametrize("changes", [{"when": '"in_deal"'}, {"games": '["draw5"]'}])
def test_a_clause_that_still_has_something_to_say_is_not_shadowed(changes: dict[str, str]) -> None:
    house = clause(finding='"marked_card"', verdict='"noted"', **changes)
    assert compiled(house=house).shadowed == ()


def test_a_house_rule_is_what_the_table_is_told() -> None:
    felt = Felt(rules=compiled(house='foreign_card = "misdeal"\n'))
    felt.deal("S1")
    felt.deal("S2", "X1")
    assert felt.standing() == ["foreign_card S2 -> misdeal final"]
    assert felt.only("foreign_card").cite == ("house:foreign_card",)
