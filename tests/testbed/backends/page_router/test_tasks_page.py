"""A page with a router and tasks, as Sphinx makes it, and pages that have none: they say why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from ppslab.course.site.directives import page_router as directive
from ppslab.testbed.backends.page_router import load
from tests.support import sphinx_site

ROOT = Path(__file__).resolve().parents[4]

CONFIG = """
extensions = ["myst_parser", "sphinx_design", "ppslab.course.site.directives"]
html_theme = "basic"
"""

MANIFEST = {
    "v86": "1.2.3", "memory_mb": 192, "words": "console=ttyS0", "boot_seconds": 20.0,
    "programs": sorted(load(ROOT / "images/page-router").programs()), "state": "state-1.zst",
    "files": {"state-1.zst": {"bytes": 5, "sha256": ""}},
}  # fmt: skip


def built(folder: Path, page: str, *, router: bool = True) -> str:
    (folder / "conf.py").write_text(CONFIG)
    (folder / "index.md").write_text(f"# Front\n\n{page}")
    (folder / "images").mkdir()
    (folder / directive.SOURCES).symlink_to(ROOT / directive.SOURCES)
    static = folder / directive.STATIC
    (folder / directive.FOLDER).mkdir(parents=True)
    for name in (*directive.BESIDES, *directive.FOR_TASKS):
        (static / name).write_bytes(b"x")
    if router:
        (folder / directive.FOLDER / "manifest.json").write_text(json.dumps(MANIFEST))
    assert not sphinx_site.build(folder, folder / "out")
    return (folder / "out/index.html").read_text(encoding="utf-8")


def directive_of(topology: str, lab: str) -> str:
    return f"```{{page-router}} {topology}\n:tasks: {lab}\n```\n"


@pytest.mark.long
def test_a_page_has_the_tasks_and_says_which_are_missing(tmp_path: Path) -> None:
    html = built(tmp_path, directive_of("fasttrack", "fasttrack"))
    found = re.search(r'<script type="application/json">(.*?)</script>', html)
    assert found
    told = json.loads(found[1])
    assert told["lab"] == "fasttrack" and told["tab_mb"] == directive.TAB_MB
    assert "mark-them" in [task["name"] for task in told["tasks"]["tasks"]]
    assert "netns delete dut" in told["away"]


@pytest.mark.long
def test_a_page_has_the_memory_that_the_button_tells_of(tmp_path: Path) -> None:
    html = built(tmp_path, "It takes {ppslab-router-needs}`memory`.\n")
    assert f">{directive.TAB_MB} MB</a>" in html


@pytest.mark.long
@pytest.mark.parametrize(
    ("lab", "router", "lacks"),
    [
        ("numa", True, ()),
        ("pppoe", True, ()),
        ("fastpath", False, ()),
        ("fastpath", True, ("bpftool", "ppstraffic")),
    ],
)
def test_a_page_whose_tasks_cannot_be_there_has_no_router(
    tmp_path: Path, lab: str, router: bool, lacks: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = [name for name in MANIFEST["programs"] if name not in lacks]
    monkeypatch.setitem(MANIFEST, "programs", programs)
    html = built(tmp_path, directive_of(lab, lab), router=router)
    assert 'class="ppslab-router"' not in html
    assert all(name in html for name in lacks)


@pytest.mark.parametrize("router", [True, False])
def test_what_to_know_of_the_router_is_said_where_there_is_one(
    tmp_path: Path, router: bool
) -> None:
    page = "```{page-router} fastpath-tcp\n\nPress *Start*.\n```\n"
    html = built(tmp_path, page, router=router)
    assert ("Press <em>Start</em>." in html) == router


def test_prepared_conditions_are_those_of_the_labs(tmp_path: Path) -> None:
    """A button gives the router what the lab measures, and FastTrack an answered connection."""
    page = built(
        tmp_path,
        "```{page-router} fastpath-tcp\n:count: host1 host2\n:prepared: None = fastpath "
        "routing-plain; FastTrack = fasttrack fasttrack-25\n```\n",
    )
    told = json.loads(re.findall(r'<script type="application/json">(.*?)</script>', page)[0])
    plain, fast = told["prepared"]
    assert [each["title"] for each in told["prepared"]] == ["None", "FastTrack"]
    assert (plain["answer"], fast["answer"]) == (False, True)
    assert "flow add @fasttrack" in fast["script"] and "flow add" not in plain["script"]
    assert fast["script"].count(" counter drop") >= 25
    assert "host2" in told["count"]["answer"]
