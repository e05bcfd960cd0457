"""Question 08.walk_home: the entropy of a small grammar, by hand."""

import math

from plaincourse.exercise import Alternative, Misconception, Question

NATS = 3 * math.log(2)

TASK = Question(
    id="08.walk_home",
    title="The entropy of a walk",
    level="medium",
    minutes=10,
    concepts=("corpus-of-known-entropy", "loss-floor"),
    points=3.0,
    answer=(NATS, 3.0, 1.0),
    misconceptions=(
        Misconception(
            name="one-choice-only",
            answer=(1.5 * math.log(2), 2.0, 0.75),
            believed="A walk is one choice.",
            says="Your entropy is that of the first choice alone. After “left” or “right” the walk "
            "continues with another choice. And 2 words are a mean walk without “stop”, or the "
            "shortest sentence with it.",
            hints=(
                "What follows the word left?",
                "H appears on both sides of its equation.",
                "Write H = h + ½ H, and the same for the length.",
            ),
        ),
        Misconception(
            name="entropy-of-one-choice",
            answer=(1.5 * math.log(2), 3.0, 0.5),
            believed="A sentence costs one choice.",
            says="Your length is right, and your entropy is that of one choice. After “left” or "
            "“right” another choice follows; on average a sentence has two choices.",
            hints=(
                "What follows the word left?",
                "H appears on both sides of its equation.",
                "Write H = h + ½ H.",
            ),
        ),
        Misconception(
            name="entropy-of-one-choice-in-bits",
            answer=(1.5, 3.0, 0.5),
            variants=((1.5, 2.0, 0.75), (1.5, 3.0, 1.0)),
            believed="A sentence costs one choice, and entropy is in bits.",
            says="Your first number is the entropy of one choice, and it is in bits. After “left” "
            "or “right” another choice follows, and the task asks for nats.",
            hints=(
                "What follows the word left?",
                "H appears on both sides of its equation.",
                "Write H = h + ½ H, and multiply by ln 2.",
            ),
        ),
        Misconception(
            name="entropy-of-one-choice-as-rate-in-nats",
            answer=(1.5 * math.log(2), 3.0, 0.5 * math.log(2)),
            believed="A sentence costs one choice, and the rate is in nats.",
            says="Your entropy is that of one choice; after “left” or “right” another choice "
            "follows. And your last number is in nats, but the task asks for bits.",
            hints=(
                "What follows the word left?",
                "Write H = h + ½ H.",
                "How many bits is a nat?",
            ),
        ),
        Misconception(
            name="entropy-in-bits",
            answer=(3.0, 3.0, 1.0),
            believed="Entropy is in bits.",
            says="Your first number is in bits, and the task asks for nats.",
            hints=(
                "How many nats is a bit?",
                "The first number is in nats, the last in bits.",
                "Multiply your first number by ln 2.",
            ),
        ),
        Misconception(
            name="rate-in-nats",
            answer=(NATS, 3.0, math.log(2)),
            believed="The rate is in nats.",
            says="Your last number is in nats, and the task asks for bits.",
            hints=(
                "How many bits is a nat?",
                "The first number is in nats, the last in bits.",
                "Divide your last number by ln 2.",
            ),
        ),
        Misconception(
            name="mean-of-the-sentences",
            answer=(NATS, 3.0, 5 - 6 * math.log(2)),
            believed="A rate is averaged over the sentences.",
            says="Your last number is the mean of each sentence's bits per word, in which a short "
            "sentence counts as much as a long one. In a long text every word counts alike: all "
            "bits are divided by all words.",
            hints=(
                "How many words do 1000 sentences have on average, and how many bits?",
                "Divide the mean entropy by the mean length.",
            ),
        ),
        Misconception(
            name="bits-of-a-choice",
            answer=(NATS, 3.0, 1.5),
            believed="Each word is a choice.",
            says="Your last number is the entropy of one choice, 1.5 bits. A sentence of three "
            "words has two choices on average, because “stop” always follows “home”.",
            hints=(
                "How many choices does a sentence have on average, and how many words?",
                "Divide the entropy of a sentence by its mean length.",
            ),
        ),
        Misconception(
            name="bits-of-a-sentence",
            answer=(NATS, 3.0, 3.0),
            believed="The floor is the entropy of a sentence.",
            says="Your last number is the entropy of a whole sentence in bits. The task asks for "
            "bits per word.",
            hints=("How many words does a sentence have on average?", "Divide by the mean length."),
        ),
        Misconception(
            name="no-stop",
            answer=(NATS, 2.0, 1.5),
            believed="The last word does not count.",
            says="Your length leaves out “stop”. It adds no entropy, but it counts as a word.",
            hints=(
                "What are the words of the shortest sentence?",
                "Your walk has the right length. Which word follows?",
                "Add one word.",
            ),
        ),
        Misconception(
            name="equal-choices",
            answer=(2 * math.log(3), 3.0, 2 * math.log2(3) / 3),
            believed="Three choices cost ln 3.",
            says="You count ln 3 for each choice, as if the three options were equally likely.",
            hints=(
                "How likely is “home”?",
                "A choice costs the mean of −ln of its probabilities.",
                "Compute ¼ ln 4 + ¼ ln 4 + ½ ln 2.",
            ),
        ),
        Misconception(
            name="another-walk-after-one-word-alone",
            answer=(2 * math.log(2), 7 / 3, 6 / 7),
            believed="A walk goes on after one of the words.",
            says="You count another walk with the probability ¼. It follows after “left” and "
            "after “right”, so the two add up to ½.",
            hints=(
                "After which words does the walk go on?",
                "How likely is it that one of the two comes?",
                "Write H = h + ½ H, and the same for the length.",
            ),
        ),
        Misconception(
            name="shortest-sentence",
            answer=(math.log(2), 2.0, 0.5),
            believed="The most probable sentence represents all.",
            says="These are the numbers of the sentence “home stop” alone.",
            hints=(
                "Which other sentences exist, and how probable are they?",
                "An entropy is a mean over all sentences.",
                "Write an equation with H on both sides.",
            ),
        ),
    ),
    alternatives=(Alternative(name="rounded to three places", answer=(2.079, 3, 1)),),
    parts={
        "the entropy in nats": (0,),
        "the mean length": (1,),
        "the floor in bits, with the length that it comes from": (1, 2),
    },
    hints=(
        "Call the entropy of Walk H, and write it as the entropy of one choice plus the mean "
        "entropy of the part that follows.",
        "The mean length has an equation of the same kind.",
        "A rate is entropy per word.",
    ),
)
