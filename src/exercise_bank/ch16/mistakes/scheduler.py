"""How 16.scheduler goes wrong."""

import math
from fractions import Fraction
from typing import Any

from exercise_bank.ch16.mistakes import saying_slips

Queue = list[tuple[str, int]]


def rounds(running: Queue, slips: tuple[str, ...]) -> list[Queue]:
    """Return the running requests, in the order in which they are served."""
    decode = [each for each in running if each[1] == 1]
    read = [each for each in running if each[1] > 1]
    if "in order" in slips:
        return [list(running), []]
    if "readers first" in slips:
        return [read, decode]
    if "shortest first" in slips:
        return [sorted(running, key=lambda each: each[1]), []]
    if "longest first" in slips:
        return [sorted(running, key=lambda each: -each[1]), []]
    if "decodes alone" in slips:
        return [decode, [] if decode else read]
    if "readers alone" in slips:
        return [read or decode, []]
    if "youngest first" in slips:
        return [decode, read[::-1]]
    if "one reader" in slips:
        return [decode, read[:1]]
    return [decode, read]


def joined(
    plan: dict[str, int], line: Queue, budget: int, slots: int, free: float | Fraction, size: int,
    slips: tuple[str, ...],
) -> int:  # fmt: skip
    """Let requests join, and return the remaining budget."""
    line = sorted(line, key=lambda each: each[1]) if "smallest joins first" in slips else line
    line = line[::-1] if "last joins first" in slips else line
    line = line[:1] if "one joins" in slips else line
    if "short joins first" in slips:
        line = [x for x in line if x[1] == 1] + [x for x in line if x[1] > 1]
    for name, missing in line:
        if slots <= 0 or budget <= 0:
            if "zeros" in slips and slots > 0 and budget == 0:
                plan[name] = 0
            break
        count = min(missing, budget)
        pages: int | Fraction = math.ceil(missing / size)
        if "pages down" in slips:
            pages = missing // size
        if "room in tokens" in slips:
            pages = Fraction(missing, size)
        if "pages of the chunk" in slips:
            pages = math.ceil(count / size)
        if "a token more" in slips:
            pages = missing // size + 1
        if "tokens for pages" in slips:
            pages = missing
        if "one page" in slips:
            pages = 1
        if "no pages" in slips:
            pages = 0
        if pages > free or ("never full" in slips and pages == free):
            if "overtakes" in slips:
                continue
            break
        if "whole prompts join" in slips and missing > budget:
            break
        if "whole prompts join, place kept" in slips and missing > budget:
            free, slots = free - pages, slots - 1
            continue
        if "whole prompts join, others try" in slips and missing > budget:
            continue
        if "whole prompt at once" in slips:
            count = missing
        if "pages for chunks" in slips:
            count = min(count, size)
        if "one position joins" in slips:
            count = 1
        plan[name] = count
        budget -= 0 if "budget for each" in slips or "joining is free" in slips else count
        free -= 0 if "pages stay" in slips else pages
        slots -= 1
    return budget


def slipped(
    running: Queue, waiting: Queue, budget: int, slots: int, free: int, size: int, *,
    slips: tuple[str, ...],
) -> Any:  # fmt: skip
    """Plan a step correctly except for the slips."""
    plan: dict[str, int] = {}
    begun = budget
    if "pages again" in slips:
        free -= sum(math.ceil(missing / size) for _, missing in running)
    left = slots - len(running)
    if "slots for joining" in slips:
        left = slots
    if "a slot more" in slips:
        left += 1
    if "no slots" in slips:
        left = len(waiting)
    if "no slots if one is free" in slips and left > 0:
        left = len(waiting)
    if "slots in all" in slips:
        left = slots - sum(missing == 1 for _, missing in running)
    if "static" in slips and running:
        left = 0
    reading = any(missing > 1 for _, missing in running)
    if "not beside reading" in slips and reading:
        left = 0
    if "not beside decoding" in slips and any(missing == 1 for _, missing in running):
        left = 0
    if "waiting first" in slips:
        budget = joined(plan, waiting, budget, left, free, size, slips)
    if "ones join first" in slips:
        ones = [each for each in waiting if each[1] == 1]
        ahead: dict[str, int] = {}
        joined(ahead, ones, budget - sum(x[1] == 1 for x in running), left, free, size, slips)
        budget, left, free = budget - len(ahead), left - len(ahead), free - len(ahead)
        plan |= ahead
        waiting = [each for each in waiting if each[0] not in ahead]
    decode, read = rounds(running, slips)
    if "one for each first" in slips:
        plan |= dict.fromkeys([name for name, _ in running][:budget], 1)
        budget -= len(plan)
        for name, missing in running:
            plan[name] = plan.get(name, 0) + min(missing - 1, budget)
            budget -= min(missing - 1, budget)
        decode, read = [], []
    for number, group in enumerate((decode, read)):
        if number and "waiting before reading" in slips:
            budget = joined(plan, waiting, budget, left, free, size, slips)
        share = budget // len(group) if group else 0
        at_first = budget
        for name, missing in group:
            count = min(missing, budget)
            if "equal shares" in slips and number:
                count = min(missing, share)
            if "pages for chunks" in slips:
                count = min(count, size)
            if "one position each" in slips:
                count = min(1, budget)
            if "whole prompts" in slips and missing > budget:
                continue
            if "whole prompts or nothing" in slips and missing > budget:
                break
            if "whole prompt at once" in slips and budget > 0:
                count = missing
            if "one is kept for each" in slips and number and count == missing:
                count = missing - 1
            if count or {"zeros", "zeros of those that run"} & set(slips):
                plan[name] = count
            decoding = "decoding is free" in slips and missing == 1
            budget -= 0 if "budget for each" in slips or decoding else count
        if "budget for each prompt" in slips and number:
            plan |= {name: min(missing, at_first) for name, missing in group if at_first}
            budget = max(0, at_first - sum(plan[name] for name, _ in group if at_first))
    if "counted twice" in slips:
        left -= len(plan)
    if "budget is for joining" in slips:
        budget = begun
    if not {"waiting first", "waiting before reading"} & set(slips):
        joined(plan, waiting, budget, left, free, size, slips)
    if "what is left" in slips:
        missing_of = dict([*running, *waiting])
        return {name: missing_of[name] - count for name, count in plan.items()}
    if "pairs" in slips:
        return list(plan.items())
    if "names" in slips:
        return list(plan)
    if "takes out" in slips:
        waiting[:] = [each for each in waiting if each[0] not in plan]
    return plan


said = saying_slips(slipped)

FIRST = (
    "One user reads an answer as it appears, and another user's long prompt arrives. What does the "
    "first user see?",
    "All that miss one position come before all that miss more, whatever their order.",
)
CHUNK = (
    "A prompt is longer than the budget. When does your function begin to read it?",
    "A request gets all that it misses, or the rest of the budget: the smaller of the two.",
)
LINE = (
    "Which request is first in line, and what can keep it out of this step?",
    "Join in order while budget, slots and pages are left; all three shrink as requests join.",
)
PAGE = (
    "How many pages does the prompt need once it has been read completely?",
    "The prompt's positions divided by `size`, rounded up; requests behind it cannot have them.",
)
STOP = (
    "A long prompt waits in front, and short ones keep arriving. When does it join?",
    "Stop at the first in line that cannot join. Pages that get free are then kept for it.",
)
FORM = ("What does the example return?", "A dict: names to counts, for those with a count of 1 up.")

MISCONCEPTIONS = (
    said("in-order-of-arrival", "in order", "First come, first served.",
         "You serve those that run in the order of the list: a long prompt in front takes the "
         "budget, and the next tokens of those behind it stall.", *FIRST),
    said("prompts-first", "readers first", "A first token should come soon.",
         "You read prompts before you decode: every request that decodes waits for them.",
         *FIRST),
    said("shortest-first", "shortest first", "Short work first is fastest on average.",
         "You sort by the number of missing positions. This puts decodes first, but a long prompt "
         "comes last as long as shorter ones arrive.", *FIRST),
    said("longest-first", "longest first", "Long work first.",
         "You serve the request that misses most first, so those that decode come last.", *FIRST),
    said("decoding-alone", "decodes alone", "A step decodes or reads.",
         "You read no prompt in a step that decodes. As long as any request decodes, no prompt "
         "is read.", *FIRST),
    said("decoding-alone-nobody-joins", ("decodes alone", "not beside decoding"),
         "A step decodes or reads.",
         "You read no prompt in a step that decodes, and let no request join: as long as one "
         "decodes, all others wait.", *FIRST),
    said("reading-alone", "readers alone", "A step reads or decodes.",
         "You decode nothing in a step that reads prompts.", *FIRST),
    said("youngest-prompt-first", "youngest first", "The last one comes first.",
         "You read the youngest prompt first.", *CHUNK),
    said("one-prompt-a-step", "one reader", "A step reads one prompt.",
         "You read one prompt a step; the rest of the budget is lost to the next one.", *CHUNK),
    said("equal-shares", "equal shares", "The rest is shared alike.",
         "You divide the budget evenly among the prompts. They should get it in order, each as "
         "much as it misses or as is left.",
         *CHUNK),
    said("budget-for-each-prompt", "budget for each prompt",
         "A prompt is read in chunks of what decoding leaves.",
         "You give every prompt the whole budget that decoding leaves, and do not subtract the "
         "share of the prompts before it.", *CHUNK),
    said("one-position-each", "one position each", "Each request computes one position.",
         "You compute one position of each request that runs; a prompt may be read in large "
         "chunks.", *CHUNK),
    said("last-position-kept-back", "one is kept for each", "A prompt ends with a decoding step.",
         "You leave one position of a prompt out that would fit.", *CHUNK),
    said("whole-prompts-only", ("whole prompts", "whole prompts join"), "A prompt is not divided.",
         "You leave out a prompt that is longer than the rest of the budget; one that is longer "
         "than the whole budget is never read.", *CHUNK),
    said("whole-prompts-only-others-try", ("whole prompts", "whole prompts join, others try"),
         "A prompt is not divided; a shorter one may fit.",
         "You leave out a prompt that is longer than the rest of the budget, and let shorter ones "
         "go before it.", *CHUNK),
    said("whole-prompts-only-place-kept", ("whole prompts", "whole prompts join, place kept"),
         "A prompt is not divided; it keeps its place.",
         "You leave out a prompt that is longer than the rest of the budget, and keep a slot and "
         "pages for it; one that is longer than the whole budget is never read.", *CHUNK),
    said("running-prompts-whole", "whole prompts", "Chunks are for those that join.",
         "You divide the prompts of requests that join. A running prompt is then never read on "
         "while it misses more than the rest of the budget.", *CHUNK),
    said("stop-at-a-long-prompt", ("whole prompts or nothing", "whole prompts join"),
         "A prompt that does not fit ends the step.",
         "You end the step at a prompt that is longer than the rest of the budget.", *CHUNK),
    said("joining-prompts-whole", "whole prompts join", "A prompt begins only if it ends.",
         "With you, a request that waits joins only if its whole prompt fits into the budget that "
         "is left. It should join, and begin with a chunk.", *CHUNK),
    said("joining-whole-others-try", "whole prompts join, others try",
         "A prompt begins only if it ends; a shorter one may.",
         "With you, a request that waits joins only if its whole prompt fits into the budget that "
         "is left, and shorter ones behind it go before.", *CHUNK),
    said("a-page-at-a-time", "pages for chunks", "A chunk is a page.",
         "You compute at most `size` positions of a prompt. That is the room of a page; a chunk is "
         "as large as the budget lets it be.", *CHUNK),
    said("one-for-each-first", "one for each first", "Each computes at least one position.",
         "You give one position to each that runs, and hand out the rest then. Those that read go "
         "in order: as much as the first misses, then the next.", *CHUNK),
    said("budget-for-each", "budget for each", "Each request has the budget.",
         "You do not subtract the positions of a request from the budget: the step has one for "
         "all.", *CHUNK),
    said("over-the-budget", "whole prompt at once", "As long as there is budget, all is computed.",
         "You compute all that a request misses if any budget is left, so the step exceeds it.",
         *CHUNK),
    said("decoding-is-free", "decoding is free", "The budget is for prompts.",
         "You do not count those that decode: they compute a position each.", *CHUNK),
    said("joining-is-free", "joining is free", "The budget is for those that run.",
         "You do not take from the budget what those that join compute.", *LINE),
    said("budget-begins-again", "budget is for joining", "Those that join have their own budget.",
         "You give those that join the whole budget again.", *LINE),
    said("joining-one-position", "one position joins", "A request joins with one position.",
         "Each request that joins gets one position; there is budget for a chunk.", *LINE),
    said("waiting-first", "waiting first", "The waiting requests have waited longest.",
         "You serve those that wait before all that run.", *LINE),
    said("waiting-before-reading", "waiting before reading", "Waiting comes before reading.",
         "You let requests join before those that run have read their prompts.", *LINE),
    said("batch-after-batch", "static", "A batch ends before the next begins.",
         "No request joins while another runs: static batching.", *LINE),
    said("not-beside-a-prompt", "not beside reading", "One prompt at a time.",
         "No request joins while a prompt is being read, though budget is left.", *LINE),
    said("not-beside-decoding", "not beside decoding", "Decoding is not disturbed.",
         "No request joins while another decodes.", *LINE),
    said("one-joins", "one joins", "One request joins a step.",
         "You let one request join a step, though budget and slots are left.", *LINE),
    said("no-slots", "no slots", "The budget is limit enough.",
         "You let more requests run than there are slots.", *LINE),
    said("slots-before-the-step", "no slots if one is free", "The slots are counted before.",
         "You compare the slots with the requests that ran before the step, and do not count "
         "those that have just joined: where one slot is free, several may join.", *LINE),
    said("slots-for-joining", "slots for joining", "The slots are for joining.",
         "You let as many join as there are slots, though those that run hold some.", *LINE),
    said("a-slot-too-many", "a slot more", "At most means one more.",
         "You let one request more run than there are slots.", *LINE, kind="form"),
    said("slots-counted-twice", "counted twice", "Slots go to those that run and to the plan.",
         "You count the slots of running requests twice: they are in your plan already.", *LINE),
    said("slots-of-the-decoding", "slots in all", "Slots are held by those that decode.",
         "You count only the slots of decoding requests. Those that read a prompt hold one, "
         "too.", *LINE),
    said("smallest-joins-first", "smallest joins first", "Short prompts first.",
         "You sort those that wait by length: a long one waits for ever.", *STOP),
    said("one-token-joins-first", "ones join first", "A request that misses 1 decodes.",
         "You treat a waiting prompt with one token like a decoding request: it overtakes those "
         "that read, and those that have waited longer.", *STOP),
    said("one-token-first-in-line", "short joins first", "A request that misses 1 decodes.",
         "You let waiting prompts of one token join before those that have waited longer.", *STOP),
    said("last-joins-first", "last joins first", "The last one comes first.",
         "You let the last in line join first.", *STOP),
    said("small-overtakes-large", "overtakes", "A request that fits joins.",
         "You let later requests overtake one that finds too few free pages. While shorter ones "
         "keep coming, there may never be enough for it.", *STOP),
    said("no-pages", "no pages", "Pages come by themselves.",
         "You let requests join whose pages are not free.", *PAGE),
    said("pages-rounded-down", "pages down", "Full pages count.",
         "You round a prompt's pages down; the last one is begun.", *PAGE),
    said("room-in-tokens", "room in tokens", "Free pages are room for tokens.",
         "You count the room in tokens, so that requests share a page that is not full. Each takes "
         "whole pages of its own.", *PAGE),
    said("pages-of-the-chunk", "pages of the chunk", "A step needs pages for its positions.",
         "You ask for the pages of the first chunk only. Later chunks may then find no free page, "
         "and the prompt stays half read.", *PAGE),
    said("a-page-for-the-answer", "a token more", "The next token needs room.",
         "You ask for a page for the next token when the prompt fills its last page. Ask for the "
         "pages of the prompt only.", *PAGE, kind="form"),
    said("pages-are-tokens", "tokens for pages", "A token needs a page.",
         "You compare tokens with pages.", *PAGE),
    said("one-page-each", "one page", "A request needs a page.",
         "You ask for one page, however long the prompt.", *PAGE),
    said("pages-of-those-that-run-again", "pages again", "All share the free pages.",
         "You take pages from those that are free for requests that run. They got theirs when "
         "they joined.", *PAGE),
    said("pages-stay-free", "pages stay", "Free pages are free.",
         "You do not take the pages of one that joins from those that are free.", *PAGE),
    said("never-the-last-page", "never full", "A page is kept in reserve.",
         "You leave out a request that needs exactly the pages that are free.", *PAGE, kind="form"),
    said("zeros-in-the-plan", "zeros", "Everyone is in the plan.",
         "Your plan has counts of 0. Leave out the requests that compute nothing.", *FORM,
         variants=("zeros of those that run",), kind="form"),
    said("what-is-left", "what is left", "The plan lists the missing positions.",
         "You return how many positions are missing after the step. The task asks how many it "
         "computes.", *FORM),
    said("pairs-for-dict", "pairs", "A list of pairs is a plan.",
         "You return a list. The task asks for a dict.", *FORM, kind="form"),
    said("names-for-dict", "names", "A plan is a list of names.",
         "You return names. The task asks for a dict with counts.", *FORM),
    said("queue-is-changed", "takes out", "A request that joins leaves the queue.",
         "You take requests out of the list that you were handed. Work on a copy.", *FORM,
         kind="form"),
    said("no-pages-and-no-slots", ("no pages", "no slots"), "The budget is limit enough.",
         "You look at the budget only: neither slots nor pages keep a request out.", *LINE),
    said("pages-rounded-down-and-stay", ("pages down", "pages stay"),
         "Full pages count, and stay free.",
         "You round a prompt's pages down, and do not take them from those that are free.", *PAGE),
    said("overtakes-and-pages-stay", ("overtakes", "pages stay"), "A request that fits joins.",
         "You let later requests overtake one that finds too few free pages, and do not subtract "
         "the pages of one that joins.", *STOP),
    said("overtakes-on-pages-down", ("overtakes", "pages down"), "A request that fits joins.",
         "You round a prompt's pages down, and let later requests overtake one that finds too few.",
         *STOP),
)  # fmt: skip
