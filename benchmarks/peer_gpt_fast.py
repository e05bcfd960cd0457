"""gpt-fast with the weights of ours.

Nothing of it is kept here: it is read from the folder that the environment variable
PLAINFORMER_PEERS names.
"""

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.peers import Decode
from plainformer.models import Decoder


def gpt_fast(model: Decoder, prompt: Tensor, new: int) -> Decode | None:
    """Decode with gpt-fast and the weights of ``model``, its step compiled; None if not here.

    Its FlexAttention does not compile on the CPU of PyTorch 2.13 (the lowering expects tensors of
    four axes in the block mask), so it gets SDPA, which it used before it had FlexAttention.
    """
    folder = Path(os.environ.get("PLAINFORMER_PEERS", "")) / "gpt-fast"
    if not (folder / "generate.py").is_file():
        return None
    no_text = ModuleType("tokenizer")  # theirs wants packages that only text needs
    no_text.get_tokenizer = None  # type: ignore[attr-defined]
    sys.modules.setdefault("tokenizer", no_text)
    theirs, loop = loaded(folder, "model"), loaded(folder, "generate")
    theirs.flex_attention = sdpa_for_flex
    c = model.config
    arguments = theirs.ModelArgs(
        block_size=c.context,
        vocab_size=c.vocabulary,
        n_layer=c.n_layers,
        n_head=c.n_heads,
        dim=c.d_model,
        intermediate_size=model.blocks[0].feedforward.up.out_features,
        norm_eps=c.norm_eps,
    )
    peer = theirs.Transformer(arguments).eval()
    state = {
        "tok_embeddings.weight": model.embedding.weight,
        "norm.weight": model.norm.weight,
        "output.weight": model.output.weight,
    }
    for i, block in enumerate(model.blocks):
        a, f = block.attention, block.feedforward
        state |= {
            f"layers.{i}.attention.wqkv.weight": torch.cat(
                [a.query.weight, a.key.weight, a.value.weight]
            ),
            f"layers.{i}.attention.wo.weight": a.output.weight,
            f"layers.{i}.feed_forward.w1.weight": f.gate.weight,
            f"layers.{i}.feed_forward.w3.weight": f.up.weight,
            f"layers.{i}.feed_forward.w2.weight": f.down.weight,
            f"layers.{i}.attention_norm.weight": block.attention_residual.norm.weight,
            f"layers.{i}.ffn_norm.weight": block.feedforward_residual.norm.weight,
        }
    peer.load_state_dict({k: v.detach() for k, v in state.items()})
    loop.decode_one_token = torch.compile(loop.decode_one_token, fullgraph=True)

    def decode() -> Tensor:
        found, _ = loop.generate(
            peer,
            prompt,
            new,
            batch_size=1,
            interactive=False,
            draft_model=None,
            temperature=0.0,
            top_k=1,
        )
        out: Tensor = found[:, prompt.shape[1] :]
        return out

    return decode


def sdpa_for_flex(
    query: Tensor, key: Tensor, value: Tensor, *, block_mask: Any, enable_gqa: bool
) -> Tensor:
    """Attend where a block mask's rule says that one may."""
    rows = torch.arange(query.shape[2], device=query.device)[:, None]
    columns = torch.arange(key.shape[2], device=query.device)
    mask = block_mask.mask_mod(0, 0, rows, columns)
    return F.scaled_dot_product_attention(query, key, value, mask, enable_gqa=enable_gqa)


def loaded(folder: Path, name: str) -> ModuleType:
    """Import a module of a peer's folder."""
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.origin == str(folder / f"{name}.py")
    return importlib.import_module(name)
