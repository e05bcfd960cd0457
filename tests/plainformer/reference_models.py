"""Small random models of the transformers library, saved and read by the package's loader."""

import contextlib
import os
import types
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

os.environ["HF_HUB_OFFLINE"] = "1"
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import transformers
    from transformers import modeling_rope_utils
    from transformers.models.llama import modeling_llama
    from transformers.models.mistral import modeling_mistral
    from transformers.models.qwen2 import modeling_qwen2
    from transformers.models.t5 import modeling_t5

from plainformer.models.mapping import Family
from plainformer.models.pretrained import load

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()


class InDouble(types.ModuleType):
    """Module torch with float64 under the name float32."""

    float32 = float = torch.float64

    def __getattr__(self, name: str) -> object:
        return getattr(torch, name)


@contextlib.contextmanager
def in_double() -> Iterator[None]:
    """Make the reference use float64 where it uses float32 for weights of any dtype.

    These are the mean squares of its norms and its rotary angles.
    """
    with pytest.MonkeyPatch.context() as patch:
        models = (modeling_llama, modeling_mistral, modeling_qwen2, modeling_t5)
        for module in (*models, modeling_rope_utils):
            patch.setattr(module, "torch", InDouble("torch"))
        patch.setattr(torch.Tensor, "float", torch.Tensor.double)
        torch.set_default_dtype(torch.float64)
        try:
            yield
        finally:
            torch.set_default_dtype(torch.float32)


def randomised(model: nn.Module, seed: int = 0) -> nn.Module:
    """Draw every parameter again, so that biases are not 0, norms not 1, and all differ."""
    generator = torch.Generator().manual_seed(seed)
    model.double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            drawn = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            parameter.copy_(0.3 * drawn + (1 if parameter.ndim == 1 else 0))
    return model


def saved(model: nn.Module, folder: Path, **options: object) -> Path:
    """Save a reference model with its own library."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.save_pretrained(folder, **options)
    return folder


def loaded(model: nn.Module, folder: Path, **options: object) -> nn.Module:
    """Save a reference model and read it with the package's loader."""
    return load(saved(model, folder), **options)


def agree(ours: Tensor, theirs: Tensor) -> None:
    """Compare logits, which must be equal up to float64 rounding."""
    assert ours.dtype == theirs.dtype == torch.float64
    torch.testing.assert_close(ours, theirs, rtol=1e-9, atol=1e-10)


def agree_in_gradients(
    ours: nn.Module, theirs: nn.Module, family: Family, pair: tuple[Tensor, Tensor]
) -> None:
    """Compare the gradient of each parameter, after the same loss on both logits."""
    weights = torch.randn(pair[0].shape, generator=torch.Generator().manual_seed(1)).double()
    for logits in pair:
        (logits * weights).sum().backward()
    table = family.sources(ours.config)
    found = {family.name(name): p.grad for name, p in theirs.named_parameters()}
    used = set()
    for name, parameter in ours.named_parameters():
        source = table[name]
        theirs_gradient = found[source.name]
        assert parameter.grad is not None
        assert theirs_gradient is not None
        expected = source.take(theirs_gradient)
        torch.testing.assert_close(parameter.grad, expected, rtol=1e-7, atol=1e-9, msg=name)
        used.add(source.name)
    # The reference ties parameters that it has twice.
    assert {name for name, gradient in found.items() if gradient is not None} == used
