"""The places of what an answer notices, by the `place` and the `first` of its rules."""

from __future__ import annotations

import pytest
from asked import HEAD, ask

from rosexplain import rule_files, sentences
from rosexplain.noticed import noticed
from rosexplain.report import Answer
from rosexplain.summary import summary, to_do

RULES = rule_files.load().rules
STATEFUL = """/ip firewall filter
add action=accept chain=forward connection-state=established,related
add action=drop chain=forward connection-state=invalid
"""


@pytest.mark.parametrize("name", ["untranslated", "mining-redirected"])
def test_a_network_cut_off_or_a_stranger_s_rule_is_the_first_thing_to_do(name: str) -> None:
    names = dict.fromkeys(["untranslated", name])
    exports = "".join(RULES[one].holds.export for one in names)
    plain = Answer(ask(HEAD + exports + STATEFUL)).plain()
    things = to_do(plain)
    assert any("fasttrack-connection" in text for one in things for text in one["commands"])
    own = [note["commands"] for note in plain["notes"] if note["rule"] == name]
    assert things[0]["commands"] in own


@pytest.mark.parametrize("name", [name for name in RULES if RULES[name].place == "air"])
def test_what_is_said_of_the_air_is_not_said_again_below(name: str) -> None:
    short = summary(sentences.named(Answer(ask(HEAD + RULES[name].holds.export)).plain()))
    says = RULES[name].decides[:40]
    assert says in short["air"] and not any(says in line for line in short["noticed"])


@pytest.mark.parametrize(("disabled", "idle"), [("yes", True), ("no", False)])
def test_a_station_is_idle_where_only_what_is_off_names_it(disabled: str, idle: bool) -> None:
    client = f"/ip dhcp-client\nadd disabled={disabled} interface=wifi2\n"
    explanation = ask(HEAD + RULES["station-idle"].holds.export + client)
    assert ("station-idle" in dict(noticed(explanation))) is idle


@pytest.mark.parametrize(
    ("model", "band", "was"),
    [("RB951Ui-2HnD", "2ghz-b/g/n", "2ghz-b/g"), ("SXT-5HnD", "5ghz-a/n", "5ghz-a")],
)
def test_a_band_that_no_line_said_is_that_of_the_radio_again(
    model: str, band: str, was: str
) -> None:
    radio = "/interface wireless\nset [ find default-name=wlan1 ] disabled=no mode=ap-bridge\n"
    plain = Answer(
        ask(f"# 2026-11-20 10:00:00 by RouterOS 6.49\n# model = {model}\n{radio}")
    ).plain()
    (note,) = [note for note in plain["notes"] if note["rule"] == "radio-band-unset"]
    assert f" band={band}" in note["commands"][0] and note["undo"][0].endswith(f" band={was}")
