"""The syllabus of each chapter: one tuple per line, with the ids of the concepts that cover it.

It is separate from ``book/concepts.yml``, so that a concept that is lost there is missed here.
"""

SYLLABUS: dict[str, tuple[str, ...]] = {
    "01": (
        "fixed-vector-bottleneck alignment long-range-dependencies parallel-over-positions "
        "path-length",
        "query-key-value fuzzy-lookup keys-are-not-values",
        "single-query-attention weights-as-distribution",
        "learned-projections",
        "dot-score scaled-dot-score cosine-score additive-score score-costs",
        "soft-against-hard differentiable-lookup",
        "temperature root-d-as-temperature",
        "coreference word-sense",
        "fuzzy-lookup fixed-vector-bottleneck",
    ),
    "02": (
        "matrix-form shapes",
        "sqrt-d-variance softmax-saturation",
        "softmax-axis",
        "stable-softmax",
        "convex-combination",
        "matrix-form shapes",
        "self-attention-module",
        "implement-numpy implement-torch value-width query-length",
    ),
    "03": (
        "causal-mask padding-mask combined-mask additive-vs-boolean minus-infinity-vs-1e9 "
        "mask-before-softmax",
        "mask-broadcasting mask-leakage",
        "look-nowhere padding-mask",
        "causal-mask padding-mask",
        "cheating-without-mask",
        "teacher-forcing",
        "debugging-checklist",
        "sliding-window-mask prefix-mask",
    ),
    "04": (
        "subspaces head-splitting head-width concatenation output-projection fused-projections",
        "multi-head-shapes",
        "self-against-cross target-source-alignment",
        "target-axis-softmax",
        "multi-head-cost number-of-heads multi-query-attention grouped-query-attention",
        "head-specialisation",
    ),
    "05": (
        "permutation-equivariance identical-tokens",
        "sinusoidal-encoding sinusoidal-uniqueness sinusoidal-boundedness sinusoidal-offsets "
        "embedding-scale",
        "learned-positions",
        "rotary-embedding rotary-derivation rotary-layouts rotary-placement",
        "alibi alibi-slopes",
        "positions-compared migrating-to-rotary",
    ),
    "06": (
        "residual-connections",
        "residual-stream add-and-norm post-norm pre-norm gradients-at-depth why-warm-up "
        "sandwich-norm deepnorm",
        "layer-norm rms-norm",
        "feed-forward expand-and-contract relu-and-gelu gated-feed-forward feed-forward-as-memory",
        "initialisation residual-scaling dropout-placement",
        "parameter-count flop-count",
    ),
    "07": (
        "encoder-stack decoder-stack encoder-decoder-stack masks-of-each-stack cls-token "
        "mean-pooling",
        "decoder-cross-attention sublayer-order",
        "bert gpt t5 objective-fits-architecture",
        "checkpoint-formats checkpoint-parity",
    ),
    "08": (
        "next-token-objective masked-language-objective span-corruption-objective cross-entropy "
        "teacher-forced-training",
        "tokenising batching-and-padding adamw learning-rate-schedule gradient-clipping",
        "corpus-of-known-entropy loss-floor",
        "failure-no-mask failure-no-scale failure-deep-post-norm failure-no-position",
    ),
    "09": (
        "attention-maps local-heads delimiter-heads induction-heads trained-induction-head",
        "weights-are-not-explanations altered-weights attention-rollout gradient-attribution "
        "ablation",
    ),
    "10": (
        "quadratic-time quadratic-memory attention-parallelism arithmetic-intensity roofline "
        "measured-cost",
        "decode-floor critical-batch",
        "cheaper-attention delta-rule",
        "mixture-of-experts",
    ),
    "11": ("streaming-recurrence rescaling online-exactness log-sum-exp merging-blocks",),
    "12": (
        "io-awareness memory-hierarchy tiling fused-kernel never-writing-scores",
        "flash-forward flash-backward causal-block-skipping linear-memory",
        "triton-kernel interpreted-kernel",
    ),
    "13": (
        "prefill decode-step cost-per-step what-is-cached cache-size",
        "shared-heads-shrink-cache latent-attention window-with-sinks paged-cache quantised-cache",
        "cached-equals-uncached",
    ),
    "14": (
        "greedy-decoding temperature-sampling top-k-sampling top-p-sampling batched-generation "
        "stopping speculative-decoding speculative-exactness",
    ),
    "15": (
        "rotary-extrapolation unseen-phases",
        "position-interpolation ntk-aware-scaling yarn-by-parts yarn-temperature "
        "extensions-measured",
        "softmax-dilution sinks-of-attention lost-in-the-middle logit-scaling needle-tests",
    ),
    "16": (
        "long-document-design serving-shared-heads serving-quantised serving-paged "
        "continuous-batching chunked-prefill prefix-caching serving-windows retrieval-instead "
        "throughput-and-latency",
    ),
    "17": ("compose-a-model train-a-model extend-a-model serve-a-model judged-by-rubric",),
}
