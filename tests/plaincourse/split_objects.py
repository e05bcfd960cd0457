"""Objects that a student may have written, for the tests of proxies."""

SOURCE = """
import contextlib, warnings, sys
from collections import OrderedDict
import numpy as np
import torch
from torch import nn

factor, words, table = 3, ["a", "b"], OrderedDict(x=torch.ones(2))

class Wrong(ValueError):
    pass

def double(x, *, by=2):
    return x * by

def lets_write(write):
    x, parts = torch.zeros(2), [[1]]
    write(x, parts)
    return x, parts

def spoils(x, parts):
    x += 1
    parts.append(4)
    parts[0]["k"] = 5

def count(n):
    yield from range(n)

def fails(how):
    raise how("the word is " + repr(how.__name__)) if how is not None else Wrong("mine")

def loud():
    print("out"); print("err", file=sys.stderr); warnings.warn("careful")

def apply(function, x):
    return function(x) + 1

def forever():
    while True:
        pass

class Counter:
    size = 7
    def __init__(self, start): self.start = start
    def up(self): self.start += 1; return self
    def __len__(self): return self.start
    def __getitem__(self, i): return i * 10
    def __contains__(self, x): return x == 4
    def __add__(self, other): return Counter(self.start + other.start)
    def __lt__(self, other): return self.start < other.start
    def __eq__(self, other): return True
    def __hash__(self): return 1
    def __repr__(self): return f"Counter({self.start})"
    def __enter__(self): self.start = 100; return self
    def __exit__(self, *_): self.start = 0; return True

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1, bias=False)
    def forward(self, x): return self.layer(x)
"""
