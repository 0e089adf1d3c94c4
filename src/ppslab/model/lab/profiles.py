"""Profiles: how long, how often and how finely a run measures, and where it leaves RFC 2544.

`profiles.yml` has them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

from ppslab.core import documents
from ppslab.core.documents.strict import StrictModel
from ppslab.core.errors import UsageError, did_you_mean


class Variant(StrictModel):
    """Streams over an address family in a direction (RFC 2544 section 14, RFC 5180)."""

    family: Literal["ipv4", "ipv6"]  # the flows' address family
    direction: Literal["lab", "one-way", "both-ways"]  # which of the lab's flows are sent
    sizes: Literal["all", "ends"]  # ends: the smallest and 1518 bytes
    # whether all tests are done, or the throughput alone
    tests: Literal["all", "throughput"] = "all"


class LatencySpec(StrictModel):
    """RFC 2544 section 26.2: streams of `seconds` at `shares` of the throughput."""

    shares: tuple[float, ...]
    seconds: float = Field(gt=0)
    repeats: int = Field(ge=1)  # how often each stream is sent


class FrameLossSpec(StrictModel):
    """Section 26.3: from the maximum rate down in steps of `step` of it."""

    step: float = Field(gt=0, le=0.1)
    seconds: float = Field(gt=0)  # seconds of sending at each step


class BackToBackSpec(StrictModel):
    """Section 26.4 and RFC 9004: bursts of at most `seconds`."""

    seconds: float = Field(gt=0)
    repeats: int = Field(ge=1)  # how often the longest burst is searched
    resolution: float = Field(gt=0, lt=1)  # the search ends at this share of a burst


class RecoverySpec(StrictModel):
    """Section 26.5: `seconds` at 110 % of the throughput, `after_seconds` at half of that."""

    seconds: float = Field(gt=0)
    after_seconds: float = Field(gt=0)
    repeats: int = Field(ge=1)  # how often the overload is repeated


class ResetSpec(StrictModel):
    """Section 26.6 and RFC 6201: a reset in mid-stream, at `share` of the throughput."""

    share: float = Field(gt=0, le=1)
    seconds: float = Field(gt=0)  # seconds of sending around the reset
    repeats: int = Field(ge=1)  # how often the router is reset


class Suite(StrictModel):
    """Tests of `ppslab rfc2544` beside the search (RFC 2544 section 26)."""

    # bytes of a frame, with the frame check sequence
    sizes: tuple[Annotated[int, Field(ge=64, le=9216)], ...] = Field(min_length=1)
    sizes_of_other_tests: tuple[int, ...] = Field(min_length=1)  # of latency, bursts and recovery
    variants: tuple[Variant, ...] = Field(min_length=1)  # address families and directions
    latency: LatencySpec  # the latency test
    frame_loss: FrameLossSpec  # the frame loss test
    back_to_back: BackToBackSpec  # the test of bursts
    recovery: RecoverySpec  # the test of recovery from an overload
    reset: ResetSpec  # the reset test


RFC2544_TRIAL_SECONDS = 60.0
RFC2544_WAIT_SECONDS = 2.0
RFC2544_LATENCY_SECONDS = 120.0


class Cost(StrictModel):
    """Paired trials at the highest rate: the router's nanoseconds per packet."""

    trial_seconds: float = Field(gt=0)  # seconds of sending in each trial
    rounds: int = Field(ge=2)  # rounds at the smallest frame size
    rounds_other_sizes: int = Field(ge=2)  # rounds at each frame size but the smallest


class Search(StrictModel):
    """Goals of MLRsearch; the names are its own (`MLRsearch.SearchGoal`)."""

    sizes: Literal["smallest", "all"]  # which frame sizes are searched
    loss_ratios: tuple[float, ...]  # Goal Loss Ratio of each goal
    initial_trial_duration: float = Field(gt=0)  # seconds of the first trial at a load
    final_trial_duration: float = Field(gt=0)  # seconds of a trial that decides on a load
    duration_sum: float = Field(gt=0)  # seconds of trials that decide whether a load passes
    # share of these seconds that may lose more than the goal's loss ratio
    exceed_ratio: float = Field(ge=0, lt=1)
    # how far apart the bounds may be in the end, as a share of the upper one
    relative_width: float = Field(gt=0, lt=1)


class Waits(StrictModel):
    """The phases of a trial around its frames (RFC 2544 section 23)."""

    learning_frames: int = Field(ge=1)  # frames a flow before the trial, not counted
    settle_seconds: float = Field(ge=0)  # seconds between the learning frames and the trial
    # seconds after the last frame was sent in which frames may still arrive
    drain_seconds: float = Field(gt=0)


class TcpProfile(StrictModel):
    """Transfers of `ppslab tcp`: of `seconds` each, in `rounds` of all conditions."""

    seconds: int = Field(ge=1)
    rounds: int = Field(ge=2)  # rounds of all conditions


class Emulated(StrictModel):
    """Values that replace the profile's own under emulation."""

    trial_seconds: float = Field(gt=0)  # of cost: a slower router needs as many frames
    rounds: int = Field(ge=2)  # rounds of cost trials
    rounds_other_sizes: int = Field(ge=2)  # rounds at each frame size but the smallest
    relative_width: float = Field(gt=0, lt=1)  # how far apart a search's bounds may be in the end
    duration_sum: float = Field(gt=0)  # seconds of trials that decide whether a load passes
    suite_sizes: tuple[int, ...] = Field(min_length=1)  # bytes of the frames of the RFC 2544 suite
    # address families and directions of the RFC 2544 suite
    variants: tuple[Variant, ...] = Field(min_length=1)


class Profile(StrictModel):
    """One profile, by name."""

    name: str  # what `--profile` calls it
    purpose: str  # what it is for
    cost: Cost  # the rounds of cost trials
    search: Search  # the search for the throughput
    waits: Waits  # the phases of a trial around its frames
    suite: Suite  # the tests of RFC 2544
    tcp: TcpProfile  # the transfers of `ppslab tcp`
    # how often a trial is repeated that the machine spoiled
    repeats_of_noisy_trials: int = Field(ge=0)
    emulated: Emulated | None = None  # what replaces these under emulation
    # what replaces `cost` where instructions are counted; seconds by the guest's clock
    instructions: Cost

    def under_emulation(self) -> Profile:
        """The profile as an emulated router gets it."""
        if self.emulated is None:
            return self
        emulated = self.emulated
        sizes = {
            "sizes": emulated.suite_sizes,
            "sizes_of_other_tests": emulated.suite_sizes,
            "variants": emulated.variants,
        }
        own = emulated.model_dump()
        return self.model_copy(
            update={
                "cost": Cost.model_validate({word: own[word] for word in Cost.model_fields}),
                "search": self.search.model_copy(
                    update={word: own[word] for word in ("relative_width", "duration_sum")}
                ),
                "suite": self.suite.model_copy(update=sizes),
            }
        )

    def counted(self) -> Profile:
        """The profile where instructions are counted: nothing disturbs them, so a few do."""
        return self.model_copy(update={"cost": self.instructions})

    def deviations(self) -> list[str]:
        """Deviations of `ppslab run` from RFC 2544, one sentence each (its section 24)."""
        sentences = self._deviations_of_the_search()
        if self.search.sizes == "smallest":
            sentences.append(
                "The throughput is searched at the smallest frame size only (section 9)."
            )
        sentences.append(
            "The cost trials send as fast as the tester can and are not part of RFC 2544: "
            "they give the router's time per packet."
        )
        return sentences

    def deviations_of_the_suite(self, *, device: bool = False) -> list[str]:
        """Deviations of `ppslab rfc2544` from RFC 2544, one sentence each (section 24).

        `device`: the router is one of its own, not a node.
        """
        sentences, suite = self._deviations_of_the_search(), self.suite
        short = [
            ("latency", "26.2", suite.latency.seconds, RFC2544_LATENCY_SECONDS),
            ("frame loss", "26.3", suite.frame_loss.seconds, RFC2544_TRIAL_SECONDS),
            ("back-to-back", "26.4", suite.back_to_back.seconds, RFC2544_WAIT_SECONDS),
            ("system recovery", "26.5", suite.recovery.seconds, RFC2544_TRIAL_SECONDS),
        ]
        for test, section, seconds, least in short:
            if seconds < least:
                sentences.append(
                    f"A {test} trial lasts {seconds:g} s, not {least:g} s (section {section})."
                )
        repeats = [
            ("latency", "26.2", suite.latency.repeats, 20),
            ("back-to-back", "26.4", suite.back_to_back.repeats, 50),
        ]
        for test, section, number, asked in repeats:
            if number < asked:
                sentences.append(
                    f"A {test} trial is repeated {number} times, not {asked} (section {section})."
                )
        if suite.sizes_of_other_tests != suite.sizes:
            sizes = ", ".join(map(str, suite.sizes_of_other_tests))
            sentences.append(
                f"Latency, bursts and recovery are measured at {sizes} bytes only (section 9.1)."
            )
        if suite.reset.share < 1:
            sentences.append(
                f"During a reset, the load is {suite.reset.share:.0%} of the throughput, so that "
                "only the loss that the reset causes is counted (section 26.6 uses the full "
                "throughput)."
            )
        sentences.append(
            "The longest lossless burst is found by binary search without loss verification, to "
            f"within {suite.back_to_back.resolution:g} of its length (RFC 9004 section 6.2)."
        )
        return [*sentences, *_ALWAYS, *(_OF_A_DEVICE if device else _OF_NODES)]

    def _deviations_of_the_search(self) -> list[str]:
        sentences = []
        search, waits = self.search, self.waits
        if search.final_trial_duration < RFC2544_TRIAL_SECONDS:
            sentences.append(
                f"The last trial of a search lasts {search.final_trial_duration:g} s, "
                "not 60 s (RFC 2544 section 24)."
            )
        if len(search.loss_ratios) > 1:
            sentences.append(
                "Besides the throughput without loss, the search finds that for tolerated "
                "loss ratios (RFC 9971), which RFC 2544 does not define."
            )
        if search.exceed_ratio > 0:
            sentences.append(
                "A load passes if trials that lose more than the goal allows take at most "
                f"{search.exceed_ratio:.0%} of the trial time (RFC 9971, exceed ratio); RFC 2544 "
                "allows no such trial."
            )
        if waits.settle_seconds < RFC2544_WAIT_SECONDS:
            sentences.append(
                f"The tester waits {waits.settle_seconds:g} s after the learning frames and "
                f"{waits.drain_seconds:g} s after the last frame, not 2 s each (section 23)."
            )
        return sentences


_ALWAYS = (
    "Every frame has a number and two timestamps, so latency is measured for every frame, not for "
    "one tagged frame per trial (section 26.2); the percentiles cover all frames.",
    "The delay is counted from the time when a frame was due until the kernel receives the frame; "
    "store-and-forward and bit-forwarding devices are treated alike (RFC 1242 section 3.8).",
    "There is no routing update and no address resolution before a trial: routes and neighbours "
    "are permanent (section 23).",
)

_OF_NODES = (
    "A virtual wire has no line rate: 100 % is the most that the tester sends (sections 20, 26.3).",
    "Only this router's configuration can be reset: the router has no power supply or processor "
    "of its own (RFC 6201).",
)

_OF_A_DEVICE = (
    "100 % is the most that the tester sends, not what fills the wires (sections 20, 26.3).",
    "Only the router's configuration is reset, not its power supply or processor (RFC 6201).",
)


def load(name: str) -> Profile:
    """The profile called `name`; UsageError names the near ones where there is none."""
    file = Path(__file__).with_name("profiles.yml")
    document = documents.load_yaml(file)
    if name not in document.data:
        near = did_you_mean(name, document.data)
        raise UsageError(f"no profile {name!r}{near}: there are {', '.join(document.data)}")
    return Profile.model_validate({"name": name, **document.data[name]})
