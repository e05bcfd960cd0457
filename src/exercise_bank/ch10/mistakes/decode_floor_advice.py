"""How 10.decode_floor goes wrong: a wrong conclusion from the right floor."""

from functools import partial

from exercise_bank.ch10.mistakes.decode_floor_code import concludes
from exercise_bank.skills import saying

said = saying(lambda kind: partial(concludes, kind))

ADVICE = (
    said(
        "never-bytes",
        "never bytes",
        "A better program can reach any target.",
        "You advise a better program even if the floor is above the target. No program for these "
        "bytes is faster than the floor, so it cannot reach the target.",
        "How fast is the best program that reads the same bytes?",
        "Advise a program only if the floor is at most the target.",
        variants=("never bytes above the floor",),
    ),
    said(
        "never-a-program",
        "never a program",
        "Decoding is memory-bound, so only the number of bytes counts.",
        "You never advise a better program. If the floor is below the target, the bytes can stay: "
        "the step takes longer than reading them requires.",
        "What does it mean that a step takes three times its floor?",
        "Compare the floor with the target before you shrink anything.",
    ),
    said(
        "program-and-bytes-swapped",
        "backwards",
        "A floor above the target leaves room for a better program.",
        "You advise a better program if the floor is above the target, and fewer bytes if it is "
        "below. It is the other way round: a floor above the target rules out every program.",
        "A step takes 8 s, its floor is 6 s and its target 4 s. Can a better program reach 4 s?",
        "Advise a program if the floor is at most the target.",
    ),
    said(
        "always-weights",
        "always weights",
        "A decode step reads mainly weights.",
        "You never advise smaller caches. In some of these steps the caches of all requests "
        "together are larger than the weights.",
        "How do weights and caches grow with the number of requests?",
        "Compare the bytes of both parts.",
    ),
    said(
        "always-caches",
        "always caches",
        "Long texts are the problem, so the caches are.",
        "You never advise smaller weights. In some of these steps the weights are the larger part "
        "of the reading.",
        "How do weights and caches grow with the number of requests?",
        "Compare the bytes of both parts.",
    ),
    said(
        "the-smaller-part",
        "smaller part",
        "The smaller part is easier to shrink.",
        "You name the part that takes less time to read. Shrinking the larger one saves more.",
        "Weights take 4 s and caches take 1 s. Which of them, halved, saves more?",
        "Name the part with more bytes.",
    ),
    said(
        "cache-of-one-request",
        "one request",
        "The weights compete with the longest cache.",
        "Your floor is right, but your advice compares the weights with the cache of a single "
        "request. A step reads the caches of all requests.",
        "Two requests have caches of 3 GB each, and the weights take 4 GB. Which part is larger?",
        "Compare the weights with the sum of all caches.",
    ),
    said(
        "floor-is-the-time",
        "floor is the time",
        "A step takes as long as its floor.",
        'You answer "done" although the step was slower than its target: you compare the target '
        "with the floor. The floor is the least time that is possible, not the time that the "
        "step took.",
        "Which of the numbers was measured?",
        "Compare `seconds` with the target first.",
    ),
    said(
        "half-of-the-bandwidth",
        "half of the bandwidth",
        "A program is good enough once it reaches half of the bandwidth.",
        "You advise a better program if the step took much longer than its floor, such as twice, "
        "and fewer bytes otherwise. Neither follows: what counts is whether the floor itself is "
        "above the target.",
        "A step takes 1.7 times its floor, and the target is 1.2 times the floor. Is it ruled out?",
        "Compare the floor with the target.",
    ),
    said(
        "one-part-and-the-target",
        "weights above the target",
        "The part that alone takes too long must shrink.",
        "To choose between weights and caches, you compare one of them with the target. Both may "
        "be below it, or above: the part that takes longer to read must shrink first.",
        "Weights take 2 s, caches 3 s, and the target is 4 s. What do you answer?",
        "Compare the bytes of both parts with each other.",
        variants=("caches above the target",),
    ),
    said(
        "numbers-not-bytes",
        "numbers",
        "The part with more numbers takes longer.",
        "Your floor is right, but your advice compares how many numbers weights and caches have. "
        "Their numbers may have different bits, and bytes are what takes time.",
        "100 weights of 4 bits, 60 cached numbers of 16 bits: which take longer to read?",
        "Compare bytes.",
        kind="form",
    ),
    said(
        "recount-at-the-floor",
        "recount at the floor",
        "No step reaches its floor.",
        'You answer "recount" for a step that took exactly its floor. The prompt asks for it if '
        "the step was faster.",
        "Is a step of 3 s faster than a floor of 3 s?",
        "Compare with `<`, not with `<=`.",
        kind="corner",
    ),
    said(
        "no-recount",
        "no recount",
        "A measured time is always possible.",
        "You conclude something from a step that was faster than its floor. That is impossible, "
        "so the bandwidth or the bytes are wrong, and with them the floor.",
        "Can a step take less than its floor?",
        "Check this before everything else.",
        kind="corner",
    ),
    said(
        "done-first",
        "done first",
        "A step that meets its target needs no check.",
        'You answer "done" for a step that met its target and was faster than its floor. The '
        "prompt asks for a recount first, since something in the count is wrong.",
        "In which order does the prompt ask its questions?",
        "Compare `seconds` with the floor before you compare it with the target.",
        kind="corner",
    ),
    said(
        "floor-at-the-target",
        "floor at the target",
        "A floor that equals the target rules it out.",
        "You rule out a better program if the floor equals the target. A step can take exactly "
        "its floor at best, and the target allows that.",
        "The floor is 3 s and the target 3 s. Is the target ruled out?",
        "The floor may be at most the target.",
        kind="corner",
    ),
    said(
        "time-at-the-target",
        "time at the target",
        "A target has to be undercut.",
        "You do not count a step as done if it took exactly its target. It should take at most "
        "the target.",
        "The step took 4 s and the target is 4 s. Is it met?",
        "The measured time may be at most the target.",
        kind="corner",
    ),
    said(
        "caches-at-a-tie",
        "caches at a tie",
        "If both parts are equal, the caches grow later.",
        'You answer "caches" if both parts take equally long to read. The prompt asks for '
        '"weights" then.',
        "Which word does the prompt ask for at a tie?",
        "Name the caches only if they are larger.",
        kind="corner",
    ),
)
