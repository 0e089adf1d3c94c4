"""What is wrong with a command before it is taken: its menu, its verb, its words, its rows."""

from __future__ import annotations

from ppslab.model.packet_path.on_linux import counters, firewall, links, queues, table, values
from ppslab.model.packet_path.on_linux.items import Ports
from ppslab.model.packet_path.on_linux.live_rows import LiveRows
from ppslab.model.packet_path.on_linux.values import refuse
from rosexplain.parse import PLACE, Command, Row

NONE = "no translation to this Linux router"
VERBS = ("add", "set", "remove", "enable", "disable", "move")


def none_at(menu: str) -> str:
    """Why a menu that is not here is not, where there is more to say."""
    longest = ""
    for path in table.NO_MENU:
        if (menu + "/").startswith(path + "/") and len(path) > len(longest):
            longest = path
    return f"{NONE}: {table.NO_MENU[longest]}" if longest else f"{NONE}: /? lists the menus"


def is_rules(menu: str) -> bool:
    """Whether a menu is a list of rules, whose order says something."""
    return menu in [each[0] for each in table.FIREWALLS]


def properties_of(menu: str) -> list[str]:
    """What a menu's rows may say; of rules the table of matchers and actions knows more."""
    for path, properties, _ in table.ROWS:
        if path == menu:
            return list(properties)
    return [name for path, name, _, _ in table.SETTINGS if path == menu]


def words(command: Command) -> None:
    """Its menu, its verb and the names of its properties."""
    menu, verb = command.menu, command.command
    if menu == counters.CONNECTIONS:
        if verb != "remove":
            raise refuse(f"the verb {verb} has {NONE}: use print or remove [find ...]")
        return
    if menu not in table.menus():
        raise refuse(none_at(menu))
    single = menu in table.SINGLE
    if verb not in VERBS or ((single or menu in table.FIXED) and verb != "set"):
        why = table.NO_VERB.get(verb) or "here is " + (
            "set" if single or menu in table.FIXED else ", ".join(VERBS)
        )
        raise refuse(f"the verb {verb} has {NONE}: {why}")
    _numbers(command)
    if verb == "add" and command.selected:
        raise refuse(f"'{values.shown(command.selected[0])}' is not property=value")
    if verb not in ("add", "set") and [n for n in command.names if n != "destination"]:
        raise refuse(f"{values.shown(command.names[0])}: {verb} takes no property")
    if verb == "move" and not is_rules(menu) and menu != "/queue/simple":
        raise refuse("the order of these rows has no effect")
    if is_rules(menu) or menu == "/queue/type":
        return
    known = properties_of(menu)
    for name in command.names:
        if name == PLACE and menu == "/queue/simple":
            continue
        common = name in table.COMMON and not single and menu not in table.FIXED
        if name not in known and not common and name != "destination":
            raise refuse(firewall.no_translation(name))


def _numbers(command: Command) -> None:
    """`remove numbers=0` is `remove 0`."""
    if "numbers" in command.properties and not command.selected:
        command.selected.append(command.properties["numbers"])
        command.names.remove("numbers")
        del command.properties["numbers"]


def rows_of(rows: LiveRows, command: Command) -> list[Row]:
    """The rows that a command is about; none where the router has them of itself."""
    if command.menu in table.SINGLE:
        if command.selected:
            raise refuse(f"'{values.shown(command.selected[0])}' is not property=value")
        single = rows.single(command.menu)
        return [single] if single else []
    if not command.selected or not command.selected[0]:
        raise refuse("no row selected: give a number, a name or [find ...]")
    where = command.selected[1:]
    if command.command == "move":
        where += [command.properties[name] for name in command.names]
        if len(where) != 1 or not _found(rows, command, where[0]):
            raise refuse("no destination: give the number of the rule to move it before")
    elif where:
        raise refuse(f"'{values.shown(where[0])}' is not property=value")
    found = _found(rows, command, command.selected[0])
    if command.menu in table.FIXED:
        if not found and command.selected[0].replace(" ", "") in ("[find]", "[findwhere]"):
            raise refuse("no interface selected: use [find where interface=...]")
        return found
    if not found:
        raise refuse(f"no such item: {values.shown(command.selected[0])}")
    every = rows.menus[command.menu].rows
    # By their numbers: rows that are set later are not meant.
    command.selected[0] = ",".join([str(every.index(row)) for row in found])
    return found


def _found(rows: LiveRows, command: Command, which: str) -> list[Row]:
    found = rows.about(command, which)
    if found is None:
        raise refuse(f"the selection {values.shown(which)} is not supported here")
    return found


def name_of_its_own(command: Command, rows: LiveRows) -> None:
    """A queue without a name gets one, as on RouterOS: queue1, queue2."""
    if (
        command.menu in table.NUMBERED
        and command.command == "add"
        and not (command.properties.get("name"))
    ):
        taken = [row.get("name") for row in rows.all_of(command.menu)]
        number = 1
        while f"queue{number}" in taken:
            number += 1
        if "name" not in command.names:
            command.names.insert(0, "name")
        command.properties["name"] = f"queue{number}"


def unheard_of(command: Command, ports: Ports) -> None:
    """Of a row that is new: what it must have, and a name that nothing has yet."""
    menu = command.menu
    if PLACE in command.properties and not (is_rules(menu) or menu == "/queue/simple"):
        raise refuse(f"{PLACE}: the order of these rows has no effect")
    if command.command != "add":
        return
    for path, _, needs in table.ROWS:
        for name in needs if path == menu else ():
            if not command.properties.get(name):
                raise refuse(f"{name} is missing")
    if menu in ("/interface/vlan", "/interface/eoip", "/interface/bridge"):
        taken = [each for pair in ports.more + ports.wired for each in pair]
        if command.properties["name"] in taken:
            name = values.shown(command.properties["name"])
            raise refuse(f"name: there is a '{name}' already")


def port_of(command: Command, row: Row | None) -> str:
    """Which port a row of a menu whose rows the router has of itself is about."""
    if row:
        return row.get("default-name") or row.get("interface") or row.key
    named = command.selected[0].strip("[] ").split(" ")[-1] if command.selected else ""
    return named.rpartition("=")[2].strip('"')


def row(menu: str, given: dict[str, str], rows: LiveRows, ports: Ports, port: str = "") -> None:
    """RefusedError where what a row says has no translation."""
    if menu in table.FIXED:
        ports.device(port)
    if "disabled" in given:
        values.of("disabled", values.yes_or_no, given["disabled"])
    if menu in [each[0] for each in table.LISTS]:
        values.of("list", values.name, given["list"])
        values.of("address", values.network, given["address"], menu.startswith("/ipv6/"))
    elif menu == firewall.TRACKING:
        if given.get("enabled", "auto") not in ("yes", "no", "auto"):
            raise refuse("enabled: use yes, no or auto")
    elif menu in table.SINGLE:
        for name, value in given.items():
            if values.of(name, values.yes_or_no, value) and name in table.ONLY_NO:
                raise refuse(f"{name}=yes: {NONE}")
    elif menu.startswith("/queue/"):
        queues.check(menu, given, rows, ports)
    elif not is_rules(menu):
        links.item(menu, given, ports, port)
        if menu == "/interface/ethernet" and "name" in given:
            values.of("name", values.name, given["name"])


def notes(command: Command) -> list[str]:
    """What is to be known of a command that was taken."""
    made = []
    for menu, name, key, says in table.SETTINGS:
        if menu == command.menu and name in command.properties and not key:
            made.append(f"{name}: {says}")
    if command.menu == "/queue/type" and command.properties.get("kind") in table.KIND_NOTES:
        kind = command.properties["kind"]
        made.append(f"kind={kind}: {table.KIND_NOTES[kind]}")
    if command.menu == "/interface/eoip" and command.command == "add":
        made.append(table.EOIP)
    return made
