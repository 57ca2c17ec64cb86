"""The GitHub action, the hooks for pre-commit and the Dockerfile do what they say, without a network."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from example_files import ROOT
from pre_commit.clientlib import load_manifest

from gainful.cli.main import gainful as commands

EXAMPLES = ROOT / "examples"


@pytest.fixture(scope="module")
def action():
    return yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def run_step(action, folder, command):
    """The last step of the action as a runner has it: bash, inputs in the environment."""
    step = action["runs"]["steps"][-1]
    assert [*step["env"]] == ["COMMAND"]
    summary = folder / "summary.md"
    place = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {
        "PATH": place,
        "COMMAND": command,
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    words = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
    done = subprocess.run(
        words, cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=False
    )
    return done.returncode, summary.read_text("utf-8") if summary.exists() else "", done.stdout


@pytest.mark.parametrize(("floor", "status"), [(0.6, 0), (0.7, 1)])
def test_the_action_fails_with_the_gate_and_writes_its_page(action, tmp_path, floor, status):
    command = f"gate qrels.txt 'dense.txt' --floor nDCG@3={floor}"
    ended, summary, printed = run_step(action, tmp_path, command)
    assert ended == status
    assert summary.count("| nDCG@3 | 0.6587 |") == 1
    assert "0.6587" in printed


def test_the_action_puts_any_table_on_the_summary_page(action, tmp_path):
    status, summary, printed = run_step(action, tmp_path, "eval qrels.txt dense.txt -m nDCG@3")
    assert (status, summary) == (0, printed)
    assert "| dense | 0.6587 |" in summary


def test_the_action_leaves_files_and_pages_as_they_are_and_refuses_half_a_quotation(
    action, tmp_path
):
    out = tmp_path / "values.csv"
    status, summary, _ = run_step(action, tmp_path, f"eval qrels.txt dense.txt -m AP -o {out}")
    assert (status, summary, out.read_text().splitlines()[0]) == (0, "", "run,AP")
    page = tmp_path / "page.html"
    assert run_step(action, tmp_path, f"report qrels.txt dense.txt -m AP -o {page}")[0] == 0
    assert run_step(action, tmp_path, "eval 'qrels.txt")[0] == 2


def test_an_input_of_the_action_is_never_run_as_a_script(action, tmp_path):
    status, *_ = run_step(
        action, tmp_path, f"eval qrels.txt $(touch {tmp_path}/hacked); touch {tmp_path}/x"
    )
    assert status == 2
    assert not [path.name for path in tmp_path.iterdir() if path.name != "summary.md"]
    for step in action["runs"]["steps"]:
        assert "inputs." not in step.get("run", "")


def test_every_input_of_the_action_is_used(action):
    used = re.findall(r"inputs\.([a-z-]+)", (ROOT / "action.yml").read_text("utf-8"))
    assert {*used} == {*action["inputs"]}


def test_hooks_are_valid_and_name_commands():
    hooks = load_manifest(ROOT / ".pre-commit-hooks.yaml")
    for hook in hooks:
        program, command = hook["entry"].split()
        assert program == "gainful"
        assert command in commands.list_commands(None)
    check = next(hook for hook in hooks if hook["id"] == "gainful-check")
    matched = [
        name
        for name in ("qrels.txt", "data/runs/bm25.txt", "dev.qrels", "brunch.txt", "src/run.py.bak")
        if re.search(check["files"], name)
    ]
    assert matched == ["qrels.txt", "data/runs/bm25.txt", "dev.qrels", "src/run.py.bak"]


def test_the_image_gets_all_that_the_base_install_needs(tmp_path):
    """What the Dockerfile copies is enough to build the wheel, and .dockerignore lets it through."""
    allowed = (ROOT / ".dockerignore").read_text("utf-8").split()
    copied = re.findall(
        r"^COPY (?!--from)(.*)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE
    )
    for line in copied:
        *sources, target = line.split()
        for source in sources:
            assert f"!{source}" in allowed
            into = tmp_path / target.strip("/")
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, into, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                into.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / source, into)
    words = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "-t",
        "wheel",
        "-d",
        str(tmp_path / "dist"),
    ]
    subprocess.run(words, cwd=tmp_path / "src", check=True, capture_output=True)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "gainful/cli/start.py" in names
    assert any(name.endswith("entry_points.txt") for name in names)
