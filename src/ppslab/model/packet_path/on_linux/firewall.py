"""One rule of RouterOS's firewall as nft says it."""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import table, values
from ppslab.model.packet_path.on_linux.ports import Ports
from ppslab.model.packet_path.on_linux.values import refuse

RULES_OWN = ("chain", "action", "comment", "disabled")
TRACKING = "/ip/firewall/connection/tracking"


class Marks:
    """RouterOS's marks have names, Linux's are numbers: the first one is 1."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def number(self, name: str) -> str:
        """The number of a mark."""
        values.name(name)
        if name == "no-mark":
            return "0"
        if name not in self.names:
            self.names.append(name)
        return str(self.names.index(name) + 1)


def kind_of(menu: str) -> str:
    """filter, nat, mangle or raw."""
    return menu.rpartition("/")[2]


def is_rules(menu: str) -> bool:
    """Tell a list of rules from other menus."""
    return menu in table.FIREWALLS


def rule(menu: str, pairs: list[tuple[str, str]], ports: Ports, marks: Marks) -> tuple[str, str]:
    """The chain of a rule and what nft says for it; `pairs`: its properties.

    RefusedError, whose sentence begins with the property that has no translation.
    """
    given = dict(pairs)
    family, kind = table.FIREWALLS[menu], kind_of(menu)
    if "chain" not in given:
        raise refuse("chain is missing")
    chain = str(values.of("chain", values.name, given["chain"]))
    if chain in table.OWN_CHAINS and chain not in [each[0] for each in table.CHAINS[kind]]:
        raise refuse(f"chain={values.shown(chain)}: no translation in this list")
    action = given.get("action", "accept")
    found = [each for each in table.ACTIONS if each[0] == action]
    if not found or kind not in found[0][1]:
        raise refuse(f"action={values.shown(action)}: no translation to nftables")
    if family == "bridge" and action not in ("accept", "drop", "passthrough", "return", "jump"):
        raise refuse(f"action={action}: no translation for bridged frames")
    own = found[0][2]
    known = matchers(family, kind)
    for name, _ in pairs:
        if name not in known and name not in own and name not in RULES_OWN:
            raise refuse(no_translation(name))
    text = table.FASTTRACK_MATCH if action == "fasttrack-connection" else ""
    for name, of, template in table.MATCHERS:
        if name in given and not (text and name == "protocol"):
            matched = _match(name, of, template, given[name], family, ports, marks)
            _fits(name, chain, given)
            text += matched + " "
        elif name in given:
            _fast_protocol(given[name])
            text = "meta l4proto " + given[name] + " "
    text += "counter"
    verdict = _action(found[0], given, family, marks)
    only = table.ONLY_IN.get(action, chain)
    if chain != only and (chain in table.OWN_CHAINS or only == "forward"):
        raise refuse(f"action={action}: only in the chain {only}")
    text += " " + verdict if verdict else ""
    if given.get("comment"):
        text += ' comment "' + str(values.of("comment", values.comment, given["comment"])) + '"'
    return chain, text


def matchers(family: str, kind: str) -> list[str]:
    """Matchers that a rule of a list may have."""
    every = [each[0] for each in table.MATCHERS]
    if family == "bridge":
        return [name for name in every if name in table.BRIDGE_MATCHERS]
    return [name for name in every if name not in table.LACKS[kind]]


def no_translation(name: str) -> str:
    """The reason why a property is refused."""
    why = table.WHY.get(name, "")
    return f"{values.shown(name)}: no translation to nftables" + (why and f", as {why}")


def _fast_protocol(text: str) -> None:
    if text not in ("tcp", "udp"):
        raise refuse(f"protocol={values.shown(text)}: only TCP and UDP are fast-tracked")


def _fits(name: str, chain: str, given: dict[str, str]) -> None:
    if name == "in-interface" and chain in table.NO_WAY_IN:
        raise refuse(f"{name}: a packet in the chain {chain} has none")
    if name == "out-interface" and chain in table.NO_WAY_OUT:
        raise refuse(f"{name}: a packet in the chain {chain} has none yet")
    if name in ("src-port", "dst-port") and given.get("protocol") not in ("tcp", "udp", "sctp"):
        raise refuse(f"{name}: needs protocol=tcp or protocol=udp")
    if name == "icmp-options" and given.get("protocol", "icmp") not in ("icmp", "icmpv6"):
        raise refuse(f"{name}: needs protocol=icmp")
    if name == "tcp-flags" and given.get("protocol") != "tcp":
        raise refuse(f"{name}: needs protocol=tcp")


def _match(
    name: str, of: str, template: str, text: str, family: str, ports: Ports, marks: Marks
) -> str:
    negated = text[:1] == "!"
    if negated and of in table.NEVER_NOT:
        if of != "flags":
            raise refuse(f"{name}: no translation of '!' in front of this value")
        negated = False
    bare = text[1:] if negated else text
    value = values.of(name, _value, of, bare, family, ports, marks)
    if of == "mac":
        address, mask = values.masked_mac(bare)
        field = template[: template.find(" {")]
        if mask:
            return f"{field} & {mask} {'!=' if negated else '=='} {address}"
        value = address
    made = template.replace("{ip}", "ip6" if family == "ip6" else "ip").replace("{value}", value)
    return made.replace("{not}", "!= " if negated else "")


def _value(of: str, text: str, family: str, ports: Ports, marks: Marks) -> str:
    six = family == "ip6"
    if of == "network":
        return values.network(text, six)
    if of == "interface":
        return ports.device(text)
    if of == "mark":
        return marks.number(text)
    if of == "icmp":
        kind, colon, code = text.partition(":")
        word = "icmpv6" if six else "icmp"
        made = f"{word} type {values.number(kind, 0, 255)}"
        return made + (f" {word} code {values.number(code, 0, 255)}" if colon else "")
    if of == "dscp":
        return str(values.number(text, 0, 63))
    if of == "percent":
        return str(values.number(text, 1, 99))
    checks = {"protocol": values.protocol, "list": values.name, "states": values.states,
              "ports": values.ports, "flags": values.flags, "span": values.span}  # fmt: skip
    return values.masked_mac(text)[0] if of == "mac" else checks[of](text)


def _action(found: tuple[str, object, tuple[str, ...], str], given: dict[str, str], family: str,
            marks: Marks) -> str:  # fmt: skip
    """Return nft's words for an action, its own properties in their places."""
    action, _, own, template = found
    made = template.replace("{ip}", "ip6" if family == "ip6" else "ip")
    for name in own:
        value = given.get(name, "")
        if not value and name not in table.OPTIONAL:
            raise refuse(f"action={action}: needs {name}")
        word = values.of(name, _own, name, value, given, family, marks)
        made = made.replace("{" + name + "}", word)
        made = made.replace("{ " + name + "}", f" to {word}" if word else "")
    return made


def _own(name: str, value: str, given: dict[str, str], family: str, marks: Marks) -> str:
    if name == "jump-target":
        if value in table.OWN_CHAINS:
            raise refuse(f"'{value}' is one of RouterOS's own chains")
        return values.name(value)
    if name == "reject-with":
        if not value:
            return ""
        for ours, linux in table.REJECT_WITH:
            if value == ours and (family == "ip" or ours == "tcp-reset"):
                if ours == "tcp-reset" and given.get("protocol") != "tcp":
                    raise refuse("tcp-reset needs protocol=tcp")
                return " with " + linux
        raise refuse(f"no translation of '{values.shown(value)}'")
    if name == "to-addresses":
        return values.one_address(value, family == "ip6")
    if name == "to-ports":
        if not value:
            return ""
        if given.get("protocol") not in ("tcp", "udp"):
            raise refuse("needs protocol=tcp or protocol=udp")
        return ":" + values.span(value)
    if name == "passthrough":
        return "" if value == "" or values.yes_or_no(value) else " accept"
    if name == "new-mss":
        return "rt mtu" if value == "clamp-to-pmtu" else str(values.number(value, 88, 65535))
    if name == "new-dscp":
        return str(values.number(value, 0, 63))
    return marks.number(value)
