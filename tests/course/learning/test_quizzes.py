"""Every answer of every quiz is explained, the right ones are right, and each slip is found."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ppslab.core import documents, paths
from ppslab.core.documents import Document
from ppslab.core.errors import FileError, PpslabError, UsageError
from ppslab.course.learning import again, calculations, quiz
from ppslab.course.learning.chapters import files

NAMES = quiz.names()
BOOK = paths.project_root() / "book"

Data = dict[str, Any]
Slip = tuple[str, Callable[[Data], None]]


def _document(name: str) -> Document:
    return documents.load_yaml(quiz.path_of(name))


def _slips(question: Data) -> Iterator[Slip]:
    """Every way in which one question can be spoilt by one slip."""
    answers, right = question["answers"], question["right"]
    letters = list(answers)
    wrong = [letter for letter in letters if letter not in right]
    for letter in letters:
        yield f"{letter} unexplained", lambda q, x=letter: q["answers"][x].pop("because")
        yield f"{letter} with nothing", lambda q, x=letter: q["answers"][x].update(because="")
        yield (
            f"{letter} without a reason",
            lambda q, x=letter: q["answers"][x].update(
                because=q["answers"][x]["because"].split(".")[0] + ". So it is."
            ),
        )
        yield f"{letter} without words", lambda q, x=letter: q["answers"][x].update(says="")
    for letter in wrong:
        yield f"{letter} right too", lambda q, x=letter: q["right"].append(x)
        yield f"{letter} for another", lambda q, x=letter: q.update(right=[x, *q["right"][1:]])
        yield (
            f"{letter} explained as another",
            lambda q, x=letter: _exchange(q["answers"], x, q["right"][0], "because"),
        )
    yield "nothing right", lambda q: q.update(right=[])
    yield "an unknown letter", lambda q: q["right"].append("z")
    yield "all right", lambda q: q.update(right=list(q["answers"]))
    if len(right) > 1:
        yield "one forgotten", lambda q: q["right"].pop()
    yield "said twice", lambda q: q["answers"]["b"].update(says=q["answers"]["a"]["says"])
    yield "a sentence that is not there", lambda q: q["from"].update(says=q["from"]["says"] + " so")
    yield "a page that is not there", lambda q: q["from"].update(page="nowhere/index")
    yield "no origin", lambda q: q.pop("from")
    yield "an unknown key", lambda q: q.update(hint="look closer")
    yield "one answer", lambda q: q.update(answers={"a": q["answers"]["a"]})
    yield "letters in disorder", lambda q: q.update(answers=dict(reversed(q["answers"].items())))
    if "reckon" in question:
        one, says = right[0], answers[right[0]]["says"]
        other = re.sub(r"\d[\d ]*", "7 ", says)
        yield "another number", lambda q: q["answers"][one].update(says=other)
        yield "the number twice", lambda q: q["answers"][wrong[0]].update(says=f"{says}, or so")
        yield "another calculation", lambda q: q.update(reckon="wire 1 9000")


def _exchange(answers: Data, first: str, second: str, key: str) -> None:
    answers[first][key], answers[second][key] = answers[second][key], answers[first][key]


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_one_slip_anywhere_is_found(name: str) -> None:
    whole = _document(name)
    quiz.of_document(whole, BOOK)
    missed, tried = [], 0
    for each, question in whole.data["questions"].items():
        for what, spoil in _slips(question):
            data = copy.deepcopy(whole.data)
            spoil(data["questions"][each])
            tried += 1
            try:
                quiz.of_document(Document(whole.path, data, whole.line_of), BOOK)
            except PpslabError:
                continue
            missed.append(f"{each}: {what}")
    assert missed == []
    assert tried > 10 * len(whole.data["questions"])


def test_a_mistake_is_named_with_its_line(tmp_path: Path) -> None:
    page = tmp_path / "fastpath.md"
    page.write_text("# Fast Path\n\nIt asks one table and is done.\n")
    file = tmp_path / "quizzes" / "fastpath.yml"
    file.parent.mkdir()
    text = (
        "questions:\n"
        "  what-is-left:\n"
        "    ask: What is looked up?\n"
        "    answers:\n"
        "      a: {says: One table., because: Yes. That of the routes is always needed.}\n"
        "      b: {says: Two tables., because: Yes. Those of routes and rules are needed.}\n"
        "    right: [a]\n"
        "    from: {page: fastpath, says: It asks one table}\n"
    )
    file.write_text(text)
    with pytest.raises(FileError, match=r"fastpath\.yml:6: question what-is-left: answer b: "):
        quiz.load(file)
    file.write_text(text.replace("because: Yes. Those", "because: No. Those"))
    assert quiz.load(file).question("what-is-left").right == ("a",)
    page.write_text("# Fast Path\n\nIt asks two tables.\n")
    with pytest.raises(FileError, match=r"fastpath\.yml:8: .*fastpath\.md"):
        quiz.load(file)


@pytest.mark.parametrize(
    ("words", "number"),
    [
        ("wire 10 64", "14880952"),  # RFC 2544 appendix B, times a thousand
        ("wire 1 1518", "81274"),
        ("share 64", "76"),
        ("largest 1500 eoip", "1458"),  # actual-mtu of RouterOS
        ("overhead 1500 eoip", "42"),
        ("largest 1500 pppoe", "1492"),  # RFC 2516 section 7
        ("port layer2 8 02:00:00:00:00:01 02:00:00:00:00:04", "5"),
        ("published eoip comment-3-eoip-ipsec", "38"),
    ],
)
def test_what_is_reckoned(words: str, number: str) -> None:
    assert calculations.number(words.split()) == number


@pytest.mark.parametrize("words", ["", "wire", "wire 10", "mss 1500", "published eoip nothing"])
def test_what_cannot_be_reckoned(words: str) -> None:
    with pytest.raises(UsageError):
        calculations.number(words.split())
    # The answers have spaces between thousands.
    assert calculations.numbers_in("14 880 952, 1.5 times") == ["14880952", "1.5"]


@pytest.mark.parametrize("chapter", documents.load_yaml(again.path()).data["chapters"])
def test_a_chapter_asks_three_questions_again_of_chapters_before_it(chapter: str) -> None:
    asked = again.of(chapter)
    assert len({(each.chapter, each.name) for each in asked}) == 3
    pages = files()
    if f"{chapter}/index" in pages:
        later = pages[pages.index(f"{chapter}/index") :]
        for each in asked:
            assert f"{each.chapter}/index" not in later, each.name


@pytest.mark.parametrize(
    ("written", "instead", "complaint"),
    [
        ("ask: How many 64-byte frames a second fill a 25 Gbit/s port?",
         "ask: How many 64-byte frames a second fill a 10 Gbit/s port?", "in the same words"),
        ("reckon: wire 25 64", "reckon: wire 24 64", "answer b lacks it"),
        ("because: Yes. Divide 25", "because: No. Divide 25", "answer b: it is right"),
    ],
)  # fmt: skip
def test_a_question_that_repeats_the_quiz_or_is_wrong_is_named(
    written: str, instead: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = again.path().read_text(encoding="utf-8")
    assert written in text
    file = tmp_path / "again.yml"
    file.write_text(text.replace(written, instead), encoding="utf-8")
    monkeypatch.setattr(again, "path", lambda: file)
    with pytest.raises(FileError, match=rf"again\.yml:\d+: .*{complaint}"):
        again.of("hundred")


# --- where a question's "Read" line leads ---------------------------------------------------------


def _headings(page: str) -> set[str]:
    """What a reader who looks for a section can find: headings, and bold sentences that begin."""
    text = (BOOK / page).read_text(encoding="utf-8")
    found = re.findall(r"^#+ (.+)$|^\*\*(.+?)\*\*", text, re.MULTILINE)
    return {(heading or lead).rstrip(".") for heading, lead in found}


def _named() -> list[tuple[str, str]]:
    """Pages and the sections of them, each section after the link that it belongs to."""
    named = []
    text = (BOOK / "questions.md").read_text(encoding="utf-8")
    for line in re.findall(r"^\*\*Read:\*\* (.+)$", text, re.MULTILINE):
        page = ""
        for link, section in re.findall(r"\]\(([\w/-]+\.md)\)|(?<!\*)\*([^*]+)\*(?!\*)", line):
            page = link or page
            if section:
                named.append((page, section))
    return named


def test_each_section_that_a_question_names_is_on_the_page_that_it_links() -> None:
    named = _named()
    assert named
    assert [(page, section) for page, section in named if section not in _headings(page)] == []
