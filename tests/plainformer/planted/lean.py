"""Mistakes in the lean decoder."""

G = "generation/lean/"
P = "generation_lean_products: "
STEP = "generation_lean: each_step_gives"

PLANTED = [
    (
        G + "products.py",
        "times.index(min(times))",
        "times.index(max(times))",
        P + "of_two_kernels",
    ),
    (
        G + "products.py",
        "torch.cat([weight, bias[None]])",
        "torch.cat([weight, 0 * bias[None]])",
        P + "every_product_is",
    ),
    (
        G + "products.py",
        'torch.ones(blocks, rows, dtype=dtype, device="cpu")',
        "torch.zeros(blocks, rows, dtype=dtype)",
        P + "every_product_is",
    ),
    (
        G + "products.py",
        "y += blocks[:, self.n :].sum(dim=1, keepdim=True)",
        "y += blocks[:, : self.n].sum(dim=1, keepdim=True)",
        P + "every_product_is",
    ),
    (
        G + "products.py",
        "y.transpose(0, 1).reshape(len(x), -1)[:, : self.o].to",
        "y.reshape(len(x), -1)[:, : self.o].to",
        P + "every_product_is",
    ),
    (G + "products.py", "(0, -o % width)", "(0, o % width)", P + "blocks_side_by_side"),
    (
        G + "store.py",
        "-whole.data_ptr() % HUGE",
        "whole.data_ptr() % HUGE",
        P + "a_stretch_starts",
    ),
    (G + "recipe.py", ".view(2, -1).t().flatten()", ".view(2, -1).flatten()", STEP),
    (G + "recipe.py", "moved if bias is None else bias + moved", "moved", STEP),
    (
        G + "recipe.py",
        "affine(attention.query, norm=norm, scale=scale)",
        "affine(attention.query, norm=norm)",
        STEP,
    ),
    (
        G + "recipe.py",
        "else layer.bias.detach().double() * scale",
        "else layer.bias.detach().double()",
        STEP,
    ),
    (
        G + "store.py",
        "torch.arange(0, batch * groups * capacity, capacity, device=device)",
        "torch.arange(batch * groups, device=device)",
        "generation_lean: float32_errs",
    ),
    (G + "store.py", "check_length(length, self.length)", "pass", "generation_lean: bad_input"),
    (G + "decoder.py", "self.places[start:end]", "self.places[: end - start]", STEP),
    (G + "decoder.py", "x.view(b, q, -1)[:, -1]", "x.view(b, q, -1)[:, 0]", STEP),
    (G + "decoder.py", "        self.truncate(0)\n", "", "generation_lean: generation_begins_anew"),
    (
        G + "decoder.py",
        ": self.heads + self.groups, :].mul_(turn)",
        ": self.heads, :].mul_(turn)",
        STEP,
    ),
    (
        G + "recipe.py",
        "not model.rule.only_causal",
        "False",
        "generation_lean: a_model_with_a_part",
    ),
    (
        G + "layers.py",
        "up = (feedforward.gate, feedforward.up)",
        "up = (feedforward.up, feedforward.gate)",
        STEP,
    ),
]
