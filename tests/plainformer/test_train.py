"""The command line of training: its actions, its errors and its files."""

import gc
import os
import signal
import subprocess
import sys
import time

import pytest
import torch

from plainformer.models import EncoderDecoder, MaskedLanguageModel, pretrained
from plainformer.train import main, task_of, verdict
from plainformer.training import Trainer
from plainformer.training.options import parser
from plainformer.training.processes import Alone

SMALL = """--steps 4 --width 16 --context 8 --batch 4 --corpus-bytes 2000 --letters 4 --order 1
--device cpu""".split()


def train(tmp_path, *options):
    return main([*SMALL, "--out", str(tmp_path / "run"), *options])


def test_it_trains_saves_and_says_how_far_from_the_floor(tmp_path, capsys):
    assert train(tmp_path) == 0
    said = capsys.readouterr().out
    assert "the text's entropy is" in said
    assert "above the floor" in said
    model = pretrained.load(tmp_path / "run")
    assert model(torch.tensor([[97, 98]])).shape == (1, 2, 256)
    rows = (tmp_path / "run/training.csv").read_text().splitlines()
    assert len(rows) == 5
    assert train(tmp_path) == 0
    assert "going on from step 4 of 4" in capsys.readouterr().err


def test_no_model_is_left_when_the_group_of_processes_is_closed(tmp_path, monkeypatch):
    left = []

    def close(self):
        left.extend(type(thing) for thing in gc.get_objects() if type(thing) is Trainer)

    monkeypatch.setattr(Alone, "close", close)
    gc.collect()
    assert train(tmp_path) == 0
    assert left == []


@pytest.mark.parametrize(
    ("objective", "kind"), [("masked", MaskedLanguageModel), ("spans", EncoderDecoder)]
)
def test_other_objectives_train_other_models(tmp_path, capsys, objective, kind):
    assert train(tmp_path, "--objective", objective, "--corpus", "copies") == 0
    assert isinstance(pretrained.load(tmp_path / "run"), kind)
    assert "floor" not in capsys.readouterr().out


def test_a_file_is_learnt_and_its_last_tenth_held_out(tmp_path, capsys):
    path = tmp_path / "text"
    path.write_bytes(bytes(range(200)))
    task = task_of(parser().parse_args([*SMALL, "--out", "x", "--data", str(path)]))
    assert task.floor is None
    assert len(task.batches.source.tokens) == 180
    assert task.held_out.source.tokens[0] == 180
    assert train(tmp_path, "--data", str(path), "--precision", "bfloat16") == 0
    assert "entropy" not in capsys.readouterr().out


def test_copies_have_a_floor_and_fit_the_context(tmp_path):
    task = task_of(parser().parse_args([*SMALL, "--out", "x", "--corpus", "copies"]))
    rows, _ = task.batches.take()
    assert rows.tokens.shape == (4, 9)
    assert rows.tokens[:, :4].tolist() == rows.tokens[:, 5:].tolist()
    assert 0 < task.floor < 1
    assert verdict(1.5, 1.0).endswith("+0.5000 above the floor")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--heads 3 --positions learned", "16 is not divisible by"),
        ("--batch 0", "size=0"),
        ("--accumulate 3", "not divisible by 3 micro-steps"),
        ("--data /absent", "No such file"),
        ("--rate nan", "finite peak"),
        ("--steps 0", "steps=0"),
        ("--warmup 9", "warm-up of 0 to all"),
        ("--precision float16", "needs CUDA"),
        ("--precision int4", "expected one of"),
        ("--positions rotten", "positions='rotten'"),
        ("--letters 1", "letters=1"),
        ("--corpus-bytes 5", "at least one window"),
        ("--device hal", "hal"),
        ("--objective guess", "invalid choice"),
        ("--steps many", "invalid int"),
        ("--dropout 2", "dropout=2"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path, capsys, options, message):
    try:
        code = train(tmp_path, *options.split())
    except SystemExit as error:
        code = error.code
    said = capsys.readouterr().err
    assert code == 2
    assert message in said
    assert said.startswith("error: ")
    assert said.count("\n") == 1


def test_another_run_in_the_folder_is_refused(tmp_path, capsys):
    assert train(tmp_path) == 0
    assert train(tmp_path, "--width", "32") == 2
    assert "d_model was '16', is '32'" in capsys.readouterr().err
    assert train(tmp_path, "--corpus", "copies", "--corpus-bytes", "2224") == 2


def test_a_run_is_prolonged_when_it_is_asked_for(tmp_path, capsys):
    assert train(tmp_path) == 0
    rows = (tmp_path / "run" / "training.csv").read_text().splitlines()
    done = len(rows) - 1
    more = ("--steps", str(done + 3))
    assert train(tmp_path, *more) == 2
    said = capsys.readouterr().err
    assert f"steps was {done}, is {done + 3}" in said
    assert "--prolong" in said
    assert train(tmp_path, *more, "--prolong", "--width", "32") == 2
    assert train(tmp_path, *more, "--prolong") == 0
    assert f"going on from step {done} of {done + 3}" in capsys.readouterr().err
    longer = (tmp_path / "run" / "training.csv").read_text().splitlines()
    assert longer[: len(rows)] == rows
    assert len(longer) == len(rows) + 3


def test_a_loss_that_is_no_number_names_step_and_checkpoint(tmp_path, capsys, monkeypatch):
    real = Trainer.train_step

    def broken(self):
        if self.step == 2:
            with torch.no_grad():
                self.model.norm.weight.fill_(float("nan"))
        return real(self)

    monkeypatch.setattr(Trainer, "train_step", broken)
    assert train(tmp_path, "--checkpoint-every", "2") == 2
    said = capsys.readouterr().err
    assert "the loss is nan at step 3" in said
    assert "step-00000002-" in said


def test_ctrl_c_writes_a_checkpoint_and_says_how_to_go_on(tmp_path, capsys, monkeypatch):
    real = Trainer.train_step

    def interrupted(self):
        if self.step == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return real(self)

    monkeypatch.setattr(Trainer, "train_step", interrupted)
    assert train(tmp_path) == 130
    assert "stopped after step 2; the same command goes on" in capsys.readouterr().err
    monkeypatch.undo()
    assert train(tmp_path) == 0
    assert "going on from step 2 of 4" in capsys.readouterr().err


def test_ctrl_c_before_the_first_step_leaves_no_traceback(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("plainformer.train.task_of", interrupted)
    assert train(tmp_path) == 130
    assert "the same command" in capsys.readouterr().err


def test_help_says_what_it_does_how_and_in_which_units():
    text = parser().format_help()
    for said in ("entropy", "torchrun", "bit for bit", "nats", "exit codes", "default", "fsdp"):
        assert said in text


@pytest.mark.slow
def test_the_command_killed_outright_goes_on_bit_for_bit(tmp_path):
    options = "--steps 60 --dropout 0.1 --accumulate 2 --checkpoint-every 7 --corpus-bytes 9000"
    base = [sys.executable, "-m", "plainformer.train", *SMALL, *options.split()]

    def start(name):
        return subprocess.Popen([*base, "--out", str(tmp_path / name)], stderr=subprocess.DEVNULL)

    assert start("whole").wait() == 0
    log = tmp_path / "killed/training.csv"
    child = start("killed")
    while not log.exists() or log.read_bytes().count(b"\n") < 24:
        assert child.poll() is None
        time.sleep(0.002)
    child.kill()
    assert child.wait() == -signal.SIGKILL
    assert start("killed").wait() == 0
    for name in ("training.csv", "evaluation.csv", "model.safetensors"):
        files = [(tmp_path / run / name).read_bytes() for run in ("whole", "killed")]
        assert files[0] == files[1], name
