"""The command line: its output, its errors, and its exit codes."""

import re

import pytest
import torch

from plainformer import generate as command
from plainformer.generation import Sampler, generate
from plainformer.models import Encoder
from plainformer.models.pretrained import load, save
from tests.plainformer.generation_models import talkative


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Save a model of numbers, a draft model for it, a model of bytes, and one not a decoder."""
    home = tmp_path_factory.mktemp("models")
    save(talkative(1), home / "numbers")
    save(talkative(1), home / "ending")
    save(talkative(2), home / "small")
    save(talkative(3, vocabulary=256), home / "bytes")
    save(Encoder(talkative().config), home / "encoder")
    return home


@pytest.fixture
def call(folders, capsys, monkeypatch):
    """Return a function that runs the command line with folders by name.

    It returns exit code, output and errors.
    """
    monkeypatch.setenv("PLAINFORMER_DEVICE", "cpu")

    def run(line):
        words = [str(folders / w) if (folders / w).exists() else w for w in line.split()]
        try:
            code = command.main(words)
        except SystemExit as stop:
            code = stop.code
        return code, *capsys.readouterr()

    return run


def test_it_prints_what_generate_gives_one_line_for_each_prompt(call, folders):
    code, out, err = call(
        "--model numbers --tokens 1,2,3 --tokens 4 --max-new-tokens 6 --seed 5 --temperature 0.7 "
        "--top-k 9 --top-p 0.9 --min-p 0.01"
    )
    sampler = Sampler(temperature=0.7, top_k=9, top_p=0.9, min_p=0.01, seed=5)
    made = generate(load(folders / "numbers"), [[1, 2, 3], [4]], max_new_tokens=6, sampler=sampler)
    assert code == 0
    assert out == "".join(",".join(map(str, new)) + "\n" for new in made.tokens)
    assert re.fullmatch(
        r"prompt 0: 6 tokens, stopped: length\nprompt 1: 6 tokens, stopped: length\n"
        r"\d+\.\d tokens/s on the path of the model itself\n",
        err,
    )


def test_streamed_output_equals_output_at_the_end(call):
    for line in ("--model numbers --tokens 1,2,3", "--model bytes --prompt Once"):
        whole, streamed = call(line), call(f"{line} --stream")
        assert whole[:2] == streamed[:2]
        assert len(whole[1]) > 15


def test_text_goes_in_and_out_as_utf8_bytes(call, folders):
    model = load(folders / "bytes")
    made = generate(model, [list("Añ".encode())], max_new_tokens=30, sampler=Sampler(temperature=0))
    _, out, _ = call("--model bytes --prompt Añ --max-new-tokens 30 --temperature 0")
    assert out == bytes(made.tokens[0]).decode(errors="replace") + "\n"
    _, same, _ = call(
        "--model bytes --bytes --tokens 65,195,177 --max-new-tokens 30 --temperature 0"
    )
    assert same == out


def test_a_letter_of_several_bytes_is_streamed_whole(folders, capsys):
    text = "aß€🙂".encode() + b"\xff\xe2"
    tokens = [command.Token(0, byte, 0.0, None, "model") for byte in text]
    passed, pieces = [], []
    for token in command._printed(iter(tokens), True):
        passed.append(token)
        pieces.append(capsys.readouterr().out)
    pieces.append(capsys.readouterr().out)
    assert passed == tokens
    assert [p for p in pieces if p] == ["a", "ß", "€", "🙂", "\ufffd", "\ufffd"]


@pytest.mark.parametrize("guess", ["--draft small", "--draft numbers --ahead 2", "--lookup"])
def test_guessing_ahead_changes_no_greedy_token_and_is_reported(call, guess):
    line = "--model numbers --tokens 1,2,1,2 --temperature 0 --max-new-tokens 15"
    plain, guessed = call(line), call(f"{line} {guess}")
    assert plain[:2] == guessed[:2]
    assert re.search(r"\d+% of judged guesses accepted", guessed[2])
    assert "judged" not in plain[2]


def test_an_end_token_and_a_first_token_are_options(call):
    line = "--model numbers --tokens 1,2 --temperature 0 --max-new-tokens 9"
    free = call(line)[1].strip().split(",")
    _, out, err = call(f"{line} --end {free[3]}")
    assert out.strip().split(",") == free[: free.index(free[3]) + 1]
    assert "stopped: token" in err
    assert call(line.replace("1,2", "2") + " --bos 1")[1].strip().split(",") == free


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--tokens 1", "required: --model"),
        ("--model numbers", "no prompt: give --tokens"),
        ("--model nowhere --tokens 1", "config.json is not there"),
        (
            "--model encoder --tokens 1",
            "holds a model of kind Encoder; only a Decoder continues text",
        ),
        ("--model numbers --tokens 1,x", "--tokens '1,x': expected whole numbers"),
        ("--model numbers --tokens 13", "token 13 at place 0, outside the vocabulary of 13"),
        ("--model numbers --tokens= ", "prompt 0 is empty"),
        ("--model numbers --tokens " + "1," * 24 + "1", "more than the model's context of 24"),
        ("--model numbers --prompt Once", "vocabulary of 13, and text needs the 256 bytes"),
        ("--model numbers --tokens 1 --tokens 2 --stream", "--stream prints one prompt, and 2"),
        ("--model numbers --tokens 1 --temperature -1", "temperature=-1.0: expected a finite"),
        ("--model numbers --tokens 1 --temperature hot", "argument --temperature: invalid float"),
        ("--model numbers --tokens 1 --top-p 2", "top_p=2.0: expected a share"),
        ("--model numbers --tokens 1 --max-new-tokens 0", "max_new_tokens=0: expected at least 1"),
        ("--model numbers --tokens 1 --draft bytes", "the drafter knows 256 tokens, the model 13"),
        ("--model numbers --tokens 1 --draft small --lookup", "not allowed with argument"),
        ("--model numbers --tokens 1 --device abacus", "device abacus: not a device that works"),
        ("--model numbers --tokens 1 --seed -1", "seed=-1: expected a whole number"),
    ],
)
def test_bad_input_gives_one_line_and_exit_code_2(call, line, words):
    code, out, err = call(line)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert words in err
    assert err.count("\n") == 1


def spoil(monkeypatch, after, make):
    """Make the loaded model behave differently after some steps."""

    def loaded(folder, **options):
        model, steps = load(folder, **options), []

        def hook(_module, _args, logits):
            steps.append(1)
            return make(logits) if len(steps) > after else logits

        model.output.register_forward_hook(hook)
        return model

    monkeypatch.setattr(command, "load", loaded)


@pytest.mark.parametrize("stream", ["", " --stream"])
def test_what_came_before_a_failure_is_printed(call, monkeypatch, stream):
    line = "--model numbers --tokens 1,2 --max-new-tokens 6" + stream
    whole = call(line)[1].split(",")
    spoil(monkeypatch, 4, lambda logits: logits * torch.nan)
    code, out, err = call(line)
    assert code == 2
    assert out.strip().split(",") == whole[:4]
    assert "4 tokens, stopped: cut short" in err
    assert "error: the logits of sequence 0 at step 4 hold NaN" in err


def test_an_interruption_ends_with_130_and_keeps_what_came(call, monkeypatch):
    def interrupt(_logits):
        raise KeyboardInterrupt

    spoil(monkeypatch, 3, interrupt)
    code, out, err = call("--model numbers --tokens 1,2 --max-new-tokens 6")
    assert (code, out.count(",")) == (130, 2)
    assert err.endswith("interrupted\n")


def test_the_path_is_said_and_can_be_chosen(call):
    line = "--model numbers --tokens 1,2 --temperature 0 --max-new-tokens 9"
    plain, lean = call(line), call(f"{line} --path lean")
    assert plain[:2] == lean[:2]
    assert plain[2].endswith("tokens/s on the path of the model itself\n")
    assert lean[2].endswith("tokens/s on the path of the lean decoder\n")
    by_itself = call(line.replace("9", "70"))
    assert by_itself[:2] == call(line.replace("9", "70") + " --path model")[:2]
    assert "on the path of the lean decoder" in by_itself[2]
    code, _, err = call(f"{line} --path lean --lookup")
    assert code == 2
    assert "a drafter guesses ahead" in err


def test_the_models_own_end_token_ends_a_text_unless_it_shall_not(call, folders):
    line = "--model ending --tokens 1,2 --temperature 0 --max-new-tokens 9"
    free = call(f"{line} --endless")[1].strip().split(",")
    assert len(free) == 9
    save(talkative(1, end_tokens=[int(free[3])]), folders / "ending")
    end = free.index(free[3]) + 1
    assert call(line)[1].strip().split(",") == free[:end]
    assert call(f"{line} --endless")[1].strip().split(",") == free
    assert call(f"{line} --end {free[0]}")[1].strip().split(",") == free[:1]


def test_help_says_what_goes_in_and_out(call):
    code, out, _ = call("--help")
    assert code == 0
    for word in ("examples:", "exit codes:", "temperature, top-k, top-p, min-p", "default 64"):
        assert word in out
    assert max(map(len, out.splitlines())) <= 100
