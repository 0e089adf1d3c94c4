"""`ppslab kube`: the manifest is what clabernetes's resource definition describes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from ppslab import cli, documents, kube, lab, paths, topology
from ppslab.errors import FileError, UsageError

FOLDER = paths.project_root() / "topologies"
NAMES = sorted(path.name.removesuffix(topology.SUFFIX) for path in FOLDER.glob("*.clab.yml"))
DEFINITION = "PPSLAB_CLABERNETES_CRD"


def manifest(name: str, **words: Any) -> dict[str, list[dict[str, Any]]]:
    """The manifest's documents by kind."""
    found: dict[str, list[dict[str, Any]]] = {}
    for document in yaml.safe_load_all(kube.manifest(topology.find(name, foreign=True), **words)):
        found.setdefault(document["kind"], []).append(document)
    return found


def spec(name: str, **words: Any) -> dict[str, Any]:
    (resource,) = manifest(name, **words)["Topology"]
    found: dict[str, Any] = resource["spec"]
    return found


@pytest.mark.parametrize("name", NAMES)
def test_the_definition_is_the_topology(name: str, tmp_path: Path) -> None:
    """Nothing is lost on the way: containerlab in the pods reads the wires that the file has."""
    path = tmp_path / f"{name}{topology.SUFFIX}"
    path.write_text(spec(name)["definition"]["containerlab"])
    there, here = topology.load(path, foreign=True), topology.find(name, foreign=True)
    assert there.links == here.links
    for node in here.nodes.values():
        other = there.nodes[node.name]
        assert (node.kind, node.image, node.exec) == (other.kind, other.image, other.exec)
        assert (node.env, node.sysctls) == (other.env, other.sysctls)


@pytest.mark.parametrize("name", NAMES)
def test_every_file_that_the_definition_names_is_in_a_config_map(name: str) -> None:
    made = manifest(name)
    data = {each["metadata"]["name"]: each["data"] for each in made.get("ConfigMap", [])}
    (resource,) = made["Topology"]
    definition = yaml.safe_load(resource["spec"]["definition"]["containerlab"])
    mounted = resource["spec"]["deployment"].get("filesFromConfigMap", {})
    here = topology.find(name, foreign=True)
    for node, words in definition["topology"]["nodes"].items():
        there = {
            each["filePath"]: data[each["configMapName"]][each["configMapPath"]]
            for each in mounted.get(node, [])
        }
        start = (words or {}).get("startup-config")
        wanted = FOLDER / str(here.nodes[node].foreign.get("startup-config"))
        assert (start in there) == (start is not None)
        assert start is None or there[start] == wanted.read_text()
        for bind in (words or {}).get("binds", []):
            place = bind.split(":")[0]
            below = {path: text for path, text in there.items() if path.startswith(f"{place}/")}
            source = next(each.source for each in here.nodes[node].binds)
            texts = {file.name: file.read_text() for file in source.iterdir()}
            assert {Path(path).name: text for path, text in below.items()} == texts


def test_what_is_a_command_can_be_run() -> None:
    files = spec("pppoe")["deployment"]["filesFromConfigMap"]["server"]
    modes = {Path(each["filePath"]).name: each["mode"] for each in files}
    assert (modes["start"], modes["chap-secrets"]) == ("execute", "read")


def test_a_machine_asks_the_cluster_for_what_it_takes() -> None:
    deployment = spec("hundred-chr")["deployment"]
    assert deployment["resources"] == {"chr": {"requests": {"cpu": "4", "memory": "1024Mi"}}}
    assert "resources" not in spec("fastpath")["deployment"]


def test_our_images_come_from_the_registry_that_the_cluster_knows() -> None:
    text = spec("fastpath-otg", registry="registry.example.org/lab/")["definition"]["containerlab"]
    images = {
        name: node["image"] for name, node in yaml.safe_load(text)["topology"]["nodes"].items()
    }
    assert images["dut"] == "registry.example.org/lab/ppslab/linux-router:latest"
    assert images["tester"].startswith("ghcr.io/open-traffic-generator/")
    kinds = yaml.safe_load(
        spec("eoip-chr", registry="registry.example.org")["definition"]["containerlab"]
    )["topology"]["kinds"]
    assert kinds["mikrotik_ros"]["image"].startswith("registry.example.org/vrnetlab/")


def strict(schema: Any) -> Any:
    """A resource definition as the API server reads it: a field that it has not is refused."""
    if isinstance(schema, dict):
        if "properties" in schema:
            schema.setdefault("additionalProperties", False)
        for value in schema.values():
            strict(value)
    elif isinstance(schema, list):
        for value in schema:
            strict(value)
    return schema


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_clabernetes_published(name: str) -> None:
    told = os.environ.get(DEFINITION)
    if not told:
        pytest.skip(
            f"no resource definition: set {DEFINITION} to charts/clabernetes/crds/"
            "c9s.run_topologies.yaml of clabernetes 0.8"
        )
    (version,) = yaml.safe_load(Path(told).read_text())["spec"]["versions"]
    schema = version["schema"]["openAPIV3Schema"]["properties"]
    validator = jsonschema.Draft7Validator(strict(schema["spec"]))
    for connectivity in kube.CONNECTIVITY:
        found = validator.iter_errors(spec(name, connectivity=connectivity))
        assert [f"{each.json_path}: {each.message}" for each in found] == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"namespace": "Fast_Path"}, "namespace 'Fast_Path': small letters"),
        ({"connectivity": "geneve"}, "connectivity 'geneve': there are vxlan and slurpeeth"),
    ],
)
def test_words_that_kubernetes_does_not_take(words: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        kube.manifest(topology.find("fastpath"), **words)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("dut", "Dut", "node Dut: Kubernetes takes small letters"),
        ("start/fastpath-chr.dut.rsc", "start/none.rsc", "names start/none.rsc, which is not"),
        (
            "kind: linux",
            "kind: linux\n      cpu: 2",
            'tester: clabernetes does not know "cpu"',
        ),
    ],
)
def test_files_that_kubernetes_does_not_take(tmp_path: Path, old: str, new: str, said: str) -> None:
    (tmp_path / "start").symlink_to(FOLDER / "start")
    path = tmp_path / "fastpath-chr.clab.yml"
    path.write_text((FOLDER / path.name).read_text().replace(old, new))
    with pytest.raises(FileError, match=said):
        kube.manifest(topology.load(path, foreign=True))


def test_a_config_map_has_room_for_so_much(tmp_path: Path) -> None:
    (tmp_path / "big").write_text("x" * (1024 * 1024 + 1))
    path = tmp_path / "big.clab.yml"
    path.write_text("name: big\ntopology: {nodes: {a: {kind: linux, binds: ['big:/big']}}}\n")
    with pytest.raises(FileError, match="node a: its files have 1048577 bytes, and a ConfigMap"):
        kube.manifest(topology.load(path, foreign=True))


@dataclass(frozen=True)
class Done:
    """What a command said."""

    code: int
    out: str
    err: str


@pytest.fixture
def ppslab(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Callable[..., Done]:
    """The command's own entry, in this process."""
    monkeypatch.setenv("PPSLAB_RUNTIME", str(tmp_path))
    monkeypatch.setattr("signal.signal", lambda *_: None)  # what ends pytest is pytest's affair

    def run(*argv: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["ppslab", *argv])
        code: object = 0
        try:
            cli.main()
        except SystemExit as end:
            code = end.code
        said = capsys.readouterr()
        return Done(int(str(code or 0)), said.out, said.err)

    return run


def test_the_command_writes_each_labs_manifest(ppslab: Callable[..., Done]) -> None:
    for name in lab.names():
        base = lab.find(name).words.topology
        for argv, wanted in (((), base), (("--router", "routeros"), f"{base}-chr")):
            done = ppslab("kube", name, *argv)
            assert done.code == 0, done.err
            assert list(yaml.safe_load_all(done.out))[-1]["metadata"]["name"] == wanted


def test_the_command_takes_a_topology_and_a_file(
    ppslab: Callable[..., Done], tmp_path: Path
) -> None:
    out = tmp_path / "otg.yml"
    done = ppslab("kube", "fastpath-otg", "--namespace", "workshop", "--out", str(out))
    assert (done.code, done.out) == (0, "")
    assert "namespace: workshop" in documents.read_text(out)
    assert ppslab("kube", "fastpath-tcp-chr", "--router", "routeros").code == 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["fastpaht"], "no lab and no topology 'fastpaht' (did you mean"),
        (["fastpath", "--router", "chr"], "--router chr: there are linux and routeros"),
        (["back-to-back", "--router", "routeros"], "no topology with CHRs"),
    ],
)
def test_the_command_says_what_is_wrong(
    ppslab: Callable[..., Done], argv: list[str], said: str
) -> None:
    done = ppslab("kube", *argv)
    assert done.code == 2
    assert said in done.err
