"""Commands read out of pages: RouterOS by menu, shell by program and verb."""

from __future__ import annotations

import pytest

from ppslab.course.learning import commands
from ppslab.course.site.directives.learning.commands import PROGRAMS


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("/ip/firewall/filter\nadd chain=forward action=accept\n", ["/ip/firewall/filter add"]),
        ("/ip firewall filter add chain=forward\n", ["/ip/firewall/filter add"]),
        ("/tool/profile cpu=all\n", ["/tool profile"]),
        ("/export file=before\n", ["/export"]),
        (":for i from=1 to=3 do={ /ip/address add address=198.18.0.1/24 interface=e }\n", [":for"]),
        ("# only a comment\n", []),
    ],
)
def test_routeros(text: str, names: list[str]) -> None:
    assert [said.name for said in commands.of_script(text)] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("ppslab plan nics server.xml --libvirt | less", ["ppslab plan nics", "less"]),
        ("ppslab run fastpath   # or make notebook", ["ppslab run"]),
        (".venv/bin/ppslab doctor", ["ppslab doctor"]),
        ("sudo ip route add 198.18.0.0/24 via 198.18.1.1", ["ip route"]),
        ("PPSLAB_BACKEND=vm ppslab run \\\n    fasttrack", ["ppslab run"]),
        ("cp a b && sed -i s/a/b/ c", ["cp", "sed"]),
        ("cat > file <<EOF\nrm -rf everything\nEOF\nnft list ruleset", ["cat", "nft list"]),
        ("for each in a b; do\n  ethtool -l $each\ndone", ["ethtool"]),
        ("$ lscpu --extended", ["lscpu"]),
        ("grep -c -E 'vmx|svm' /proc/cpuinfo", ["grep"]),
        ('tester() { docker exec t "$@"; }\ntester ip route', ["docker exec"]),
        ("for each in $(seq 1 3); do wait $each; done", ["seq"]),
        ("case $1 in\nplain) pppd plain ;;\nesac", ["pppd"]),
        ("echo layer3+4 >/sys/class/net/po0/bonding/xmit_hash_policy", []),
        ("# nothing", []),
    ],
)
def test_shell(text: str, names: list[str]) -> None:
    assert [said.name for said in commands.of_shell(text)] == names


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/tool/profile cpu=all", "/tool profile"),
        ("/ip/settings", None),  # a menu and no command
        ("/proc/net/softnet_stat", None),
        ("/sys/class/net/eth1/device/numa_node", None),
        ("ip route", "ip route"),
        ("ppslab calibrate", "ppslab calibrate"),
        ("mtu=auto", None),
        ("ip saddr 198.18.1.2 accept", None),  # of nftables
        ("fast path", None),
    ],
)
def test_between_backquotes(text: str, name: str | None) -> None:
    said = commands.of_words(text, PROGRAMS)
    assert (said.name if said else None) == name
