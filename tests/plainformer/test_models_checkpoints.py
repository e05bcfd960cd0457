"""The files of a checkpoint: damage is named, without tracebacks from lower layers."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

from plainformer.models.checkpoints import CheckpointError, CheckpointMismatch, Weights, read_json
from plainformer.models.pretrained import load
from tests.plainformer.small_checkpoints import write_gpt2

INDEX = "model.safetensors.index.json"


@pytest.fixture
def shards(tmp_path):
    save_file({"a": torch.arange(3.0), "b": torch.ones(2, 2)}, tmp_path / "one.safetensors")
    save_file({"c": torch.zeros(4).bfloat16()}, tmp_path / "two.safetensors")
    index(tmp_path, {"a": "one.safetensors", "b": "one.safetensors", "c": "two.safetensors"})
    return tmp_path


def index(folder, places):
    (folder / INDEX).write_text(json.dumps({"weight_map": places}))


def test_shapes_and_dtypes_are_known_before_anything_is_read(shards):
    weights = Weights(shards)
    assert weights.shapes == {"a": (3,), "b": (2, 2), "c": (4,)}
    assert weights.dtypes == {"a": torch.float32, "b": torch.float32, "c": torch.bfloat16}


def test_every_tensor_is_read_once_or_those_that_are_asked_for(shards):
    weights = Weights(shards)
    assert sorted(name for name, _ in weights.read()) == ["a", "b", "c"]
    ((name, tensor),) = weights.read({"a"})
    assert name == "a"
    assert tensor.tolist() == [0, 1, 2]


def test_a_single_file_goes_before_an_index(shards):
    save_file({"d": torch.zeros(1)}, shards / "model.safetensors")
    assert set(Weights(shards).shapes) == {"d"}


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match=r"holds neither model.safetensors nor"):
        Weights(tmp_path)


@pytest.mark.parametrize("keep", [0, 4, 20, 100, -1])
def test_a_file_that_is_cut_off_is_refused(tmp_path, keep):
    path = tmp_path / "model.safetensors"
    save_file({"a": torch.arange(50.0), "b": torch.ones(20)}, path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(CheckpointError, match=r"model.safetensors is cut off or corrupt"):
        Weights(tmp_path)


def test_a_file_that_is_damaged_after_opening_is_refused(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"a": torch.arange(50.0)}, path)
    weights = Weights(tmp_path)
    path.write_bytes(b"\xff" * 40)
    with pytest.raises(CheckpointError, match="cut off or corrupt"):
        list(weights.read())


def test_a_missing_shard_is_named(shards):
    (shards / "two.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"two.safetensors is not there, though model.saf"):
        Weights(shards)


def test_a_shard_without_what_the_index_says_is_named(shards):
    index(shards, {"a": "one.safetensors", "z": "two.safetensors"})
    with pytest.raises(CheckpointError, match=r"two.safetensors lacks \['z'\]"):
        Weights(shards)


@pytest.mark.parametrize("file", ["../one.safetensors", "sub/one.safetensors"])
def test_an_index_names_no_file_elsewhere(shards, file):
    index(shards, {"a": file})
    with pytest.raises(CheckpointError, match="a shard lies in the folder itself"):
        Weights(shards)


@pytest.mark.parametrize("places", [None, ["one.safetensors"], {"a": 1}])
def test_an_index_without_places_is_refused(shards, places):
    index(shards, places)
    with pytest.raises(CheckpointError, match='has no "weight_map"'):
        Weights(shards)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"a": 1', "is no readable JSON"),
        (b"\xff\xfe", "is no readable JSON"),
        (b"[1]", "holds a list; expected an object"),
        (None, "is not there: is this the folder of a checkpoint"),
    ],
)
def test_json_that_cannot_be_read_is_refused(tmp_path, content, words):
    path = tmp_path / "config.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CheckpointError, match=words):
        read_json(path)


def test_a_long_list_of_faults_is_counted():
    error = CheckpointMismatch({"missing": [f"x{i}" for i in range(25)], "extra": []})
    assert str(error).endswith("x18, x19 and 5 more")
    assert len(error.faults["missing"]) == 25
    assert "extra" not in str(error)


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8"]
)
def test_json_is_read_in_every_encoding_that_editors_write(tmp_path, encoding):
    settings = {"model_type": "gpt2", "name": "Grüße, 模型"}
    path = tmp_path / "config.json"
    path.write_bytes(json.dumps(settings, ensure_ascii=False).encode(encoding))
    assert read_json(path) == settings


@pytest.mark.parametrize("file", ["config.json", "generation_config.json", INDEX])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_mark_before_any_file_of_a_checkpoint_changes_nothing(tmp_path, file, encoding):
    write_gpt2(tmp_path)
    (tmp_path / "generation_config.json").write_text('{"eos_token_id": 7}')
    whole = load_file(tmp_path / "model.safetensors")
    (tmp_path / "model.safetensors").rename(tmp_path / "one.safetensors")
    index(tmp_path, dict.fromkeys(whole, "one.safetensors"))
    path = tmp_path / file
    path.write_bytes(path.read_text("utf-8").encode(encoding))
    assert load(tmp_path).config.end_tokens == (7,)


def test_bytes_that_are_no_text_are_named_as_that(tmp_path):
    path = tmp_path / "config.json"
    path.write_bytes('{"a": "Grüße"}'.encode("latin-1"))
    with pytest.raises(CheckpointError, match=r"neither UTF-8 nor UTF-16 .*; save it as UTF-8"):
        read_json(path)
