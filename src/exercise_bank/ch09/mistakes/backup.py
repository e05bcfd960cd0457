"""How 09.backup goes wrong."""

from functools import partial

from exercise_bank.ch09.mistakes import backup_code as code
from exercise_bank.ch09.mistakes import backup_numbers as numbers
from exercise_bank.skills import said

BEYOND = (
    "What would the loss be without both, if each of the two did work of its own?",
    "Add the two single rises, and compare the rise without both with this sum.",
    "Take the pair for which the loss without both exceeds the sum of the losses without one "
    "of them by most.",
)

MISCONCEPTIONS = (
    said(
        "largest-loss-without-both",
        partial(code.best, number=numbers.without_both),
        "The most important pair is the pair of backups.",
        "The pairs that you return are those whose absence costs most. If two heads are each "
        "needed alone, or one is a link of a chain and the other is needed, the loss without both "
        "is large although neither does the other's work.",
        *BEYOND,
        variants=(
            partial(code.best, number=numbers.many_times_whole),
            partial(code.greedy, worst=True),
        ),
    ),
    said(
        "largest-single-losses",
        partial(code.singles, largest=True),
        "The heads that matter show when they are ablated one by one.",
        "You return the two heads whose own ablation costs most. A head that has a backup costs "
        "little alone, because the other does its work.",
        "How large is the loss without one of two heads that do the same work?",
        *BEYOND[1:],
    ),
    said(
        "smallest-single-losses",
        partial(code.singles, largest=False),
        "If the loss hardly rises without a head, the head has a backup.",
        "You return the two heads whose own ablation costs least. The ablation of idle heads costs "
        "equally little; only the loss without both shows the difference.",
        "For which heads does the loss stay the same even without both?",
        *BEYOND[1:],
        variants=(partial(code.best, number=numbers.smaller_singles),),
    ),
    said(
        "beyond-the-worse-of-the-two",
        partial(code.best, number=numbers.beyond_worse),
        "The second head's rise is the shared work.",
        "You measure how far the loss without both exceeds the losses without one. But it also "
        "exceeds them if two heads are needed for different things, because each adds its own "
        "rise.",
        *BEYOND,
        variants=(
            partial(code.best, number=numbers.product_beyond),
            partial(code.best, number=numbers.times_worse),
        ),
    ),
    said(
        "beyond-the-better-of-the-two",
        partial(code.best, number=numbers.beyond_better),
        "The first head's rise is the shared work.",
        "You compare the loss without both with the loss without one of them. The difference is "
        "large for any pair with a head that is needed alone.",
        *BEYOND,
        variants=(
            partial(code.best, number=numbers.beyond_first),
            partial(code.best, number=numbers.beyond_second),
            partial(code.best, number=numbers.times_better),
            partial(code.best, number=numbers.times_better_rise),
        ),
    ),
    said(
        "losses-for-rises",
        partial(code.best, number=numbers.ratio_of_losses),
        "The losses can be compared as they are.",
        "You compare the loss without both with the two single losses as they are, by a ratio or a "
        "mean. Each of them includes the loss of the whole model. If two heads work independently, "
        "only the rises above it add up.",
        "By how much does each loss exceed that of the whole model?",
        *BEYOND[1:],
        variants=(
            partial(code.best, number=numbers.beyond_mean),
            partial(code.best, number=numbers.rise_to_losses),
        ),
    ),
    said(
        "sign-left-out",
        partial(code.best, number=numbers.excess_in_size),
        "Losses of independent heads add up, so any other pair is a backup.",
        "You look for the pair whose loss differs most from that of two independent heads, in "
        "either direction. Links of a chain cost less together than the sum of their rises; "
        "backups cost more.",
        "What does the loss without both links of a chain add to the loss without one?",
        "Chain and backup differ in the sign of the difference.",
        "Leave out the absolute value.",
        variants=(partial(code.best, number=numbers.excess_squared),),
    ),
    said(
        "sign-turned",
        partial(code.best, number=numbers.excess_turned),
        "A backup makes the loss smaller.",
        "You return the pair that costs least beyond the sum of the two single rises. That finds "
        "the links of a chain, in which the others do nothing without one of them.",
        "Does a backup become more or less important if the other head is gone as well?",
        "Backups cost more together than the sum of their rises.",
        "Turn the sign of your difference.",
        variants=(partial(code.best, number=numbers.ratio_turned),),
    ),
    said(
        "idle-alone",
        partial(code.idle_alone, most=0.5, number=numbers.without_both),
        "Heads with a backup cost nothing alone.",
        "You look only among heads that cost little alone. Two heads that can replace each other "
        "may have work of their own besides.",
        "Can a head share one job with another and do a second job by itself?",
        *BEYOND[1:],
        variants=(
            *(
                partial(code.idle_alone, most=most, number=number)
                for most in (0.1, 0.2, 0.3, 0.5, 0.8, 1.0)
                for number in (numbers.without_both, numbers.excess)
                if (most, number) != (0.5, numbers.without_both)
            ),
            *(
                partial(code.idle_alone_if_any, most=most, number=number)
                for most in (0.1, 0.2, 0.3, 0.5)
                for number in (numbers.without_both, numbers.excess)
            ),
            *(
                partial(code.first_idle_and_missed, most=most, least=least)
                for most in (0.1, 0.2, 0.5)
                for least in (0.5, 1.0)
            ),
            *(
                partial(code.idlest, more=more, number=number)
                for more in (0, 1)
                for number in (numbers.without_both, numbers.excess)
            ),
        ),
    ),
    said(
        "single-losses-alike",
        partial(code.best, number=numbers.alike),
        "Two heads with the same work have the same effect.",
        "You return the two heads whose own ablations cost the most alike. Two heads can cost the "
        "same and do different work.",
        "What happens to the work of both if both are gone?",
        *BEYOND[1:],
    ),
    said(
        "second-one-adds-nothing",
        partial(code.best, number=numbers.near_worse),
        "If one is gone, the other no longer matters.",
        "You look for two heads of which the second costs nothing more once the first is gone. "
        "That is true of links of a chain and of heads that do nothing. But a head without its "
        "backup is needed more.",
        "Which ablation costs more: that of a head with a backup, or that of a head whose backup "
        "is gone?",
        *BEYOND[1:],
        variants=(
            partial(code.best, number=numbers.near_first),
            partial(code.best, number=numbers.near_better),
        ),
    ),
    said(
        "smallest-loss-without-both",
        partial(code.best, number=numbers.smallest),
        "Two that can replace each other can go.",
        "You return the pair whose absence costs least. Such heads do nothing; of two heads that "
        "replace each other, one has to stay.",
        "What is left of their work if both are gone?",
        *BEYOND[1:],
    ),
    said(
        "idlest-head-first",
        partial(code.greedy, worst=False),
        "The head whose ablation costs least has a backup.",
        "You fix the head whose own ablation costs least, and then look for its partner. That head "
        "may simply be idle.",
        "Over which pairs do you search?",
        *BEYOND[1:],
    ),
    said(
        "only-two-left",
        partial(code.only_these_left, number=numbers.smallest),
        "The work of two heads shows when all others are silent.",
        "You silence all heads but the two. This shows which two heads do most by themselves, and "
        "not whether one of them does the other's work in the whole model.",
        "Which heads should you silence to test whether the rest can do without them?",
        *BEYOND[1:],
        variants=(
            partial(code.only_these_left, number=numbers.without_both),
            partial(code.one_left, worst=False),
            partial(code.one_left, worst=True),
            partial(code.only_these_left, number=numbers.excess),
            partial(code.only_these_left, number=numbers.excess_turned),
        ),
    ),
    said(
        "first-above-a-threshold",
        partial(code.first_above, rise=1.0),
        "A large rise without both is enough.",
        "You return the first pair whose absence costs more than a threshold. Any pair with a head "
        "that is needed alone passes it.",
        *BEYOND,
        variants=(partial(code.first_above, rise=0.5), partial(code.first_above, rise=0.1)),
    ),
    said(
        "beyond-the-worse-rise-many-times",
        partial(code.best, number=numbers.times_worse_rise),
        "Without both the loss rises many times as much as without one.",
        "You compare the rise without both with a multiple of the single rises. If one of the two "
        "has much work of its own, the rise is not many times larger, although the other is its "
        "backup.",
        "What is the ratio for two heads that are needed equally and do different work?",
        *BEYOND[1:],
        variants=(
            partial(code.first_many_times, factor=1.5),
            partial(code.best, number=numbers.beyond_twice_worse),
        ),
    ),
    said(
        "first-beyond-the-sum",
        partial(code.first_many_times, factor=1.0),
        "Any rise beyond the sum means a backup.",
        "You return the first pair that costs more than the sum of its single rises, by however "
        "little. Small further effects are enough for that.",
        "By how much does each pair exceed the sum?",
        "One pair exceeds it by far more than all others.",
        "Keep the pair with the largest difference, and return it after the loop.",
    ),
    said(
        "first-beyond-the-sum-by-a-tenth",
        partial(code.first_beyond, least=0.1),
        "Small effects are up to 0.1, so more than that is shared work.",
        "You return the first pair that exceeds the sum of its single rises by a small threshold. "
        "Each head alone, and both together, can change the loss by 0.1 up or down, so that an "
        "idle pair can exceed the sum by up to 0.3.",
        "Which pair exceeds the sum by most?",
        "Three small effects can add up.",
        "Keep the pair with the largest difference, and return it after the loop.",
        kind="corner",
    ),
    said(
        "product-of-rises",
        partial(code.best, number=numbers.beyond_product),
        "Independent effects multiply.",
        "You compare the loss without both with the product of the two single rises. Losses in "
        "nats add up: two heads that work independently cost the sum of their rises.",
        *BEYOND,
        variants=(partial(code.best, number=numbers.ratio_to_product),),
    ),
    said(
        "beyond-what-is-usual",
        code.beyond_the_usual,
        "A pair is compared with the other pairs of its heads.",
        "From the loss without both you subtract the average cost of pairs with these heads. Such "
        "averages include the rises of all other heads as well.",
        "Which two losses show the cost of each head by itself?",
        *BEYOND[1:],
        variants=(
            partial(code.beyond_the_usual, alone=0),
            partial(code.beyond_the_usual, alone=0, rises=True),
        ),
    ),
    said(
        "neighbours-only",
        partial(code.best, number=numbers.excess, among=code.neighbours),
        "The backup of a head is the next head.",
        "You compare each head with the next one only. The two heads may be any two.",
        "How many pairs do four heads have?",
        "Six, and not three.",
        "Let the second index run over all larger numbers.",
    ),
    said(
        "counted-from-1",
        code.from_1,
        "The first head is head 1.",
        "Both of your numbers are too large by one: heads count from 0.",
        "Which numbers does loss take?",
        "0 to heads - 1.",
        "Return the numbers that you have passed to loss.",
    ),
    said(
        "one-head-twice",
        code.one_head_twice,
        "A head can be its own backup.",
        "You return the same head twice.",
        "Which two numbers may a pair hold?",
        "Search over i < j.",
        *BEYOND[2:],
    ),
    *(
        said(
            f"{place}-head-left-out",
            partial(code.best, number=numbers.excess, among=among),
            "The range is one too short.",
            f"You never try the {place} head of the model.",
            "Which pairs does your loop not reach?",
            "Heads count from 0 to heads - 1.",
            "Let i be each head in turn, and j each head after i.",
            kind="form",
        )
        for place, among in (("first", code.without_first), ("last", code.without_last))
    ),
    said(
        "ends-left-out",
        partial(code.best, number=numbers.excess, among=code.without_ends),
        "The range is one too short at both ends.",
        "You never try the first and the last head of the model.",
        "Which pairs does your loop not reach?",
        "Heads count from 0 to heads - 1.",
        "Let i be each head in turn, and j each head after i.",
        kind="form",
    ),
)
