"""Every condition of every lab on the router: made, read back, taken back without a trace."""

from __future__ import annotations

import pytest

from ppslab.core.errors import BackendError
from ppslab.model.lab import lab as labs
from ppslab.model.lab.lab import Condition
from ppslab.testbed.routers.routeros.router import RouterOSRouter
from tests.system.chr.conftest import Chr, Make
from tests.testbed.routers.conftest import routers

pytestmark = [pytest.mark.guest, pytest.mark.usefixtures("wires")]

SWITCH = "/interface/ethernet/switch"


def fits(router: RouterOSRouter, condition: Condition) -> bool:
    """Whether a CHR can have it: it has no switch chip."""
    return not any(each.menu.startswith(SWITCH) for each in router.statements(condition))


@pytest.mark.parametrize(("name", "node"), routers())
def test_each_condition_is_made_and_read_back(
    chr_: Chr, router_of: Make, name: str, node: str
) -> None:
    lab = labs.find(name)
    if not any(fits(router_of(lab, node), each) for each in lab.conditions.values()):
        pytest.skip("every condition needs a switch chip, which no CHR has")
    before = chr_.export()
    with router_of(lab, node) as router:
        for condition in lab.conditions.values():
            if condition.routeros and fits(router, condition):
                router.apply(condition)
                found = router.read_back(condition)
                assert not found.problems, f"{condition.name}: {found.problems}\n{found.text}"
    assert chr_.export() == before, "something of ours is left"


def test_a_statement_that_it_refuses_leaves_nothing(chr_: Chr, router_of: Make) -> None:
    """The switch's menus, which no CHR has, come after others of the same condition."""
    lab = labs.find("l3offload")
    before = chr_.export()
    with router_of(lab) as router:
        condition = next(
            each for each in lab.conditions.values() if each.routeros and not fits(router, each)
        )
        with pytest.raises(BackendError, match=r"switch-only/.*\.rsc:\d+"):
            router.apply(condition)
        assert chr_.export() == before
    assert chr_.export() == before
