"""Question 13.cache_bytes: the cache of one long conversation in three models, by hand."""

from exercise_bank.skills import said
from plaincourse.exercise import Alternative, Question

MEBI = 2**20
TOKENS = 16_384


TASK = Question(
    id="13.cache_bytes",
    title="Three caches by hand",
    level="easy",
    minutes=7,
    concepts=("cache-size", "shared-heads-shrink-cache", "latent-attention"),
    points=3.0,
    answer=(5760, 408, 640),
    misconceptions=(
        said(
            "keys-only",
            (2880, 204, 640),
            "One vector for each token and head.",
            "C is right. A and B are too small by a factor of 2: you count keys or values there, "
            "and both are kept.",
            "What does a decode step read besides the keys?",
            "A latent serves for both. Heads that are kept whole do not.",
            "Put a factor of 2 before A and B.",
        ),
        said(
            "one-head-in-a",
            (180, 408, 640),
            "A layer has one head.",
            "Your A is the cache of one head in each layer. Its 32 heads share nothing.",
            "How many keys does a layer of A keep for each token?",
            "Multiply by 32.",
        ),
        said(
            "four-bytes-in-a",
            (11520, 408, 640),
            "Numbers take 4 bytes.",
            "Your A is too large by a factor of 2: numbers take 2 bytes, and keys and values are "
            "two vectors for each head.",
            "Which factors of 2 are in your A?",
            "One is for keys and values, one for the bytes.",
        ),
        said(
            "one-byte-in-c",
            (5760, 408, 320),
            "A latent takes a byte.",
            "Your C is too small by a factor of 2. Its numbers take 2 bytes; only B is in INT8.",
            "How many bytes does C keep for a token in one layer?",
            "512 numbers of 2 bytes, in 40 layers.",
        ),
        said(
            "one-layer-in-c",
            (5760, 408, 16),
            "A model has one latent.",
            "Your C is the cache of one layer. Each of the 40 layers keeps a latent and a rotary "
            "key.",
            "How many latents does C keep for each token?",
            "Multiply by 40.",
        ),
        said(
            "window-and-one",
            (5760, 24 * 2 * 4 * 128 * (TOKENS + 1025) / MEBI, 640),
            "A window leaves out the token itself.",
            "Your B keeps 1,025 tokens in the layers with a window. They keep no more than 1,024.",
            "How many tokens does a window of 1,024 hold?",
            "The newest token is one of them.",
            variants=((5760, 24 * 2 * 4 * 128 * (TOKENS + 1023) / MEBI, 640),),
        ),
        said(
            "keys-only-in-a",
            (2880, 408, 640),
            "A head keeps one vector for each token.",
            "B and C are right. A is too small by a factor of 2: either you count keys or values "
            "only, or one byte for each number; in A a number takes two.",
            "How many vectors does a head of A keep for each token?",
            "B has the same factor of 2.",
            "Double A.",
        ),
        said(
            "keys-only-in-b",
            (5760, 204, 640),
            "A head keeps one vector for each token.",
            "A and C are right. B is too small by a factor of 2: its heads keep keys and values, "
            "and each number takes one whole byte.",
            "How many vectors does a key/value head of B keep for each token?",
            "A has the same factor of 2.",
            "Double B.",
        ),
        said(
            "query-heads",
            (5760, 3264, 640),
            "Each head has keys of its own.",
            "B is eight times too large. Either you count its 32 query heads, of which eight share "
            "one key/value head, or you take INT8 for eight bytes; it has eight bits, one byte.",
            "Which heads does a cache hold? How many bytes has an INT8 number?",
            "Queries are not kept, and eight bits are a byte.",
            "Count the key/value heads, and a byte for each number.",
        ),
        said(
            "windows-ignored",
            (5760, 768, 640),
            "Every layer keeps every token.",
            "A and C are right. In B you let all 48 layers keep all tokens. Half of them have a "
            "window.",
            "How many tokens does a layer with a window hold, after 16,384 were read?",
            "24 layers keep everything, 24 keep 1,024 tokens.",
            "Add the two kinds of layers up.",
        ),
        said(
            "windows-everywhere",
            (5760, 48, 640),
            "A model with windows keeps a window.",
            "A and C are right. In B you give every layer a window. Only every second one has it.",
            "What is kept in the layers without a window?",
            "24 layers keep everything, 24 keep 1,024 tokens.",
            "Add the two kinds of layers up.",
        ),
        said(
            "windows-are-free",
            (5760, 384, 640),
            "A window is too small to count.",
            "A and C are right. In B you leave out the layers with a window. They keep 1,024 "
            "tokens each.",
            "What does a layer read that looks at 1,024 tokens?",
            "It keeps a sixteenth of the tokens that a full layer keeps here.",
            "Add 24 layers of 1,024 tokens.",
        ),
        said(
            "two-bytes-each",
            (5760, 816, 640),
            "A number takes two bytes.",
            "B is too large by a factor of 2: a number in INT8 is one byte.",
            "How many bits has INT8?",
            "A and C have 16 bits, B has 8.",
            "Halve B.",
        ),
        said(
            "latent-twice",
            (5760, 408, 1280),
            "Keys and values are always two.",
            "A and B are right. In C you count two latents, for keys and for values, or 4 bytes a "
            "number. Both are made from the same latent, of 2 bytes a number.",
            "What is computed from a latent when it is read?",
            "The formula of MLA has no factor of 2 for keys and values.",
            "Halve C.",
        ),
        said(
            "rotary-key-forgotten",
            (5760, 408, 560),
            "MLA keeps the latent.",
            "A and B are right. In C you leave out the rotary key, which cannot come from the "
            "latent and is kept as well.",
            "Where does RoPE enter in MLA?",
            "A token keeps two vectors in each layer, of different widths.",
            "Add 64 to 448.",
        ),
        said(
            "rotary-key-for-each-head",
            (5760, 408, 5680),
            "Each head has a rotary key.",
            "A and B are right. In C you keep a rotary key for each of the 64 heads. They share "
            "one.",
            "Which part of a rotary pair differs between heads: the query or the key?",
            "The prompt gives their number in a layer.",
            "Count it once.",
        ),
        said(
            "latent-for-each-head",
            (5760, 408, 40960),
            "Each head has a latent.",
            "A and B are right. In C you keep a latent and a rotary key for each of the 64 heads. "
            "All heads of a layer share one of either.",
            "From what are the keys and values of a head computed?",
            "The number and width of the heads do not enter.",
            "Take 448 + 64 numbers for a token and layer.",
            variants=((5760, 408, 35840 + 80),),
        ),
        said(
            "all-heads-of-mla",
            (5760, 408, 20480),
            "64 heads of width 128 have keys and values.",
            "A and B are right. In C you keep the keys and values of all 64 heads. MLA computes "
            "them from the latent whenever they are read.",
            "What does MLA store instead of heads?",
            "The number and width of the heads do not enter.",
            "Take 448 + 64 numbers for a token and layer.",
        ),
        said(
            "a-thousand-thousands",
            tuple(each * MEBI / 1e6 for each in (5760, 408, 640)),
            "A MiB is a million bytes.",
            "Your numbers are megabytes of 1,000,000 bytes. A MiB has 1,048,576.",
            "What is 2 to the power of 20?",
            "16,384 is 16 times 1,024, so most factors cancel.",
            "Divide the bytes by 1024 ** 2.",
            variants=((6039.8, 427.8, 671.1), (6040, 428, 671)),
        ),
        said(
            "one-byte-each",
            (2880, 408, 320),
            "Numbers take one byte.",
            "B is right. A and C are too small by a factor of 2: their numbers take two bytes.",
            "How many bytes does each of the models give a number?",
            "Only B is in INT8.",
            "Double A and C.",
        ),
        said(
            "two-latents-one-rotary-key",
            (5760, 408, 1200),
            "Keys and values have a latent each.",
            "A and B are right. In C you count the latent twice, and the rotary key once. Keys and "
            "values are both made from one latent.",
            "What is computed from a latent when it is read?",
            "The formula of MLA has no factor of 2 for keys and values.",
            "Take 448 + 64 numbers for a token and layer.",
        ),
        said(
            "gibibytes",
            tuple(each / 1024 for each in (5760, 408, 640)),
            "The size of a cache is given in GiB.",
            "Your numbers are GiB. The question asks for MiB.",
            "How many MiB has a GiB?",
            "1,048,576 is 1024 squared.",
            "Multiply by 1,024.",
        ),
        said(
            "bytes",
            tuple(each * MEBI for each in (5760, 408, 640)),
            "The size of a cache is in bytes.",
            "Your numbers are bytes. The question asks for MiB.",
            "How many bytes has a MiB?",
            "16,384 is 16 times 1,024, so most factors cancel.",
            "Divide by 1024 ** 2.",
        ),
        said(
            "one-layer",
            (192, 17, 16),
            "The cache is that of a layer.",
            "Your A and C are those of one layer, and your B that of one layer of each kind. The "
            "cache holds all layers.",
            "How often does a token's vector become a key?",
            "Each layer has keys and values of its own.",
            "Multiply by the number of layers.",
        ),
        said(
            "one-token",
            (360 / 1024, 48 / 1024, 40 / 1024),
            "The cache is that of a token.",
            "Your numbers are the MiB of a single token. The cache holds the whole conversation, "
            "of which half of B's layers keep 1,024 tokens.",
            "How many keys does the last step read in a full layer?",
            "Each token adds to the cache; a layer with a window keeps 1,024 of them.",
            "Multiply by 16,384, and in B the layers with a window by 1,024.",
        ),
        said(
            "kib-of-a-token",
            (360, 48, 40),
            "The size of a cache is that of one token.",
            "Your numbers are the KiB of a single token. The question asks for the MiB of the "
            "whole conversation.",
            "How many tokens are kept in a full layer, and how many in one with a window?",
            "16,384 tokens of 1 KiB each are 16 MiB.",
            "Multiply by 16, and the half of B's layers with a window by 1.",
        ),
    ),
    alternatives=(
        Alternative(
            name="as products of bytes",
            answer=(
                2 * 30 * 32 * 96 * 2 * TOKENS / MEBI,
                2 * 4 * 128 * 24 * (TOKENS + 1024) / MEBI,
                40 * (448 + 64) * 2 * TOKENS / MEBI,
            ),
        ),
        Alternative(name="as a list", answer=[5760.0, 408.0, 640.0]),
    ),
    hints=(
        "Write down, for one token in one layer, how many numbers are kept in A, in B and in C.",
        "Which of keys, values, query heads, layers, windows and bytes enter in which model?",
        "In B a layer keeps 2 · 4 · 128 bytes a token, 1 KiB. How many tokens do 24 + 24 layers "
        "keep?",
    ),
)
