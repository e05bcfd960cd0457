print('--- cell 1',flush=True)
# On Colab this installs the course. Anywhere else it does nothing.
import sys

if "google.colab" in sys.modules:
    raise RuntimeError("This copy does not say which repository it comes from. Its owner runs "
                       "`plaincourse configure --owner NAME` and `plaincourse sync`, once.")
print('--- cell 2',flush=True)
import math

import torch
from torch import nn

from plainformer import MultiHeadAttention, attend, attention_weights, plotting, softmax

torch.set_printoptions(precision=2, sci_mode=False)
F = nn.functional

output = softmax(torch.tensor([math.log(3), 0.0])) @ torch.eye(2)
print(output)
torch.testing.assert_close(output, torch.tensor([3 / 4, 1 / 4]))
print('--- cell 3',flush=True)
STEMS = "bel tor mik sun rav gol ken fam dir hos vid pak lom".split()
ENGLISH = ("wolf dog cat bird horse fish "  # 0 to 5: nouns
           "old small red tired "           # 6 to 9: adjectives
           "sees hears follows").split()    # 10 to 12: verbs
ENDING = torch.tensor([0, 0, 2, 1, 1])      # of the five facts below: -a -a -i -o -o

def sentences(n, parts=(0, 1, 2, 3, 4)):
    """Return stems, endings, order (n, k), and the facts in English order."""
    adjective, noun = torch.randint(6, 10, (2, n)), torch.randint(6, (2, n))
    verb = torch.randint(10, 13, (n,))
    facts = torch.stack([adjective[0], noun[0], verb, adjective[1], noun[1]], dim=1)
    facts, ending = facts[:, parts], ENDING[list(parts)]
    order = torch.rand(n, len(parts)).argsort(dim=1)  # a shuffle for each sentence
    return facts.gather(1, order), ending[order], order, facts
print('--- cell 4',flush=True)
def spelled(stem, ending):
    return " ".join(STEMS[s] + "aoi"[e] for s, e in zip(stem, ending, strict=True))

torch.manual_seed(0)
stem, ending, order, facts = sentences(2)
for i in range(2):
    print(f"{spelled(stem[i], ending[i]):32}", *(ENGLISH[f] for f in facts[i]))
assert ending[0][order[0] == 2].item() == 2
print('--- cell 5',flush=True)
NAMES = ("wolf", "dog")
t = 3 / 4
print("who   whom  output")
for who, whom in ((1, 1), (1, 0), (0, 1), (0, 0)):
    output = torch.tensor([t, 1 - t]) @ torch.eye(2)[[who, whom]]
    print(f"{NAMES[who]:5} {NAMES[whom]:5} {output}")
torch.testing.assert_close(output, torch.tensor([1.0, 0.0]))
print('--- cell 6',flush=True)
query = torch.tensor([[math.log(3)], [-math.log(3)]])  # two queries of width 1
key = torch.tensor([[1.0], [0.0]])                     # the ending: -a, -o
print("who   whom  side by side")
for who, whom in ((1, 1), (1, 0), (0, 1), (0, 0)):
    value = torch.eye(2)[[who, whom]]
    both = attend(query, key, value).flatten()
    print(f"{NAMES[who]:5} {NAMES[whom]:5} {both}")
    assert (both[0] > 1 / 2) == (who == 0) and (both[2] > 1 / 2) == (whom == 0)
print('--- cell 7',flush=True)
torch.manual_seed(0)
x = torch.randn(5, 8, dtype=torch.float64)
W_Q, W_K = torch.randn(2, 2, 8, 3, dtype=torch.float64)  # two heads of width 3
both = torch.cat([W_Q[0], W_K[0]], dim=1)                # 8 rows, 6 columns
blind = torch.linalg.svd(both.T).Vh[-1]                  # a direction that both map to 0
louder = x + torch.arange(5.0)[:, None] * 3 * blind
for r in range(2):
    before, after = (attention_weights(y @ W_Q[r], y @ W_K[r]) for y in (x, louder))
    print(f"head {r} moves by {(after - before).abs().max():.2f}")
    assert ((after - before).abs().max() < 1e-9) == (r == 0)
print('--- cell 8',flush=True)
def split(x, h):
    """Return heads (b, h, n, d) from vectors (b, n, h * d)."""
    b, n, width = x.shape
    return x.reshape(b, n, h, width // h).transpose(1, 2)

x = torch.arange(12).reshape(1, 2, 6)  # one sequence of two vectors of width 6
print("vectors", x[0].tolist())
for r, head in enumerate(split(x, 3)[0]):
    print(f"head {r}", head.tolist())
assert split(x, 3)[0, 1].tolist() == [[2, 3], [8, 9]]
print('--- cell 9',flush=True)
print("head 0", x.reshape(1, 3, 2, 2)[0, 0].tolist())
assert x.reshape(1, 3, 2, 2)[0, 0].flatten().tolist() == [0, 1, 2, 3]
print('--- cell 10',flush=True)
def merge(heads):
    """Return vectors (b, n, h * d) from heads (b, h, n, d)."""
    b, h, n, d = heads.shape
    return heads.transpose(1, 2).reshape(b, n, h * d)

assert (merge(split(x, 3)) == x).all()
wrong = split(x, 3).reshape(1, 2, 6)
print("without the transpose:", wrong[0].tolist())
print('--- cell 11',flush=True)
class ManyHeads(nn.Module):
    """Multi-head attention (b, q, m) -> (b, q, m); keys and values from a memory."""

    def __init__(self, m, h):
        super().__init__()
        self.h = h
        self.query, self.key = nn.Linear(m, m, bias=False), nn.Linear(m, m, bias=False)
        self.value, self.output = nn.Linear(m, m, bias=False), nn.Linear(m, m, bias=False)

    def heads(self, x, memory):
        query = split(self.query(x), self.h)
        return attend(query, split(self.key(memory), self.h), split(self.value(memory), self.h))

    def forward(self, x, memory):
        return self.output(merge(self.heads(x, memory)))
print('--- cell 12',flush=True)
torch.manual_seed(0)
mine = ManyHeads(m=8, h=2)
x = torch.randn(1, 5, 8)
W_O = mine.output.weight.T            # nn.Linear keeps the transpose
blocks = W_O.split(4, dim=0)          # d rows for each head
heads = mine.heads(x, x)              # b h q d
added = sum(heads[:, r] @ blocks[r] for r in range(2))
print("largest difference", f"{(added - mine(x, x)).abs().max():.0e}")
torch.testing.assert_close(added, mine(x, x))
print('--- cell 13',flush=True)
separate = []
for r in range(2):
    rows = slice(4 * r, 4 * r + 4)
    query, key, value = (
        x @ layer.weight[rows].T for layer in (mine.query, mine.key, mine.value)
    )
    separate.append(attend(query, key, value))
separate = torch.stack(separate, dim=1)
print("the same heads:", torch.allclose(separate, mine.heads(x, x), atol=1e-6))
torch.testing.assert_close(separate, mine.heads(x, x))
print('--- cell 14',flush=True)
ours = MultiHeadAttention(d_model=8, n_heads=2)
ours.load_state_dict(mine.state_dict())

theirs = nn.MultiheadAttention(8, 2, bias=False, batch_first=True)
stacked = torch.cat([mine.query.weight, mine.key.weight, mine.value.weight])
theirs.load_state_dict({"in_proj_weight": stacked, "out_proj.weight": mine.output.weight})

memory = torch.randn(1, 7, 8)
torch.testing.assert_close(mine(x, memory), ours(x, memory))
torch.testing.assert_close(mine(x, memory), theirs(x, memory, memory)[0])
print(tuple(theirs.in_proj_weight.shape), "->", tuple(mine(x, memory).shape))
print('--- cell 15',flush=True)
x = torch.randn(1, 3, 8)
query, key = split(mine.query(x), 2), split(mine.key(x), 2)
steps = {"x": x, "query": query, "weights": attention_weights(query, key),
         "heads": mine.heads(x, x), "merged": merge(mine.heads(x, x)), "y": mine(x, x)}
for name, tensor in steps.items():
    print(f"{name:8}", tuple(tensor.shape))
assert steps["weights"].shape == (1, 2, 3, 3) and steps["y"].shape == x.shape
print('--- cell 16',flush=True)
class Plain(nn.Module):
    """One query asks who and whom; keys hold endings, values hold stems."""

    def __init__(self, h, m=32):
        super().__init__()
        self.h, self.query = h, nn.Parameter(torch.randn(1, 1, m))
        self.key, self.value = nn.Embedding(3, m), nn.Embedding(13, m)
        self.read = nn.Linear(m, 2 * 13)

    def forward(self, stem, ending):
        query = self.query.expand(len(stem), 1, -1)
        parts = (query, self.key(ending), self.value(stem))
        found = merge(attend(*(split(part, self.h) for part in parts)))
        return self.read(found).view(-1, 2, 13)
print('--- cell 17',flush=True)
def who_and_whom(n):
    stem, ending, _, facts = sentences(n, (1, 2, 4))  # noun, verb, noun
    return (stem, ending), facts[:, [0, 2]]

def train(model, draw, steps=300):
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        inputs, answer = draw(64)
        loss = F.cross_entropy(model(*inputs).flatten(0, -2), answer.flatten())
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return model
print('--- cell 18',flush=True)
@torch.no_grad()
def right(model, draw, n=2000):
    """Return which answers are right (n, facts), on the same new sentences each time."""
    torch.manual_seed(99)
    inputs, answer = draw(n)
    return model(*inputs).argmax(dim=-1) == answer

def shares(make, draw, seeds=range(4)):
    """Train from several starts; return the models and their shares of right sentences."""
    models = []
    for seed in seeds:
        torch.manual_seed(seed)
        models.append(train(make(), draw))
    return models, [right(m, draw).all(dim=-1).double().mean().item() for m in models]
print('--- cell 19',flush=True)
def told(name, shares):
    print(f"{name:22}", *(f"{share:4.0%}" for share in shares))

plain = {h: shares(lambda h=h: Plain(h), who_and_whom)[1] for h in (1, 2)}
for h, reached in plain.items():
    told(f"{h} of width {32 // h:2}, 4 starts:", reached)
assert max(plain[1]) < 31 / 36 and min(plain[2]) > 0.99
print('--- cell 20',flush=True)
class Asking(nn.Module):
    """One query asks a sentence for several facts, through a layer of the package."""

    def __init__(self, h, facts=5, m=32, g=None):
        super().__init__()
        self.stem, self.ending = nn.Embedding(13, m), nn.Embedding(3, m)
        self.query = nn.Parameter(torch.randn(m))
        self.layer = MultiHeadAttention(d_model=m, n_heads=h, n_kv_heads=g)
        self.read, self.facts = nn.Linear(m, facts * 13), facts

    def forward(self, stem, ending):
        words = self.stem(stem) + self.ending(ending)
        found = self.layer(self.query.expand(len(words), 1, -1), words)
        return self.read(found).view(-1, self.facts, 13)
print('--- cell 21',flush=True)
solo, reached = shares(lambda: Asking(1, facts=2), who_and_whom)
told("one head, whole words", reached)
assert min(reached) < 0.3 and sorted(reached)[2] > 0.99
print('--- cell 22',flush=True)
def looks(layer, x, memory):
    """Return the weights (b, h, q, k) of a layer of the package."""
    key, _ = layer.keys_values(memory)
    return attention_weights(split(layer.query(x), layer.n_heads), key)

who, whom = (n.flatten() for n in torch.meshgrid(torch.arange(6), torch.arange(6), indexing="ij"))
stem = torch.stack([who, torch.full_like(who, 10), whom], dim=1)  # … sees …
with torch.no_grad():
    words = solo[1].stem(stem) + solo[1].ending(torch.tensor([0, 2, 1]))
    grid = looks(solo[1].layer, solo[1].query.expand(36, 1, -1), words)[:, 0, 0]
share = (grid[:, 0] / (grid[:, 0] + grid[:, 2])).reshape(6, 6)
print('--- cell 23',flush=True)
ranked = share.mean(dim=1).argsort(descending=True).tolist()
print("who / whom", *(f"{ENGLISH[j]:>6}" for j in ranked))
for i in ranked:
    print(f"{ENGLISH[i]:>10}", *(f"{share[i, j]:6.2f}" for j in ranked))
assert share.max() > 0.85 and share.min() < 0.15
print('--- cell 24',flush=True)
def all_facts(n):
    stem, ending, _, facts = sentences(n)
    return (stem, ending), facts

five = {}
for h in (1, 2, 4, 32):
    five[h], reached = shares(lambda h=h: Asking(h), all_facts)
    told(f"h = {h:2}, d = {32 // h:2}", reached)
    parameters = sum(p.numel() for p in five[h][0].layer.parameters())
    assert parameters == 4096 and (min(reached) > 0.99) == (h >= 4)
print('--- cell 25',flush=True)
from torch.utils.flop_counter import FlopCounterMode

from plainformer.meter import Meter

m, q = 64, 48
x = torch.randn(1, q, m)
print("  h   d  parameters  multiplications  largest tensor")
for h in (1, 4, 16, 64):
    layer = MultiHeadAttention(d_model=m, n_heads=h)
    with FlopCounterMode(display=False) as counter, Meter() as meter:
        layer(x)
    parameters, products = sum(p.numel() for p in layer.parameters()), counter.get_total_flops() // 2
    print(f"{h:3} {m // h:3} {parameters:11} {products:16}  {meter.largest.shape}")
    assert parameters == 4 * m**2 and products == 4 * q * m**2 + 2 * q * q * m
print('--- cell 26',flush=True)
class Finding(nn.Module):
    """A query gives a name and wants the mark that stands with it in a list."""

    def __init__(self, h, m=32):
        super().__init__()
        self.name, self.mark = nn.Embedding(24, m), nn.Embedding(4, m)
        self.layer = MultiHeadAttention(d_model=m, n_heads=h)
        self.read = nn.Linear(m, 4)

    def forward(self, asked, name, mark):
        memory = self.name(name) + self.mark(mark)
        return self.read(self.layer(self.name(asked)[:, None], memory))
print('--- cell 27',flush=True)
def a_list(n):
    name = torch.rand(n, 24).argsort(dim=1)[:, :6]  # six different names
    mark, at = torch.randint(4, (n, 6)), torch.randint(6, (n, 1))
    return (name.gather(1, at)[:, 0], name, mark), mark.gather(1, at)

find = {}
for h in (1, 2, 4, 32):
    _, find[h] = shares(lambda h=h: Finding(h), a_list)
    told(f"h = {h:2}, d = {32 // h:2}", find[h])
assert min(find[1] + find[2] + find[4]) > 0.99 and max(find[32]) < 0.97
print('--- cell 28',flush=True)
means = {
    "five facts": [sum(right(m, all_facts).all(dim=-1).double().mean() for m in five[h]) / 4 for h in find],
    "one name": [sum(reached) / 4 for reached in find.values()],
}
plotting.lines(
    list(find),
    means,
    xlabel="heads h, each of width d = 32/h",
    ylabel="share of right answers",
    title="Two tasks, one width",
    xscale="log",
    markers=True,
)
print('--- cell 29',flush=True)
@torch.no_grad()
def without(model, r, draw):
    """Return the share of right answers for each fact with head r silenced."""
    W, d = model.layer.output.weight, 32 // model.layer.n_heads
    kept = W.clone()
    W[:, r * d : (r + 1) * d] = 0  # nn.Linear keeps the transpose: the rows of W_O are columns
    shares = right(model, draw).double().mean(dim=0)
    W.copy_(kept)
    return shares
print('--- cell 30',flush=True)
print("facts lost           which  who  verb which whom")
for seed in (0, 1, 3):  # the starts that succeeded
    for r in range(2):
        lost = [f"{1 - share:5.0%}" for share in without(five[2][seed], r, all_facts)]
        print(f"start {seed}, without head {r}:", *lost)
lost_who = [[1 - without(five[2][s], r, all_facts)[1] for r in range(2)] for s in (0, 1, 3)]
assert all(max(pair) > 0.7 and min(pair) < 0.3 for pair in lost_who)
print('--- cell 31',flush=True)
print("4 heads: facts lost  which  who  verb which whom")
for seed in range(2):
    for r in range(4):
        lost = [f"{1 - share:5.0%}" for share in without(five[4][seed], r, all_facts)]
        print(f"start {seed}, without head {r}:", *lost)
idle = [r for r in range(32) if without(five[32][0], r, all_facts).min() > 0.99]
print("of 32 heads,", len(idle), "can be silenced one at a time and no fact falls below 99%")
print('--- cell 32',flush=True)
@torch.no_grad()
def without_all(model, heads, draw):
    W, kept = model.layer.output.weight, model.layer.output.weight.clone()
    W[:, heads] = 0  # d = 1: head r is column r
    share = right(model, draw).all(dim=-1).double().mean().item()
    W.copy_(kept)
    return share

together = without_all(five[32][0], idle, all_facts)
print(f"all {len(idle)} silenced together: {together:.0%} of the sentences right")
print('--- cell 33',flush=True)
torch.manual_seed(0)
H, Y = torch.randn(2, 4, 8), torch.randn(2, 3, 8)
layer = MultiHeadAttention(d_model=8, n_heads=1)
cases = {"source to itself": (H, H), "target to itself": (Y, Y), "target to source": (Y, H)}
for name, (x, memory) in cases.items():
    scores = looks(layer, x, memory)[:, 0]
    print(f"{name:17} weights {tuple(scores.shape)}, output {tuple(layer(x, memory).shape)}")
    torch.testing.assert_close(scores.sum(dim=-1), torch.ones(2, x.shape[1]))
assert scores.shape == (2, 3, 4)
print('--- cell 34',flush=True)
class Translator(nn.Module):
    """Five places of an English sentence each ask the source for their word."""

    def __init__(self, h, m=32, **options):
        super().__init__()
        self.stem, self.ending = nn.Embedding(13, m), nn.Embedding(3, m)
        self.place = nn.Parameter(torch.randn(5, m))
        self.layer = MultiHeadAttention(d_model=m, n_heads=h, **options)
        self.read = nn.Linear(m, 13)

    def forward(self, stem, ending, places=slice(None)):
        words = self.stem(stem) + self.ending(ending)
        asking = self.place[places].expand(len(words), -1, -1)
        return self.read(self.layer(asking, words))
print('--- cell 35',flush=True)
translators = {}
for h in (1, 4, 32):
    translators[h], reached = shares(lambda h=h: Translator(h), all_facts)
    told(f"h = {h:2}", reached)
assert sum(share > 0.99 for share in reached) == 4
print('--- cell 36',flush=True)
def aligned(model, n=2000):
    """Return the weights, mean over heads (n, 5, 5), and where each fact truly stands (n, 5)."""
    torch.manual_seed(99)
    stem, ending, order, facts = sentences(n)
    with torch.no_grad():
        words = model.stem(stem) + model.ending(ending)
        weights = looks(model.layer, model.place.expand(n, -1, -1), words).mean(dim=1)
    return weights, order.argsort(dim=1), stem, ending, facts

weights, true, stem, ending, facts = aligned(translators[1][2])
source = spelled(stem[0], ending[0]).split()
target = [ENGLISH[f] for f in facts[0]]
print(" ".join(source), "->", " ".join(target))
print("true places:", true[0].tolist())
print('--- cell 37',flush=True)
plotting.several(
    {"1 head": weights[0], "32 heads": aligned(translators[32][0])[0][0]},
    queries=target,
    keys=source,
)
print('--- cell 38',flush=True)
print("        weight on the true word    largest weight is the true word")
scored = {}
for h, models in translators.items():
    found = [aligned(model)[:2] for model in models]
    on_true = [w.gather(2, t[..., None]).mean().item() for w, t in found]
    largest = [(w.argmax(dim=-1) == t).double().mean().item() for w, t in found]
    scored[h] = on_true, largest
    print(f"h = {h:2} ", *(f"{x:5.2f}" for x in on_true), "    ", *(f"{x:5.2f}" for x in largest))
assert max(scored[1][1]) > 0.99 and max(scored[32][1]) < 0.95 and max(scored[32][0]) < 0.5
print('--- cell 39',flush=True)
torch.manual_seed(0)
scores = torch.randn(6, 10)
rows = torch.softmax(scores, dim=-2).sum(dim=-1)
print("row sums", rows, "together", round(rows.sum().item(), 2))
assert abs(rows.sum() - 10) < 1e-4
print('--- cell 40',flush=True)
def over_the_target(query, key, value, mask=None, *, score, bias=None):
    return torch.softmax(score(query, key), dim=-2) @ value

wrong, reached = shares(lambda: Translator(1, backend=over_the_target), all_facts)
told("together", reached)
print('--- cell 41',flush=True)
alone = []
for model in wrong:
    torch.manual_seed(99)
    (stem, ending), facts = all_facts(2000)
    with torch.no_grad():
        words = [model(stem, ending, slice(i, i + 1)).argmax(dim=-1) for i in range(5)]
    alone.append((torch.cat(words, dim=1) == facts).all(dim=-1).double().mean().item())
told("each place alone", alone)
assert sum(share > 0.99 for share in reached) == 2 and max(alone) < 0.01
print('--- cell 42',flush=True)
Q, K, V = torch.randn(2, 3, 8), torch.randn(2, 4, 8), torch.randn(2, 4, 8)
own_K, own_V = torch.randn(2, 3, 8), torch.randn(2, 3, 8)  # made from the target
SLIPS = {
    "softmax over the target": lambda: torch.softmax(Q @ K.mT, dim=-2) @ V,
    "V from the target": lambda: softmax(Q @ K.mT) @ own_V,
    "K and V from the target": lambda: softmax(Q @ own_K.mT) @ own_V,
    "Q from the source": lambda: softmax(K @ own_K.mT) @ own_V,
    "mask of the target": lambda: softmax(Q @ K.mT, torch.ones(2, 1, 3, dtype=bool)) @ V,
}
print('--- cell 43',flush=True)
silent = []
for name, slip in SLIPS.items():
    try:
        print(f"{name:24} silent, output {tuple(slip().shape)}")
        silent.append(name)
    except (RuntimeError, ValueError) as error:
        print(f"{name:24} loud: {type(error).__name__}")
assert len(silent) == 3
print('--- cell 44',flush=True)
key = torch.tensor([1.0, 2.0]).reshape(1, 2, 1, 1)  # b g k d; head A is 1, head B is 2
print("repeat           ", key.repeat(1, 2, 1, 1).flatten().tolist())
print("cat              ", torch.cat([key, key], dim=1).flatten().tolist())
print("repeat_interleave", key.repeat_interleave(2, dim=1).flatten().tolist())
assert key.repeat_interleave(2, dim=1).flatten().tolist() == [1, 1, 2, 2]
print('--- cell 45',flush=True)
torch.manual_seed(0)
grouped = MultiHeadAttention(d_model=32, n_heads=4, n_kv_heads=2)
x = torch.randn(1, 6, 32)
query, (key, value) = split(grouped.query(x), 4), grouped.keys_values(x)
for name, share in (("repeat_interleave", lambda y: y.repeat_interleave(2, dim=1)),
                    ("repeat", lambda y: y.repeat(1, 2, 1, 1))):
    y = grouped.output(merge(attend(query, share(key), share(value))))
    off = (y - grouped(x)).norm() / grouped(x).norm()
    print(f"{name:17} off by {off:.0%}")
    assert (off < 1e-5) == (name == "repeat_interleave")
print('--- cell 46',flush=True)
full = MultiHeadAttention(d_model=32, n_heads=4)
weights = dict(grouped.state_dict())
for name in ("key.weight", "value.weight"):  # g * d rows -> h * d rows, in blocks of d
    blocks = weights[name].reshape(2, 8, 32)
    weights[name] = blocks.repeat_interleave(2, dim=0).reshape(32, 32)
full.load_state_dict(weights)
torch.testing.assert_close(full(x), grouped(x))
for name, layer in (("multi-head", full), ("grouped", grouped)):
    kept = sum(y.numel() for y in layer.keys_values(x)) // 6
    print(f"{name:10} parameters {sum(p.numel() for p in layer.parameters())}, "
          f"cache {kept} numbers a token")
print('--- cell 47',flush=True)
layers, d, tokens, two_bytes = 32, 128, 8192, 2
for name, g in (("multi-head", 32), ("grouped", 8), ("multi-query", 1)):
    size = layers * tokens * 2 * g * d * two_bytes / 2**30
    print(f"{name:11} g = {g:2}  {size:5.3f} GiB")
assert layers * tokens * 2 * 8 * d * two_bytes == 2**30
print('--- cell 48',flush=True)
one_key, reached = shares(lambda: Asking(4, g=1), all_facts)
told("h = 4, g = 4", [right(m, all_facts).all(dim=-1).double().mean() for m in five[4]])
told("h = 4, g = 1", reached)
saved = [sum(p.numel() for p in models[0].layer.parameters()) for models in (five[4], one_key)]
print("parameters", *saved)
assert min(reached) > 0.99
print('--- cell 49',flush=True)
wide = MultiHeadAttention(d_model=12, n_heads=5, head_width=8)
print({name: tuple(p.shape) for name, p in wide.named_parameters()})
assert wide(torch.randn(1, 3, 12)).shape == (1, 3, 12)
print('--- cell 50',flush=True)
_, mean = theirs(memory, memory, memory)
_, each = theirs(memory, memory, memory, average_attn_weights=False)
print("averaged", tuple(mean.shape), " own", tuple(each.shape))
torch.testing.assert_close(mean, each.mean(dim=1))
print('--- cell 51',flush=True)
def in_a_row(y):
    return y.repeat_interleave(2, dim=1)

def layer(x, memory, mask, w, *, cut=split, share=in_a_row, scale=1.0, axis=-1,
          expand=lambda mask: mask[:, None], join=merge, kv=None, end=True):
    memory = memory if kv is None else kv(x, memory)
    query, key, value = cut(x @ w["q"], 4), cut(memory @ w["k"], 2), cut(memory @ w["v"], 2)
    scores = query @ share(key).mT / math.sqrt(query.shape[-1]) * scale
    scores = scores.masked_fill(~expand(mask), -math.inf)
    heads = torch.softmax(scores, dim=axis).nan_to_num(0.0) @ share(value)
    return join(heads) @ w["o"] if end else join(heads)
print('--- cell 52',flush=True)
MISTAKES = {
    "none": {},
    "split without transpose": {"cut": lambda y, h: y.reshape(len(y), h, y.shape[1], -1)},
    "joined without transpose": {"join": lambda y: y.reshape(len(y), y.shape[2], -1)},
    "heads joined last to first": {"join": lambda y: merge(y.flip(1))},
    "scaled by the root of m": {"scale": 1 / 2},  # 1/√12 in place of 1/√3
    "repeat": {"share": lambda y: y.repeat(1, 2, 1, 1)},
    "no output projection": {"end": False},
    "mask without head axis": {"expand": lambda mask: mask},
    "softmax over the target": {"axis": -2},
    "K and V from the target": {"kv": lambda x, memory: x},
}
print('--- cell 53',flush=True)
torch.manual_seed(0)
sizes = {"q": (12, 12), "k": (12, 6), "v": (12, 6), "o": (12, 12)}
w = {name: torch.randn(size, dtype=torch.float64) / 2 for name, size in sizes.items()}
x, memory = torch.randn(2, 4, 4, 12, dtype=torch.float64)
mask = (torch.arange(4) < torch.tensor([4, 3, 2, 1])[:, None])[:, None].expand(4, 4, 4)
moved = memory.clone()
moved[1, 3] += 5  # sequence 1 hides its last position

def by_heads(x, memory, mask, w):
    total = 0
    for r in range(4):
        s, t = slice(3 * r, 3 * r + 3), slice(3 * (r // 2), 3 * (r // 2) + 3)
        scores = (x @ w["q"][:, s]) @ (memory @ w["k"][:, t]).mT / math.sqrt(3)
        total = total + softmax(scores, mask) @ (memory @ w["v"][:, t]) @ w["o"][s]
    return total
print('--- cell 54',flush=True)
CHECKS = {
    "alone": lambda f, y: (f(x[:, :1], memory, mask[:, :1], w), y[:, :1]),
    "source": lambda f, y: (f(x, memory + 1, mask, w) == y, torch.tensor(False)),
    "hidden": lambda f, y: (f(x, moved, mask, w), y),
    "batch": lambda f, y: (f(x[1:2], memory[1:2], mask[1:2], w), y[1:2]),
    "heads": lambda f, y: (y, by_heads(x, memory, mask, w)),
}

def passes(check, f, y):
    try:
        got, wanted = check(f, y)
    except RuntimeError:  # shapes that do not fit
        return False
    return bool(torch.isclose(got.double(), wanted.double().expand_as(got)).all())
print('--- cell 55',flush=True)
from functools import partial

table = {}
print(" " * 27, *(f"{name:>6}" for name in CHECKS))
for name, change in MISTAKES.items():
    f = partial(layer, **change)
    y = f(x, memory, mask, w)
    table[name] = [passes(check, f, y) for check in CHECKS.values()]
    print(f"{name:27}", *(f"{'ok' if ok else 'WRONG':>6}" for ok in table[name]))
    assert y.shape == x.shape and all(table[name]) == (name == "none")
print('--- cell 56',flush=True)
x, memory = torch.randn(2, 5, 12).double(), torch.randn(2, 7, 12).double()
mask, loud = torch.ones(2, 5, 7, dtype=torch.bool), []
for name, change in MISTAKES.items():
    try:
        layer(x, memory, mask, w, **change)
    except RuntimeError:
        loud.append(name)
print("loud:", ", ".join(loud))
print('--- cell 57',flush=True)
assert 1024 // 16 == 64 and 16 * 128 * 128 == 262_144
assert min(x + math.comb(6 - x, 2) for x in range(7)) == 5
assert [2 * 512 * 8 * 64 + 2 * 512 * g * 64 for g in (8, 2, 1)] == [1_048_576, 655_360, 589_824]
net = MultiHeadAttention(d_model=12, n_heads=4)
swapped = MultiHeadAttention(d_model=12, n_heads=4)
new = torch.arange(12).reshape(4, 3)[[0, 2, 1, 3]].flatten()
swapped.load_state_dict({name: p[:, new] if name == "output.weight" else p[new]
                         for name, p in net.state_dict().items()})
x = torch.randn(2, 5, 12)
torch.testing.assert_close(net(x), swapped(x), rtol=1e-4, atol=1e-6)
silenced = MultiHeadAttention(d_model=12, n_heads=4)
silenced.load_state_dict(net.state_dict())
silenced.value.weight.data[6:9] = 0
net.output.weight.data[:, 6:9] = 0
torch.testing.assert_close(net(x), silenced(x), rtol=1e-4, atol=1e-6)