import json
import subprocess
import sys

import pytest

from plainformer import serve_sim

SMALL = ["--requests", "6", "--rate", "50", "--prompt", "8:20", "--answer", "4:8"]


def test_without_a_model_it_says_what_the_cost_implies(capsys, tmp_path):
    out = tmp_path / "report.json"
    arguments = [*SMALL, "--cost", "0.01,0,0,0", "--json", str(out)]
    assert serve_sim.main(arguments) == 0
    printed = capsys.readouterr().out
    data = json.loads(out.read_text())["simulated"]
    assert f"{data['tokens a second']:.4g}" in printed
    assert data["seconds for each further token, median"] == pytest.approx(0.01)
    assert data["steps"] * 0.01 == pytest.approx(
        data["seconds in all"] * data["share of them busy"]
    )


def test_it_measures_a_model_and_checks_the_simulation_against_it(capsys):
    assert serve_sim.main([*SMALL, "--check"]) == 0
    printed = capsys.readouterr().out
    assert "measured steps" in printed
    assert "simulated    measured" in printed


def test_a_closed_load_static_batches_and_limits_change_what_is_said(capsys, tmp_path):
    out = tmp_path / "report.json"

    def said(*options):
        assert serve_sim.main([*SMALL, "--cost", "0.01,0,0,0", "--json", str(out), *options]) == 0
        return json.loads(out.read_text())["simulated"]

    name = "goodput: requests a second within the limits"
    assert said("--slo", "9,9")[name] == said()["requests a second"]
    assert said("--slo", "0,9")[name] == 0
    assert said("--static")["steps"] >= said()["steps"]
    assert said("--clients", "1")["requests inside, mean"] == pytest.approx(1)
    assert said("--clients", "1", "--think", "1")["requests inside, mean"] < 0.1
    assert name not in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--cost", "1,0,0,0", "--check"], "--check needs an engine"),
        (["--cost", "1,0,0,0", "--pages", "1"], "all pages together hold 16"),
        (["--cost", "1,0,0,0", "--requests", "0"], "requests=0"),
        (["--cost", "1,0,0,0", "--clients", "0"], "clients=0"),
        (["--model", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(arguments, said, capsys):
    assert serve_sim.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    "arguments", [["--cost", "1,2"], ["--cost=-1,0,0,0"], ["--prompt", "a:b"], ["--slo", "1"]]
)
def test_numbers_that_are_none_are_named(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        serve_sim.main(arguments)
    assert stop.value.code == 2
    assert "expected" in capsys.readouterr().err


def test_the_command_runs_as_a_module():
    done = subprocess.run(
        [sys.executable, "-m", "plainformer", "serve-sim", *SMALL, "--cost", "0.01,0,0,0"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "tokens a second" in done.stdout
