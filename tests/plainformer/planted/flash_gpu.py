"""Mistakes in the GPU kernel."""

PLANTED = [
    (
        "flash/kernel.py",
        "(key_at - query_at <= ahead)",
        "(key_at - query_at < ahead)",
        "flash_kernel: causal_attention_of_any_lengths",
    ),
    (
        "flash/kernel.py",
        "(query_at - key_at <= back)",
        "(query_at - key_at < back)",
        "flash_kernel: a_window_equals",
    ),
    ("flash/kernel.py", "(key_at < k) & ", "", "flash_kernel: full_attention_equals"),
    (
        "flash/kernel.py",
        "tl.abs(query_at - key_at)",
        "(query_at - key_at)",
        "flash_kernel: alibi_equals",
    ),
    ("flash/kernel.py", "(column < d)", "(column < width)", "flash_kernel: any_head_width"),
    (
        "flash/kernel.py",
        "first = start + k - q",
        "first = start",
        "flash_kernel: causal_attention_of_any_lengths",
    ),
    (
        "flash/kernel.py",
        "shared = head // (h // g)",
        "shared = head % g",
        "flash_kernel: shared_key_value_heads",
    ),
    (
        "flash/kernel.py",
        "weighted * alpha[:, None]",
        "weighted",
        "flash_kernel: full_attention_equals",
    ),
    (
        "flash/kernel.py",
        "weights * (weight_grads - delta[:, None])",
        "weights * weight_grads",
        "flash_kernel: full_attention_equals",
    ),
    ("flash/kernel.py", "key_total * scale", "key_total", "flash_kernel: any_scale"),
    ("flash/kernel.py", "log_sum / LOG2E", "log_sum", "flash_kernel: the_log_sum_exp"),
    ("flash/gpu.py", "deltas -= d_lse", "deltas += d_lse", "flash_kernel: the_log_sum_exp"),
    (
        "mask_rules.py",
        'given - {"causal", "window"}',
        'given - {"causal", "window", "prefix"}',
        "flash_gpu: supports_denies",
    ),
    (
        "mask_rules.py",
        '{"sinks"} if self.window is None else set()',
        '{"sinks"}',
        "flash_gpu: supports_denies",
    ),
]
