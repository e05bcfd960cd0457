"""Models with random weights, the transformers library's with the same, and how it decodes."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from plainformer.models import Config, Decoder

Decode = Callable[[], Tensor]


def gpt2_style(*, layers: int, width: int, heads: int, vocabulary: int, seed: int = 0) -> Decoder:
    """Make a decoder of GPT-2's kind with random weights.

    Its positions are large, or it would repeat a token for ever.
    """
    config = Config(
        vocabulary=vocabulary,
        d_model=width,
        n_layers=layers,
        n_heads=heads,
        context=1024,
        positions="learned",
        norm="layer",
        feedforward="gelu_tanh",
        bias=True,
    )
    model = drawn(Decoder(config), seed)
    with torch.no_grad():
        model.position_embedding.weight.mul_(16)
    return model


def llama_style(*, layers: int, width: int, heads: int, vocabulary: int, seed: int = 0) -> Decoder:
    """Make a decoder of Llama's kind with random weights, as many in a layer as GPT-2's kind."""
    config = Config(
        vocabulary=vocabulary,
        d_model=width,
        n_layers=layers,
        n_heads=heads,
        context=1024,
        rotary_layout="pairs",
        tied=False,
    )
    return drawn(Decoder(config), seed)


def drawn(model: Decoder, seed: int) -> Decoder:
    """Draw all matrices anew, of a size that keeps what flows through them.

    As training begins, matrices are smaller and all tokens about equally likely: which is the
    likeliest would be a matter of rounding.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.ndim == 2:
                torch.nn.init.normal_(
                    parameter, std=parameter.shape[1] ** -0.5, generator=generator
                )
    return model.eval()


def prompts(model: Decoder, *, b: int = 1, q: int = 16, seed: int = 1) -> Tensor:
    """Draw prompts (b, q)."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(model.config.vocabulary, (b, q), generator=generator)


def transformers_gpt2(model: Decoder, dtype: torch.dtype = torch.float32) -> Any:
    """Make the transformers library's GPT-2 with the weights of ``model``, SDPA as attention."""
    from transformers import GPT2Config, GPT2LMHeadModel, logging

    logging.set_verbosity_error()
    c = model.config
    config = GPT2Config(
        vocab_size=c.vocabulary,
        n_positions=c.context,
        n_embd=c.d_model,
        n_layer=c.n_layers,
        n_head=c.n_heads,
        layer_norm_epsilon=c.norm_eps,
        attn_implementation="sdpa",
        bos_token_id=None,
        eos_token_id=None,
    )
    peer = GPT2LMHeadModel(config).eval()
    state = {"wte.weight": model.embedding.weight, "wpe.weight": model.position_embedding.weight}
    for i, block in enumerate(model.blocks):
        a, f = block.attention, block.feedforward
        into = {
            "ln_1": block.attention_residual.norm,
            "ln_2": block.feedforward_residual.norm,
            "attn.c_proj": a.output,
            "mlp.c_fc": f.up,
            "mlp.c_proj": f.down,
        }
        for name, part in into.items():
            state[f"h.{i}.{name}.weight"] = part.weight.t()  # of a vector, itself
            state[f"h.{i}.{name}.bias"] = part.bias
        three = (a.query, a.key, a.value)
        state[f"h.{i}.attn.c_attn.weight"] = torch.cat([p.weight for p in three]).t()
        state[f"h.{i}.attn.c_attn.bias"] = torch.cat([p.bias for p in three])
    state |= {"ln_f.weight": model.norm.weight, "ln_f.bias": model.norm.bias}
    peer.transformer.load_state_dict({k: v.detach().contiguous() for k, v in state.items()})
    return peer.to(dtype)


def by_hand(peer: Any, prompt: Tensor, new: int) -> Decode:
    """Decode with a transformers model in a loop of our own, without what its ``generate`` does."""
    from transformers import DynamicCache

    @torch.inference_mode()
    def decode() -> Tensor:
        cache = DynamicCache(config=peer.config)
        token, found = prompt, []
        for _ in range(new):
            logits = peer(token, past_key_values=cache, use_cache=True, logits_to_keep=1).logits
            token = logits[:, -1].argmax(-1, keepdim=True)
            found.append(token)
        return torch.cat(found, 1)

    return decode


def by_generate(peer: Any, prompt: Tensor, new: int) -> Decode:
    """Decode with a transformers model's own ``generate``."""
    mask = torch.ones_like(prompt)

    @torch.inference_mode()
    def decode() -> Tensor:
        found = peer.generate(
            prompt, attention_mask=mask, max_new_tokens=new, do_sample=False, pad_token_id=0
        )
        out: Tensor = found[:, prompt.shape[1] :]
        return out

    return decode
