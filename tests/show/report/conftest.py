"""A folder of records made up, and the reports made of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from ppslab.model import results
from ppslab.show import report
from tests.support.factory import make_record
from tests.support.suite_factory import make_suite

SIZES = (64, 512, 1518)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("records")
    results.save(make_suite(sizes=SIZES), made / "suite.json")
    results.save(make_record(), made / "cost.json")
    return made


@pytest.fixture(scope="module")
def suite(folder: Path) -> report.Source:
    return report.load(str(folder / "suite.json"))


@pytest.fixture(scope="module")
def both(folder: Path, suite: report.Source) -> list[report.Source]:
    return [suite, report.load(str(folder / "cost.json"))]


@pytest.fixture(scope="module")
def page(both: list[report.Source]) -> str:
    return report.html(report.document(both))
