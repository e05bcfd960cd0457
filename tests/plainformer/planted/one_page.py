"""Mistakes in the model on one page."""

PLANTED = [
    (
        "one_page.py",
        "torch.arange(earlier, earlier + tokens.shape[1]",
        "torch.arange(earlier + 1, earlier + tokens.shape[1] + 1",
        "one_page: logits_are",
    ),
    (
        "one_page.py",
        "torch.arange(earlier, earlier + tokens.shape[1]",
        "torch.arange(tokens.shape[1]",
        "one_page: cached_equals",
    ),
    (
        "one_page.py",
        "softmax(scores, causal(*scores.shape[-2:], device=x.device))",
        "softmax(scores)",
        "one_page: logits_are",
    ),
    (
        "one_page.py",
        "causal(*scores.shape[-2:], device=x.device)",
        "causal(*scores.shape[-2:], device=x.device) | (x.shape[1] > 1)",
        "one_page: logits_are",
    ),
    ("one_page.py", "self.rotary(key, positions)", "key", "one_page: logits_are"),
    ("one_page.py", 'head="embedding"', 'head="output"', "one_page: the_head_of_gpt2"),
    ("one_page.py", 'swiglu, head="output"', 'swiglu, head="embedding"', "one_page: logits_are"),
    (
        "one_page.py",
        "F.linear(norm(x, **self",
        "F.linear((lambda x, **_: x)(x, **self",
        "one_page: logits_are",
    ),
    (
        "one_page.py",
        "scaled_dot(query, repeat_heads(keys, self.heads))",
        "query @ repeat_heads(keys, self.heads).mT",
        "one_page: logits_are",
    ),
    (
        "one_page.py",
        "repeat_heads(values, self.heads)",
        "values.repeat(1, self.heads // values.shape[1], 1, 1)",
        "one_page: logits_are",
    ),
    ("one_page.py", "eps=1e-5", "eps=1e-4", "one_page: logits_are"),
    ("one_page.py", "enumerate(caches)", "enumerate(caches[1:])", "one_page: logits_are"),
    (
        "one_page.py",
        "[:, -1:].argmax(dim=-1)",
        "[:, :1].argmax(dim=-1)",
        "one_page: greedy_tokens",
    ),
    (
        "one_page.py",
        "unread = self.logits(unread, caches)",
        "unread = self.logits(prompts, caches)",
        "one_page: greedy_tokens",
    ),
    ("one_page.py", "self.context + 1:", "self.context:", "one_page: prompts_that_are"),
]
