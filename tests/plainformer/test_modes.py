"""Each module is in the required mode during an operation, and in its own mode afterwards."""

import threading

import pytest
import torch
from torch import nn

from plainformer import modes
from plainformer.generation import ModelDrafter, generate, stream
from plainformer.models import Config, Decoder
from plainformer.serving import Engine, Request
from plainformer.training import Batches, NextToken, Settings, Trainer, Windows

CONFIG = Config(vocabulary=13, d_model=8, n_layers=2, n_heads=2, context=32, dropout=0.5)
FROZEN = {
    "none": lambda model: [],
    "a block": lambda model: [model.blocks[0]],
    "the embedding and a dropout": lambda model: [model.embedding, model.blocks[1].attention],
    "all but one": lambda model: [m for m in model.modules() if m is not model.blocks[1]],
}
OPERATIONS = {
    "generate": lambda model, folder: generate(model, [[1, 2]], max_new_tokens=3, fast=False),
    "the fast path": lambda model, folder: generate(model, [[1, 2]], max_new_tokens=3, fast=True),
    "padded": lambda model, folder: generate(model, [[1, 2], [3]], max_new_tokens=3),
    "stream": lambda model, folder: list(stream(model, [[1, 2]], max_new_tokens=3)),
    "a drafter": lambda model, folder: generate(
        model, [[1, 2]], max_new_tokens=3, drafter=ModelDrafter(model)
    ),
    "engine": lambda model, folder: answered(model),
    "a training": lambda model, folder: trainer(model, folder).run(),
    "an evaluation": lambda model, folder: trainer(model, folder).evaluate(),
}


def decoder(frozen="none", training=True):
    torch.manual_seed(0)
    model = Decoder(CONFIG).train(training)
    for part in FROZEN[frozen](model):
        part.training = False
    return model


def trainer(model, folder, objective=None):
    source = Windows(torch.arange(60).numpy() % 13, 9)
    return Trainer(
        model=model,
        objective=objective or NextToken(),
        batches=Batches(source=source, size=2),
        held_out=Batches(source=source, size=2),
        folder=folder,
        settings=Settings(steps=2, evaluate=1, evaluation_batches=1),
        say=lambda line: None,
    )


def answered(model, prompts=([1, 2, 3], [4, 5])):
    engine = Engine(model, pages=8, page_size=4)
    for prompt in prompts:
        engine.submit(Request(prompt=list(prompt), max_new_tokens=4))
    engine.run()
    return [engine.answers[i].tokens for i in sorted(engine.answers)]


def seen(model):
    """Return every module's own mode."""
    return {name: module.training for name, module in model.named_modules()}


@pytest.mark.parametrize("frozen", FROZEN)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_module_keeps_its_own_mode(tmp_path, operation, frozen):
    for training in (True, False):
        model = decoder(frozen, training)
        if frozen == "all but one":  # a root in evaluation mode with a part in training mode
            model.blocks[1].dropout_of_the_user = nn.Dropout(0.5)
        before = seen(model)
        if "fast" not in operation or frozen != "all but one":
            OPERATIONS[operation](model, tmp_path / str(training))
        assert seen(model) == before


@pytest.mark.parametrize("frozen", FROZEN)
@pytest.mark.parametrize("operation", ["generate", "padded", "stream", "a drafter", "engine"])
def test_nothing_answers_with_dropout_on(tmp_path, operation, frozen):
    model, during = decoder(frozen), []
    for module in model.modules():
        module.register_forward_hook(lambda module, *_: during.append(module.training))
    first = OPERATIONS[operation](model, tmp_path)
    assert during
    assert not any(during)
    expected = OPERATIONS[operation](decoder(training=False), tmp_path)
    assert first == expected


def test_an_answer_does_not_change_with_a_part_in_training_mode():
    model = decoder(training=False)
    expected = answered(model), generate(model, [[1, 2]], max_new_tokens=4).tokens
    for part in (model.dropout, model.blocks[0], model.blocks[1].feedforward):
        part.train()
        assert (answered(model), generate(model, [[1, 2]], max_new_tokens=4).tokens) == expected


@pytest.mark.parametrize("frozen", ["a block", "the embedding and a dropout"])
def test_a_step_trains_with_the_modes_of_the_parts(tmp_path, frozen):
    model, during = decoder(frozen), []
    for part in FROZEN[frozen](model):
        part.register_forward_hook(lambda module, *_: during.append(module.training))
    others = []
    model.blocks[1].register_forward_hook(lambda module, *_: others.append(module.training))
    trainer(model, tmp_path).train_step()
    assert during
    assert not any(during)
    assert others == [True]


def test_a_model_as_it_was_loaded_is_trained_except_for_what_is_frozen(tmp_path):
    model, during = decoder(training=False), {}
    model.blocks[0].requires_grad_(False)
    for name, module in model.named_modules():
        module.register_forward_hook(lambda m, *_, name=name: during.update({name: m.training}))
    trainer(model, tmp_path).train_step()
    assert not any(mode for name, mode in during.items() if name.startswith("blocks.0"))
    assert all(mode for name, mode in during.items() if not name.startswith("blocks.0"))


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_modes_are_as_they_were_after_an_error(tmp_path, error):
    def fail(*_):
        raise error("at this place")

    for frozen in FROZEN:
        model = decoder(frozen)
        before = seen(model)
        model.blocks[1].register_forward_hook(fail)
        for operation in ("generate", "engine", "a training", "an evaluation"):
            with pytest.raises(error):
                OPERATIONS[operation](model, tmp_path / operation)
            assert seen(model) == before


def test_between_two_tokens_every_module_has_its_own_mode():
    model = decoder("a block")
    before = seen(model)
    for _ in stream(model, [[1, 2]], max_new_tokens=3):
        assert seen(model) == before


def test_a_call_that_ends_does_not_switch_dropout_on_in_another_thread():
    model = decoder("a block")
    modules, before, inside = modes.modules_of(model), seen(model), threading.Event()
    done = threading.Event()

    def other():
        with modes.evaluating(modules):
            inside.set()
            done.wait(10)

    thread = threading.Thread(target=other)
    with modes.evaluating(modules):
        thread.start()
        inside.wait(10)
    try:
        assert not any(seen(model).values())
    finally:
        done.set()
        thread.join()
    assert seen(model) == before


def test_a_model_that_is_not_a_module_is_switched_by_its_own_method():
    class Other:
        training = True

        def train(self, mode=True):
            self.training = mode

    model = Other()
    with modes.evaluating(modes.modules_of(model)):
        assert not model.training
    assert model.training
