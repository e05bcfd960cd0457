"""How 10.decode_floor goes wrong: wrong bytes."""

from functools import partial

from exercise_bank.ch10.mistakes.decode_floor_code import (
    always_full,
    always_two_bytes,
    bits_of_the_cache,
    bits_of_weights,
    cache_written_too,
    caches_alone,
    for_each_reader,
    in_bits,
    keys_only,
    longer_of_two,
    mean_length,
    newest_only,
    no_cache,
    no_window,
    one_cache,
    one_layer,
    one_window,
    own_position_too,
    padded,
    reads,
    rounded,
    weights_for_each,
    whole_sums,
    wider_window,
)
from exercise_bank.skills import saying

said = saying(lambda count: partial(reads, count))


MISCONCEPTIONS = (
    said(
        "caches-alone",
        caches_alone,
        "Weights are on the chip already.",
        "Your floor does not depend on the weights. A step reads all of them once.",
        "What does a step read if no request has a position yet?",
        "Add weights · weight_bits / 8 bytes.",
    ),
    said(
        "window-off-by-one",
        wider_window,
        "A window leaves the newest position out.",
        "Your requests keep one position more or one less than the window. A request keeps at "
        "most `window` positions.",
        "With a window of 3, how many positions does a request of 10 keep?",
        "Take the smaller of its length and the window.",
        variants=(partial(wider_window, by=-1),),
    ),
    said(
        "weights-for-each",
        weights_for_each,
        "Every request needs a pass over the weights.",
        "Your floor counts the weights once for each request. One step serves them all: the "
        "weights are read once, whatever the batch is, and this is why batches pay.",
        "How often is a matrix read when it is multiplied by 20 rows?",
        "Only the caches are counted for each request.",
    ),
    said(
        "keys-only",
        keys_only,
        "A cache holds keys.",
        "Your cache is half of the right one: a step reads the values of all positions as well "
        "as their keys.",
        "Which vectors does a query average with its attention weights?",
        "Keys and values: 2 · layers · kv · d numbers for each position.",
    ),
    said(
        "one-layer",
        one_layer,
        "There is one cache.",
        "Your cache does not depend on the number of layers. Each layer has its own keys and "
        "values.",
        "Which of your arguments is not used?",
        "A position keeps 2 · kv · d numbers in *each* layer.",
    ),
    said(
        "no-cache",
        no_cache,
        "A step reads the weights.",
        "Your floor is that of the weights alone. The keys and values of all earlier positions are "
        "read as well.",
        "How do your numbers change as the texts grow longer?",
        "Add the bytes of each request's cache.",
    ),
    said(
        "newest-only",
        newest_only,
        "A step reads the newest position.",
        "Your caches have one position for each request. The newest query attends to the keys "
        "of *all* earlier positions.",
        "To which keys does the newest token attend?",
        "A request at position n has n cached positions.",
    ),
    said(
        "padded",
        padded,
        "All caches are as long as the longest.",
        "Each of your requests reads as many positions as the longest one. A request reads only "
        "the positions of its own text.",
        "Two requests have 10 and 40 positions. How many are read?",
        "Add up the lengths.",
    ),
    said(
        "one-cache",
        one_cache,
        "All requests share a cache.",
        "Your floor has one cache, the longest. Each request has its own text and therefore its "
        "own cache.",
        "Two requests have 25 positions each. How many are read?",
        "Add up the lengths.",
    ),
    said(
        "for-each-reader",
        for_each_reader,
        "The step is shared among the requests.",
        "You divide the time of the step by the number of requests. All of them wait for the "
        "whole step; only the time per written token becomes shorter.",
        "How long does one request wait for the next token?",
        "Leave the division out.",
    ),
    said(
        "in-bits",
        in_bits,
        "Bandwidth is in bits.",
        "Your floor is eight times too high: the bandwidth is in bytes per second, and you "
        "divide bits by it.",
        "How many bytes are 16 bits?",
        "Divide by 8.",
    ),
    said(
        "bits-of-weights",
        bits_of_weights,
        "Weights and cache have one dtype.",
        "Your floor does not depend on cache_bits: you keep the cache in the bits of the weights.",
        "Which of your arguments is not used?",
        "Weights may have 4 bits while the cache keeps 16.",
        kind="form",
    ),
    said(
        "always-two-bytes",
        always_two_bytes,
        "A number takes two bytes.",
        "Your floor depends neither on weight_bits nor on cache_bits: every number of yours takes "
        "two bytes.",
        "Which of your arguments are not used?",
        "A number of n bits takes n / 8 bytes.",
        kind="form",
    ),
    said(
        "one-window",
        one_window,
        "The window holds for the sum.",
        "Your caches together are never longer than one window. Each request has its own window.",
        "Two requests have 30 positions each, and the window is 10. How many are read?",
        "Shorten each length before you add.",
    ),
    said(
        "no-window",
        no_window,
        "A window changes the mask, not the reading.",
        "Your floor does not depend on the window. A step need not read keys outside the window.",
        "Which of your arguments is not used?",
        "A request at position n reads n positions, but no more than the window.",
    ),
    said(
        "always-full",
        always_full,
        "A window is always full.",
        "With a window you let each request read all of it, even one that is shorter.",
        "A request has 5 positions, and the window is 10. How many are read?",
        "The smaller of the two counts, for each request.",
    ),
    said(
        "own-position-too",
        own_position_too,
        "The token that is written needs a place in the cache.",
        "You read one position too many for each request. `lengths` gives the positions to "
        "read, and a request with length 0 reads no cache.",
        "What does your function read for a request of length 0?",
        "A request of length n reads n positions.",
    ),
    said(
        "mean-length",
        mean_length,
        "A batch reads the cache of the average request.",
        "Your floor has one cache, of average length. Each request has its own cache, and the "
        "step reads all of them.",
        "Two requests have 25 positions each. How many are read?",
        "Add up the lengths, and do not divide.",
    ),
    said(
        "whole-bytes",
        partial(rounded, up=False),
        "A number takes a whole number of bytes.",
        "You round the bytes of a number down, as `//` does, so numbers of 4 bits take 0 bytes. "
        "Two of them share a byte: each takes half of one.",
        "What is `4 // 8`?",
        "Multiply by the bits first, and divide by 8 at the end, with `/`.",
        variants=(
            partial(rounded, up=False, of="cache"),
            partial(rounded, up=False, of="weights"),
        ),
        kind="form",
    ),
    said(
        "at-least-a-byte",
        partial(rounded, up=True),
        "The smallest thing that memory holds is a byte.",
        "You count a whole byte for each number of 4 bits. They are packed: two of them share a "
        "byte.",
        "How many bytes do 100 numbers of 4 bits take?",
        "Multiply by the bits first, and divide by 8 at the end, with `/`.",
        variants=(
            partial(rounded, up=True, of="cache"),
            partial(rounded, up=True, of="weights"),
        ),
        kind="form",
    ),
    said(
        "whole-sums",
        whole_sums,
        "A number of bytes is whole.",
        "You round the bytes of the weights, or of the caches, down to a whole number. As the "
        "prompt says, they need not be whole.",
        "How many bytes do three weights of 4 bits take?",
        "Divide the bits by 8 with `/`, not with `//`.",
        kind="corner",
    ),
    said(
        "bits-of-the-cache",
        bits_of_the_cache,
        "All numbers have the bits of the cache.",
        "Your floor does not depend on weight_bits: you count the weights in the bits of the "
        "cache.",
        "Which of your arguments is not used?",
        "Weights take weight_bits, cached numbers cache_bits.",
        kind="form",
    ),
    said(
        "longer-of-two",
        longer_of_two,
        "The roofline takes the longer of two times.",
        "Your floor is the longer of two readings. Weights and caches come through the same "
        "memory, so their times add up. The larger of two times applies to arithmetic and "
        "traffic, which can overlap.",
        "Do weights and caches come through different memories?",
        "Add the bytes, and divide once.",
    ),
    said(
        "cache-written-too",
        cache_written_too,
        "The cache is written back.",
        "You move the caches twice. A step reads the whole cache, and writes one position, "
        "which is not counted here.",
        "What changes in a cache in one step?",
        "Count each cache once.",
    ),
)
