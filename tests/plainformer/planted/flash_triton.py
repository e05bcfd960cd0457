"""Mistakes in the GPU kernel."""

PLANTED = [
    (
        "flash/triton_parts.py",
        "(key_at - query_at <= ahead)",
        "(key_at - query_at < ahead)",
        "flash_triton: causal_attention_of_any_lengths",
    ),
    (
        "flash/triton_parts.py",
        "(query_at - key_at <= back)",
        "(query_at - key_at < back)",
        "flash_triton: a_window_equals",
    ),
    ("flash/triton_parts.py", "(key_at < k) & ", "", "flash_triton: full_attention_equals"),
    (
        "flash/triton_parts.py",
        "tl.abs(query_at - key_at)",
        "(query_at - key_at)",
        "flash_triton: alibi_equals",
    ),
    ("flash/triton_parts.py", "(column < d)", "(column < width)", "flash_triton: any_head_width"),
    (
        "flash/triton_forward.py",
        "first = start + k - q",
        "first = start",
        "flash_triton: causal_attention_of_any_lengths",
    ),
    (
        "flash/triton_forward.py",
        "shared = head // (h // g)",
        "shared = head % g",
        "flash_triton: shared_key_value_heads",
    ),
    (
        "flash/triton_forward.py",
        "mixed * fade[:, None]",
        "mixed",
        "flash_triton: full_attention_equals",
    ),
    (
        "flash/triton_backward.py",
        "weights * (weight_grads - delta[:, None])",
        "weights * weight_grads",
        "flash_triton: full_attention_equals",
    ),
    ("flash/triton_backward.py", "key_total * scale", "key_total", "flash_triton: any_scale"),
    ("flash/triton_kernel.py", "not rule.prefix and ", "", "flash_triton_kernel: supports_denies"),
    (
        "flash/triton_kernel.py",
        "or not rule.sinks",
        "or True",
        "flash_triton_kernel: supports_denies",
    ),
]
