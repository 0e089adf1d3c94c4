"""The streams of the lab fastpath fit its wiring, and the tester's files send them."""

import re

from ppslab.core import units
from ppslab.model.lab import topology
from tests.system.labs.fastpath.words import FASTPATH, FOLDER, NUMBERS, routeros


def test_six_streams_join_three_ports_in_both_modes() -> None:
    wanted = {(a, b) for a in ("p1", "p2", "p3") for b in ("p1", "p2", "p3") if a != b}
    for mode, letter in (("routing", "r"), ("bridging", "b")):
        flows = FASTPATH.spec.flows[mode]
        assert {(flow.tx_name, flow.rx_name) for flow in flows} == wanted
        for flow in flows:
            assert flow.name == letter + flow.tx_name[1] + flow.rx_name[1]


def test_no_stream_is_the_answer_to_another() -> None:
    """Else connection tracking would see answered connections, and rules for them would match."""
    for flows in FASTPATH.spec.flows.values():
        tuples = {
            (f.internet.src, f.transport.src_port, f.internet.dst, f.transport.dst_port): f.name
            for f in flows
        }
        assert len(tuples) == len(flows)
        assert not [t for t in tuples if (t[2], t[3], t[0], t[1]) in tuples]


def test_streams_fit_the_wiring() -> None:
    """Sent to the router's MAC address on the port, from a host that the router knows there."""
    router = topology.find("fastpath").plain()["nodes"]["dut"]["exec"]
    text = "\n".join(router)
    for flow in FASTPATH.spec.flows["routing"]:
        near, far = FASTPATH.spec.ports[flow.tx_name], FASTPATH.spec.ports[flow.rx_name]
        assert f"ip link set dev {near} address {flow.ethernet.dst}" in text
        for address, port in ((flow.internet.src, near), (flow.internet.dst, far)):
            known = re.search(rf"replace {address} lladdr (\S+) dev {port} nud permanent", text)
            assert known, f"{address} on {port}"
            if address == flow.internet.src:
                assert known[1] == flow.ethernet.src


def test_the_tester_files_send_the_streams_of_the_lab() -> None:
    for mode in ("routing", "bridging"):
        templates = [w for w in routeros(f"tester/{mode}.rsc") if "header-stack" in w]
        flows = {flow.name: flow for flow in FASTPATH.spec.flows[mode]}
        assert {template["name"] for template in templates} == set(flows)
        for template in templates:
            flow = flows[template["name"]]
            assert template["ip-dst"] == flow.internet.dst
            if mode == "bridging":
                assert template["ip-src"] == flow.internet.src
                assert template["mac-dst"].lower() == flow.ethernet.dst
                assert template["port"] == flow.tx_name
        quick = (FOLDER / "routeros" / f"tester/{mode}-quick.rsc").read_text()
        for run in re.findall(
            r"^quick tx-template=(\S+) packet-size=(\d+) mbps=(\d+)", quick, re.M
        ):
            assert set(run[0].split(",")) == set(flows)
            size = int(run[1]) + units.FCS_BYTES
            assert NUMBERS[f"rb1100-{mode}-{size}-intended"].value == float(run[2])
