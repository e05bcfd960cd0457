"""How 02.SelfAttention goes wrong: the code. The messages are in self_attention.py."""

# Written as a student writes it: products of arrays are Any to the type checker.
# mypy: disable-error-code="no-any-return"

import math

import torch
from torch import Tensor, nn


class NoScale(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(-2, -1)
        return torch.softmax(scores, dim=-1) @ self.value(x)


class RootOfTheModelWidth(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / math.sqrt(x.shape[-1])
        return torch.softmax(scores, dim=-1) @ self.value(x)


class OverQueries(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-2) @ value


class Axis1(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=1) @ value


class OneLayerForKeyAndValue(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = self.value = nn.Linear(d_model, d, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ value


class OneLayerForQueryAndKey(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ value


class ValueNotProjected(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key = self.query(x), self.key(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ x


class WithBias(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d)
        self.key = nn.Linear(d_model, d)
        self.value = nn.Linear(d_model, e)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ value


class QueryAndKeySwapped(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = key @ query.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ value


class PlainTensors(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = torch.randn(d_model, d, requires_grad=True)
        self.key = torch.randn(d_model, d, requires_grad=True)
        self.value = torch.randn(d_model, e, requires_grad=True)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = x @ self.query, x @ self.key, x @ self.value
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ value


class Detached(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = self.query(x), self.key(x), self.value(x)
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1).detach() @ value


class RootOfTheValueWidth(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        value = self.value(x)
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / math.sqrt(value.shape[-1])
        return torch.softmax(scores, dim=-1) @ value


class Causal(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        scores = self.query(x) @ self.key(x).transpose(-2, -1) / math.sqrt(self.key(x).shape[-1])
        later = torch.ones(scores.shape[-2:]).triu(1).bool()
        return torch.softmax(scores.masked_fill(later, -torch.inf), dim=-1) @ self.value(x)


class BatchAxesFlattened(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        tokens = x.flatten(1, -2) if x.ndim > 3 else x
        query = self.query(tokens)
        scores = query @ self.key(tokens).transpose(-2, -1) / math.sqrt(query.shape[-1])
        out = torch.softmax(scores, dim=-1) @ self.value(tokens)
        return out.reshape(*x.shape[:-1], out.shape[-1])


class OutputProjected(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)
        self.output = nn.Linear(e, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query = self.query(x)
        scores = query @ self.key(x).transpose(-2, -1) / math.sqrt(query.shape[-1])
        return self.output(torch.softmax(scores, dim=-1) @ self.value(x))


class ResidualAdded(nn.Module):
    def __init__(self, d_model: int, d: int, e: int) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query = self.query(x)
        scores = query @ self.key(x).transpose(-2, -1) / math.sqrt(query.shape[-1])
        out = torch.softmax(scores, dim=-1) @ self.value(x)
        return out + x if out.shape == x.shape else out


class ByLayers(nn.Module):
    """Attention whose query, key and value come from the layers of these names."""

    def __init__(
        self,
        d_model: int,
        d: int,
        e: int,
        layers: tuple[str, str, str] = ("query", "key", "value"),
        whole_root: bool = False,
    ) -> None:
        super().__init__()
        self.layers, self.whole_root = layers, whole_root
        self.query = nn.Linear(d_model, d, bias=False)
        self.key = nn.Linear(d_model, d, bias=False)
        self.value = nn.Linear(d_model, e, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (getattr(self, name)(x) for name in self.layers)
        d = query.shape[-1]
        root = math.isqrt(d) if self.whole_root else math.sqrt(d)
        return torch.softmax(query @ key.transpose(-2, -1) / root, dim=-1) @ value


class Biased(nn.Module):
    """Attention with a bias in some of the layers query, key and value."""

    def __init__(
        self, d_model: int, d: int, e: int, biases: tuple[bool, bool, bool] = (True, False, False)
    ) -> None:
        super().__init__()
        self.query = nn.Linear(d_model, d, bias=biases[0])
        self.key = nn.Linear(d_model, d, bias=biases[1])
        self.value = nn.Linear(d_model, e, bias=biases[2])

    def forward(self, x: Tensor) -> Tensor:
        query = self.query(x)
        scores = query @ self.key(x).transpose(-2, -1) / math.sqrt(query.shape[-1])
        return torch.softmax(scores, dim=-1) @ self.value(x)
