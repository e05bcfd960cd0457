"""Side-by-side timings, ratios measured in one run. See ``python -m benchmarks --help``."""
