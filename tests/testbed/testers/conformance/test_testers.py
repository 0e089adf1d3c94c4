"""What every tester holds to (ppslab.testbed.testers.contract), whatever it is made of."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import get_args

import pytest

from ppslab.core.during import Meanwhile
from ppslab.core.errors import CannotHereError, UsageError
from ppslab.testbed.testers import testers
from ppslab.testbed.testers.contract import Ability
from ppslab.testbed.testers.counts import NOT_SEEN, TrialCounts
from tests.conftest import Opened
from tests.support.waiting import until
from tests.testbed.testers.conformance.abilities import ASKED, SEEN, sent_whole
from tests.testbed.testers.conformance.loads import LOAD, flow
from tests.testbed.testers.conformance.subjects import LOSES_EVERY, PORTS, Subject, standing

pytestmark = pytest.mark.guest


@pytest.fixture(scope="module", params=testers.NAMES)
def subject(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, opened: Opened
) -> Iterator[Subject]:
    """Each tester in turn, or the reason why it does not run here."""
    try:
        with standing(request.param, tmp_path_factory.mktemp("inventory"), opened) as found:
            yield found
    except CannotHereError as error:
        pytest.skip(f"{request.param}: {error}")


@pytest.fixture(autouse=True)
def clean(request: pytest.FixtureRequest) -> Iterator[None]:
    """A path that loses nothing; after each test no frame is under way any more."""
    if "subject" not in request.fixturenames:
        yield
        return
    subject = request.getfixturevalue("subject")
    subject.path.lose(None)
    subject.path.slow(None)
    yield
    until(lambda: not subject.path.busy(), "the tester to have nothing under way")


@pytest.fixture(scope="module")
def whole(subject: Subject) -> TrialCounts:
    """What one trial without loss counts, for all tests that only look."""
    subject.path.lose(None)
    subject.path.slow(None)
    return sent_whole(subject, LOAD).counts


def test_it_says_what_it_is(subject: Subject) -> None:
    tester = subject.tester
    assert tester.name in testers.NAMES
    assert tester.version().strip()
    assert tester.abilities <= set(get_args(Ability))
    assert all(isinstance(word, str) for pair in tester.settings.items() for word in pair)


def test_on_a_path_without_loss_every_frame_of_the_load_arrives(whole: TrialCounts) -> None:
    counts = whole
    assert (counts.aborted, counts.reason) == (False, None)
    assert (counts.size, counts.intended_rate, counts.duration) == (128, 2000.0, 0.5)
    assert [(f.name, f.intended, f.offered, f.received) for f in counts.flows] == [
        ("r12", 750, 750, 750),
        ("r21", 250, 250, 250),
    ]
    assert (counts.intended, counts.offered, counts.received) == (1000, 1000, 1000)
    assert counts.loss_ratio == 0
    # One that began late catches up; a device says for how long it was to send.
    late = (counts.max_lateness_ns or 0) / 1e9
    assert 0.4 - late <= counts.send_seconds <= max(0.5, counts.elapsed_seconds)
    assert counts.elapsed_seconds > 0
    for name in ("duplicates", "reordered", "misdelivered", "corrupt", "kernel_drops"):
        assert getattr(counts, name) in (0, None), name


def test_a_known_loss_comes_back(subject: Subject) -> None:
    subject.path.lose(LOSES_EVERY)
    # What is only late must not be lost.
    counts = sent_whole(subject, replace(LOAD, drain_seconds=1.0), lossy=True).counts
    assert counts.lost == pytest.approx(1000 / LOSES_EVERY, abs=1)
    assert counts.lost == sum(f.intended - f.received for f in counts.flows)


def test_frames_that_it_cannot_send_are_intended_and_lost(subject: Subject) -> None:
    subject.path.slow(10_000.0)
    # Of 5 million frames per second no tester here sends all; of 40 000 a double a quarter.
    rate, seconds = (5e6, 0.1) if subject.secrets == () else (40_000.0, 1.0)
    load = replace(LOAD, flows=(flow(1),), rate=rate, seconds=seconds)
    counts = subject.tester.trial(load).counts
    assert counts.offered < counts.intended
    assert counts.intended >= rate * load.seconds
    assert counts.lost >= counts.intended - counts.offered
    assert not counts.aborted


def test_a_record_takes_what_it_counts_and_no_secret(subject: Subject, whole: TrialCounts) -> None:
    counts = whole
    text = json.dumps([counts.plain(), subject.tester.settings, subject.tester.version()])
    assert TrialCounts.of(json.loads(text)[0]) == counts
    assert set(NOT_SEEN) <= counts.plain().keys()
    assert not [secret for secret in subject.secrets if secret in text]


def test_learning_frames_count_for_nothing(subject: Subject) -> None:
    counts = sent_whole(subject, replace(LOAD, learning_frames=5)).counts
    assert (counts.intended, counts.received) == (1000, 1000)


def unplugged(subject: Subject, seconds: float) -> TrialCounts | None:
    """A trial in which p2 goes down while the tester sends; None: it had ended by then."""
    over, out = threading.Event(), threading.Event()

    def unplug() -> None:
        until(lambda: over.is_set() or subject.path.busy(), "the first frames")
        if not over.is_set():
            subject.path.unplug("p2", True)
            out.set()

    try:
        with Meanwhile(0, unplug):
            try:
                counts = subject.tester.trial(replace(LOAD, seconds=seconds)).counts
                in_time = out.is_set()
            finally:
                over.set()
    finally:
        subject.path.unplug("p2", False)
    return counts if in_time else None


def test_a_port_that_goes_down_aborts_the_trial(subject: Subject) -> None:
    for seconds in (3.0, 6.0, 24.0):  # it takes a slow machine long to see that frames leave
        counts = unplugged(subject, seconds)
        if counts and counts.aborted:
            break
    assert counts is not None, "the tester was never seen to send"
    assert counts.aborted
    assert counts.reason and ("p2" in counts.reason or PORTS["p2"] in counts.reason)


def test_a_flow_of_a_port_that_is_not_there_is_wrong(subject: Subject) -> None:
    with pytest.raises(UsageError, match="p9"):
        subject.tester.trial(replace(LOAD, flows=(flow(1, rx_name="p9"),)))


def test_a_frame_that_holds_no_packet_is_wrong(subject: Subject) -> None:
    with pytest.raises(UsageError):
        subject.tester.trial(replace(LOAD, size=40))


def test_every_ability_is_tested() -> None:
    assert ASKED.keys() | SEEN.keys() == set(get_args(Ability))


@pytest.mark.parametrize("ability", ASKED)
def test_it_does_what_it_is_able_to_and_refuses_the_rest(
    subject: Subject, ability: Ability
) -> None:
    if ability in subject.tester.abilities:
        ASKED[ability](subject)
        return
    with pytest.raises(UsageError, match=f"{subject.tester.name} cannot do this: {ability}"):
        ASKED[ability](subject)


@pytest.mark.parametrize("ability", SEEN)
def test_it_counts_what_it_is_able_to_see_and_nothing_else(
    subject: Subject, whole: TrialCounts, ability: Ability
) -> None:
    if ability in subject.tester.abilities:
        SEEN[ability](whole)
        return
    unseen = (whole.delay_ns.p50, whole.reordered, whole.send_cpu_seconds)
    assert dict(zip(SEEN, unseen, strict=True))[ability] is None
