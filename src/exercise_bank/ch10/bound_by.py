"""Question 10.bound_by: two kernels under the roofline of a machine, by hand.

With r rows the first kernel does r · 32e6 FLOPs and moves r · 16e3 + 32e6 bytes: in microseconds
r · 4/15 against r · 0.008 + 16, which meet at r = 61.9. The second does 72e6 FLOPs for 360e3 bytes.
"""

from exercise_bank.skills import said
from plaincourse.exercise import Alternative, Question

TASK = Question(
    id="10.bound_by",
    title="Two kernels, two limits",
    level="medium",
    minutes=10,
    concepts=("roofline",),
    points=3.0,
    answer=(16.16, 0.6, 62),
    tolerance=0.006,
    misconceptions=(
        said(
            "the-shorter",
            (16 / 3, 0.18, 62),
            "The faster of the two limits decides.",
            "Your two times are the shorter ones of each kernel. A kernel has to finish its "
            "arithmetic *and* its traffic, so even at best it waits for the one that takes "
            "longer.",
            "Kernel A: how long does its arithmetic take, how long its traffic?",
            "The least time is the larger of the two.",
            variants=((16 / 3, 0.18, 60), (16 / 3, 0.18, 61)),
        ),
        said(
            "added-up",
            (16.16 + 16 / 3, 0.78, 62),
            "Arithmetic and traffic take turns.",
            "Your two times are sums. A machine can compute while it moves bytes, so the roofline "
            "takes the longer of the two times.",
            "Must the arithmetic wait until the last byte has come?",
            "Take the larger, not the sum.",
            variants=((16.16 + 16 / 3, 0.78, 60), (16.16 + 16 / 3, 0.78, 61)),
        ),
        said(
            "added-up-in-b",
            (16.16, 0.78, 62),
            "Arithmetic and traffic of one kernel take turns.",
            "Your time of B is a sum. A machine can compute while it moves bytes, so the roofline "
            "takes the longer of the two times.",
            "Must the arithmetic wait until the last byte has come?",
            "Take the larger, not the sum.",
        ),
        said(
            "added-up-in-a",
            (16.16 + 16 / 3, 0.6, 62),
            "Arithmetic and traffic of one product take turns.",
            "Your time of A is a sum. A machine can compute while it moves bytes, so the roofline "
            "takes the longer of the two times.",
            "Must the arithmetic wait until the last byte has come?",
            "Take the larger, not the sum.",
        ),
        said(
            "half-the-rows",
            (16.16, 0.6, 31),
            "Traffic of the rows is counted in numbers.",
            "Both times are right. Your number of rows is about half of the right one: one of its "
            "two times is off by a factor of 2.",
            "With 31 rows, what are the arithmetic and the traffic of A, in µs?",
            "Write both times as functions of r, and find where they are equal.",
            variants=((16.16, 0.6, 30),),
        ),
        said(
            "twice-the-rows",
            (16.16, 0.6, 124),
            "Arithmetic of the rows counts a multiplication and its addition as one.",
            "Both times are right. Your number of rows is about twice the right one: one of its "
            "two times is off by a factor of 2.",
            "With 62 rows, what are the arithmetic and the traffic of A, in µs?",
            "Write both times as functions of r, and find where they are equal.",
            variants=((16.16, 0.6, 120), (16.16, 0.6, 128), (16.16, 0.6, 123), (16.16, 0.6, 127)),
        ),
        said(
            "one-row-more",
            (16.16, 0.6, 63),
            "Above the crossing is the number after next.",
            "Both times are right. With 62 rows the arithmetic of A already takes longer than its "
            "traffic.",
            "What are both times with 62 rows?",
            "The least whole number above 61.9 was asked for.",
        ),
        said(
            "rows-besides",
            (16.16, 0.6, 42),
            "Rows are counted from the 20 that are there.",
            "Both times are right. You give how many rows more it takes. The number of all rows "
            "was asked for.",
            "How many rows has A then in all?",
            "Add the 20.",
        ),
        said(
            "arithmetic-alone",
            (16 / 3, 0.6, 62),
            "A kernel takes as long as its FLOPs.",
            "Your time of A is that of its FLOPs. Reading its matrix takes longer, and the kernel "
            "has to wait for it.",
            "How many bytes has a matrix of 4000 × 4000 in bfloat16?",
            "Set FLOPs over the peak against bytes over the bandwidth.",
            variants=((16 / 3, 0.6, 60), (16 / 3, 0.6, 61)),
        ),
        said(
            "traffic-alone",
            (16.16, 0.18, 62),
            "A kernel takes as long as its bytes.",
            "Your time of B is the time for its bytes. B does 200 FLOPs per byte, which is above "
            "the ridge of this machine, so its arithmetic takes longer.",
            "What is the ridge of the machine, and what is the intensity of B?",
            "Set FLOPs over the peak against bytes over the bandwidth.",
            variants=((16.16, 0.18, 60), (16.16, 0.18, 61)),
        ),
        said(
            "multiply-adds",
            (16.16, 0.3, 128),
            "A multiplication and its addition are one FLOP.",
            "You count half of the FLOPs: that halves the time of B, and A then needs more rows to "
            "be compute-bound. Peaks count a multiplication and its addition as two.",
            "How many FLOPs has a dot product of width 100?",
            "A product of a × b and b × c takes 2abc.",
            variants=((16.16, 0.3, 127), (16.16, 0.3, 120)),
        ),
        said(
            "four-bytes",
            (32.32, 0.6, 128),
            "A number takes 4 bytes.",
            "Your time of A is that of numbers in float32. These are in bfloat16.",
            "How many bits has a number in bfloat16?",
            "Every number takes 2 bytes.",
            variants=((32.32, 0.6, 127), (32.32, 0.6, 62), (32.16, 0.6, 62)),
        ),
        said(
            "one-byte",
            (8.08, 0.6, 31),
            "Traffic is a count of numbers.",
            "Your time of A has half of the right traffic: a number in bfloat16 takes two bytes.",
            "How many bits has a number in bfloat16?",
            "Multiply the count of numbers by 2.",
            variants=((8.08, 0.6, 30), (8.08, 0.6, 62)),
        ),
        said(
            "weights-only",
            (16.0, 0.6, 60),
            "A product moves only its matrix of weights.",
            "You count the bytes of the matrix alone. Its input and its output cross the memory "
            "too. That is little for 20 rows, but enough to make the last number more than 60.",
            "How many bytes do 20 rows of width 4000 have, going in and coming out?",
            "The bytes of A are r · 8000 for the input, the same for the output, and 32 million.",
        ),
        said(
            "weights-only-in-time",
            (16.0, 0.6, 62),
            "Input and output of a product can be neglected.",
            "Your number of rows is right, and your time of A is that of its matrix alone. Input "
            "and output cross the memory too; you have counted them for the last number.",
            "How many bytes do 20 rows of width 4000 have, going in and coming out?",
            "The bytes of A are 20 · 8000 for the input, the same for the output, and 32 million.",
        ),
        said(
            "weights-only-above",
            (16.0, 0.6, 61),
            "A product moves only its matrix of weights, and 60 rows are a tie.",
            "Your time of A is that of the matrix alone. Its input and its output cross the memory "
            "too. Counted with them, the traffic of 61 rows still takes longer than their "
            "arithmetic.",
            "How many bytes do 20 rows of width 4000 have, going in and coming out?",
            "The bytes of A are r · 8000 for the input, the same for the output, and 32 million.",
        ),
        said(
            "rows-are-the-ridge",
            (16.16, 0.6, 60),
            "A product of r rows has intensity r.",
            "Both times are right. If the matrix were all that is moved, its intensity in bfloat16 "
            "would be the number of rows. Input and output are bytes as well.",
            "What is the intensity of A with 60 rows?",
            "Write both times as functions of r, and find where they are equal.",
        ),
        said(
            "rounded-down",
            (16.16, 0.6, 61),
            "Where the two limits meet, round.",
            "Both times are right. With 61 rows the traffic of A still takes a little longer than "
            "its arithmetic. Its traffic grows with the rows, too: 16,000 bytes for each, besides "
            "the weights. The limits cross between 61 and 62 rows.",
            "What are both times with 61 rows?",
            "Set r · 4/15 against 16 + r · 0.008, and take the least whole number above the "
            "crossing.",
        ),
        said(
            "not-whole",
            (16.16, 0.6, 61.86),
            "The crossing is the answer.",
            "Both times are right, and your third number is where they cross. A whole number of "
            "rows was asked for, one with which the arithmetic takes longer.",
            "How many whole rows lie just above the crossing?",
            "Round up.",
            variants=((16.16, 0.6, 61.9), (16.16, 0.6, 61.8)),
        ),
        said(
            "output-forgotten",
            (16.08, 0.6, 61),
            "Only reading moves bytes.",
            "Your time of A lacks its output, or its input. The output of A is as large as its "
            "input, and both cross the memory.",
            "Where do the results go?",
            "Add one output to each kernel.",
            variants=((16.08, 0.6, 60), (16.08, 0.6, 62)),
        ),
        said(
            "written-out",
            (16.16, 1.26, 62),
            "Attention always moves its scores.",
            "Your time of B is that of attention in four kernels, which move the scores six times. "
            "B is one kernel, and its scores never reach memory.",
            "Which four matrices does B read or write?",
            "The bytes of B are those of Q, K, V and O.",
        ),
        said(
            "four-passes",
            (16.16, 0.9, 62),
            "Attention always moves its scores and weights.",
            "Your time of B has scores and weights written to memory and read again. B is one "
            "kernel, and they never leave the chip.",
            "Which four matrices does B read or write?",
            "The bytes of B are those of Q, K, V and O.",
        ),
        said(
            "softmax-counted",
            (16.16, 0.609, 62),
            "A count of FLOPs leaves nothing out.",
            "Your time of B has the FLOPs of its softmax in it, 1.5% more. Those of its two "
            "products only were asked for.",
            "Which FLOPs of B does the prompt ask for?",
            "The FLOPs are 4qkd.",
        ),
        said(
            "in-seconds",
            (16.16e-6, 0.6e-6, 62),
            "Times are in seconds.",
            "Your times are in seconds. They were asked for in microseconds, of which a second has "
            "a million.",
            "What does µs mean?",
            "Multiply both times by 10⁶.",
        ),
        said(
            "in-milliseconds",
            (16.16e-3, 0.6e-3, 62),
            "Times are in milliseconds.",
            "Your times are in milliseconds. They were asked for in microseconds, of which a "
            "millisecond has a thousand.",
            "What does µs mean?",
            "Multiply both times by 1000.",
        ),
        said(
            "one-product",
            (16.16, 0.3, 62),
            "Half of the FLOPs are all.",
            "Your time of B is half of the right one. Either one of its two products is "
            "missing (queries with keys, weights with values), or a multiplication and its "
            "addition count as one FLOP.",
            "How many products has attention, and how many FLOPs has a product of a × b and b × c?",
            "The FLOPs are 4qkd.",
        ),
    ),
    alternatives=(
        Alternative(name="rounded", answer=(16.16, 0.60, 62.0)),
        Alternative(name="as quotients", answer=(32.32e6 / 2e12 * 1e6, 72e6 / 120e12 * 1e6, 62)),
    ),
    hints=(
        "Count FLOPs and bytes of each kernel, then divide the FLOPs by the peak and the bytes "
        "by the bandwidth.",
        "A: 2 · 20 · 4000² FLOPs. Its bytes are those of three matrices, two read and one written.",
        "For the last number, write both times of A with r rows in place of 20. Both grow with r, "
        "and the arithmetic grows faster.",
    ),
)
