"""How 16.make_room goes wrong."""

import math
from typing import Any

from exercise_bank.ch16.mistakes import saying_slips

Running = list[tuple[str, int, int]]
Queue = list[tuple[str, int]]


def lacking(kept: int, missing: int, count: int, size: int, slips: tuple[str, ...]) -> int:
    """Return the number of pages that a request needs besides its own, with possible slips."""
    if "pages of the whole prompt" in slips:
        count = missing
    if "positions for pages" in slips:
        return count
    if "new pages" in slips:
        return math.ceil(count / size)
    if "all its pages" in slips:
        return math.ceil((kept + count) / size)
    if "pages down" in slips:
        return (kept + count) // size - kept // size
    if "one page at most" in slips:
        return min(1, math.ceil((kept + count) / size) - math.ceil(kept / size))
    if "a page in advance" in slips:
        return (kept + count) // size + 1 - math.ceil(kept / size)
    return math.ceil((kept + count) / size) - math.ceil(kept / size)


def victim(line: Running, place: int, size: int, slips: tuple[str, ...]) -> int:
    """Return the place of the request that gives up its pages."""
    if "the oldest" in slips:
        return 0 if place else len(line) - 1
    if "the next one" in slips:
        return min(place + 1, len(line) - 1)
    if "itself" in slips:
        return place
    behind = range(place, len(line))
    if "the most pages" in slips:
        return max(behind, key=lambda i: (math.ceil(line[i][1] / size), i))
    if "the fewest pages" in slips:
        return min(behind, key=lambda i: (math.ceil(line[i][1] / size), -i))
    if "the most missing" in slips:
        return max(behind, key=lambda i: (line[i][2], i))
    return len(line) - 1


def in_order(running: Running, slips: tuple[str, ...]) -> Running:
    if "decodes first" in slips:
        return sorted(running, key=lambda each: each[2] > 1)
    if "prompts first" in slips:
        return sorted(running, key=lambda each: each[2] == 1)
    if "youngest first" in slips:
        return running[::-1]
    if "shortest first" in slips:
        return sorted(running, key=lambda each: each[2])
    return list(running)


def slipped(
    running: Running, waiting: Queue, free: int, budget: int, size: int, *, slips: tuple[str, ...]
) -> Any:
    """Plan a step correctly except for the slips."""
    line = running if "changes running" in slips else list(running)
    todo = in_order(running, slips)
    out: Running = []
    plan: dict[str, int] = {}
    free_before, taken = free, 0
    for each in todo:
        name, kept, missing = each
        gone = each not in line and "goes on" not in slips
        if gone or (not budget and "zeros" not in slips):
            continue
        count = min(missing, budget)
        if "whole prompts" in slips:
            count = missing
        if "one position each" in slips:
            count = min(1, budget)
        if "whole prompts or nothing" in slips and missing > budget:
            continue
        need = lacking(kept, missing, count, size, slips)
        if "nobody" in slips and need > free:
            continue
        if "ends the step" in slips and need > free:
            break
        if "no pages" in slips:
            need = min(need, free)
        if "smaller chunk" in slips and need > free:
            count = min(count, math.ceil(kept / size) * size + free * size - kept)
            need = lacking(kept, missing, count, size, slips) if count else 0
        if "all behind it" in slips and need > free and each in line:
            place = line.index(each)
            for other in line[:place:-1]:
                out.append(other)
                free += math.ceil(other[1] / size)
            del line[place + 1 :]
        rounds = 0
        reserved = "never the last" in slips and 0 < need == free
        reserved |= "never the last, for nothing" in slips and need == free
        while (need > free or reserved) and line:
            if rounds and "only one" in slips:
                break
            rounds += 1
            if "spares itself" in slips and line[-1] == each:
                break
            place = line.index(each) if each in line else len(line) - 1
            other = line.pop(victim(line, place, size, slips))
            out.append(other)
            planned = plan.pop(other[0], 0)
            pages = math.ceil((other[1] + planned) / size)
            if "frees positions" in slips:
                pages = other[1]
            if "frees full pages" in slips:
                pages = (other[1] + planned) // size
            if "frees one page" in slips:
                pages = 1
            if "frees too late" in slips:
                taken += pages
                pages = 0
            free += pages
            reserved = reserved and need == free
            if other == each:
                break
        if each not in line and "goes on" not in slips:
            continue
        if need > free and {"only one", "spares itself"} & set(slips):
            continue
        if count or "zeros" in slips:
            plan[name] = count
        budget -= 0 if "budget for each" in slips else count
        budget = max(budget, 0)
        free -= 0 if "pages stay free" in slips else need
    free += taken
    return finished(plan, out, waiting, free, free_before, slips)


def finished(
    plan: dict[str, int], out: Running, waiting: Queue, free: int, before: int,
    slips: tuple[str, ...],
) -> Any:  # fmt: skip
    """Return the three results, with possible slips."""
    back = [(name, kept + missing) for name, kept, missing in reversed(out)]
    if "misses as before" in slips:
        back = [(name, missing) for name, _, missing in reversed(out)]
    if "misses the kept" in slips:
        back = [(name, kept) for name, kept, _ in reversed(out)]
    if "last in front" in slips:
        back = back[::-1]
    queue: list[Any] = [*back, *waiting]
    if "at the end" in slips:
        queue = [*waiting, *back]
    if "at the end, last first" in slips:
        queue = [*waiting, *back[::-1]]
    if "only those" in slips:
        queue = list(back)
    if "names" in slips:
        queue = [name for name, _ in queue]
    if "changes waiting" in slips:
        waiting[:0] = back
        queue = waiting
    if "free as before" in slips:
        free = before
    if "pairs" in slips:
        return list(plan.items()), queue, free
    if "queue first" in slips:
        return queue, plan, free
    return plan, queue, free


said = saying_slips(slipped)

ORDER = (
    "Two requests want more than the budget together. Which one arrived first?",
    "Go through `running` as it is; what one request computes is gone for those behind it.",
)
PAGES = (
    "A request keeps 3 positions on a page of 4. Does it need a page for one more? For two more?",
    "Round the pages of kept + count up, and subtract the pages that hold the kept positions.",
)
VICTIM = (
    "Which running request has waited least, and loses least if it is read again?",
    "Take the last one off the list, again and again, until the free pages suffice.",
)
SELF = (
    "What if the request that needs a page is itself the last one that runs?",
    "It gives up its own pages and takes no part in the step.",
)
QUEUE = (
    "In which order did the preempted requests arrive, and what must each one read again?",
    "In front of the queue, by arrival, each with kept + missing positions.",
)
FREE = (
    "Count the pages before and after the step: which requests hold them?",
    "Add the pages of each preempted request, and subtract those that the plan takes.",
)
FORM = (
    "What does the example return?",
    "A tuple of the plan, a dict without counts of 0; a list of pairs; and a number.",
)

MISCONCEPTIONS = (
    said("decodes-first", "decodes first", "Decoding comes before reading.",
         "You let decoding requests go before those that read, whatever their order. Here the "
         "request that arrived first goes first.", *ORDER),
    said("prompts-first", "prompts first", "Reading comes before decoding.",
         "You let requests that read go before those that decode. Here the request that arrived "
         "first goes first.", *ORDER),
    said("youngest-first", "youngest first", "The newest request is the most urgent.",
         "You go through the requests from the last to the first, so the latest arrivals get the "
         "budget.", *ORDER),
    said("shortest-first", "shortest first", "Short work first.",
         "You sort the requests by the positions that they miss. Here the request that arrived "
         "first goes first.", *ORDER),
    said("budget-for-each", "budget for each", "Each request has the budget.",
         "You do not subtract the positions of a request from the budget: the step has one for "
         "all.", *ORDER),
    said("over-the-budget", "whole prompts", "A prompt is read in one step.",
         "You compute all that a request misses, so the step exceeds its budget.", *ORDER),
    said("whole-prompts-only", "whole prompts or nothing", "A prompt is not divided.",
         "You leave out a request that misses more than the rest of the budget. It should compute "
         "that rest.", *ORDER),
    said("one-position-each", "one position each", "Each request computes one position.",
         "You compute one position of each request; a prompt is read in larger chunks.", *ORDER),
    said("positions-for-pages", "positions for pages", "A position needs a page.",
         "You compare positions with pages: a page has room for `size` positions.", *PAGES),
    said("new-pages", "new pages", "A step begins new pages.",
         "You round the pages of the new positions up by themselves. The last page of a request "
         "often has room for some of them.", *PAGES),
    said("all-pages-again", "all its pages", "A request needs pages for its text.",
         "You ask for all pages of a request again. It already holds those of its kept "
         "positions.", *PAGES),
    said("pages-rounded-down", "pages down", "Full pages count.",
         "You round pages down. A page that is partly filled belongs to its request as well.",
         *PAGES),
    said("page-in-advance", "a page in advance", "The next token needs room.",
         "You ask for a page as soon as the last one becomes full, before a position needs it.",
         *PAGES),
    said("pages-of-the-whole-prompt", "pages of the whole prompt", "A prompt needs all its pages.",
         "You ask for the pages of everything that a request misses. In this step it needs pages "
         "for the positions that it computes.", *PAGES),
    said("one-page-at-most", "one page at most", "A page at a time.",
         "A request gets one new page from you, also where its chunk needs several.",
         *PAGES),
    said("one-page-at-most-and-zeros", ("one page at most", "zeros"), "A page at a time.",
         "A request gets one new page from you, also where its chunk needs several. And "
         "your plan has counts of 0: leave out the requests that compute nothing.", *PAGES),
    said("pages-come-by-themselves", "no pages", "Pages come by themselves.",
         "You let requests compute without pages for their positions.", *VICTIM),
    said("nobody-is-preempted", "nobody", "A request without a page waits.",
         "You leave out a request whose pages are not free. While the others keep their pages, it "
         "may stall for ever: the last running request should give up its own.", *VICTIM),
    said("step-ends-without-pages", "ends the step", "Without pages the step ends.",
         "You end the step at the first request whose pages are not free. The last running request "
         "should make room for it.", *VICTIM),
    said("smaller-chunk", "smaller chunk", "A request computes as far as its pages reach.",
         "You make the chunk smaller if pages are short. The last running request should make "
         "room for the whole chunk.", *VICTIM),
    said("oldest-goes", "the oldest", "The first request has had its share.",
         "You preempt the request that arrived first. It has waited longest, and if it can lose "
         "its pages again and again, it may starve.", *VICTIM),
    said("next-one-goes", "the next one", "The neighbour makes room.",
         "You preempt the request behind the one that needs pages, instead of the last one.",
         *VICTIM),
    said("itself-goes", "itself", "A request without pages starts again.",
         "You preempt the request that needs pages, although a later one is still running.",
         *VICTIM),
    said("most-pages-go", "the most pages", "The largest request frees the most room.",
         "You preempt the request with the most pages. It has the most to read again; here the "
         "last one goes.", *VICTIM),
    said("fewest-pages-go", "the fewest pages", "The smallest request loses least.",
         "You preempt the request with the fewest pages. Here the last one goes.", *VICTIM),
    said("most-missing-goes", "the most missing", "A request that reads has shown nothing yet.",
         "You preempt the request that misses the most positions. Here the last one goes.",
         *VICTIM),
    said("all-behind-go", "all behind it", "Make room once and for all.",
         "You preempt all requests behind the one that needs pages. Stop as soon as there are "
         "enough.", *VICTIM),
    said("only-one-goes", "only one", "One request makes room for one.",
         "You preempt one request at most for each that needs pages. Go on until the free pages "
         "suffice.", *VICTIM),
    said("preempted-goes-on", "goes on", "The list is gone through to its end.",
         "You plan positions for requests that have just been preempted. They have no pages.",
         *VICTIM),
    said("spares-itself", "spares itself", "A request does not preempt itself.",
         "If the request that needs pages is the last one running, you leave it in its place "
         "without them. It should give up its pages.", *SELF),
    said("never-the-last-page", "never the last", "A page is kept in reserve.",
         "You preempt although the free pages just suffice.", *PAGES, kind="form"),
    said("preempts-for-nothing", "never the last, for nothing", "Without a free page all stop.",
         "You preempt when no page is free, even if the request needs none: its last page has room "
         "for the next position.", *PAGES),
    said("frees-positions", "frees positions", "Each position frees a page.",
         "You add the positions of a preempted request to the free pages, instead of its pages.",
         *FREE),
    said("frees-one-page", "frees one page", "A request frees a page.",
         "You add one page for each preempted request. It frees all that it holds.", *FREE),
    said("frees-full-pages", "frees full pages", "Only full pages count.",
         "You round the pages of a preempted request down. The page that it had begun becomes free "
         "as well.", *FREE),
    said("frees-too-late", "frees too late", "Pages are free in the next step.",
         "You do not use the pages of a preempted request in the same step, so you preempt too "
         "many.", *FREE),
    said("pages-stay-free", "pages stay free", "Free pages are free.",
         "You do not subtract the pages that a request takes from the free ones.", *FREE),
    said("at-the-end", "at the end", "A request that must wait goes to the end.",
         "You put preempted requests at the end of the queue. They arrived before those that wait, "
         "so they belong in front.", *QUEUE, variants=("at the end, last first",), kind="form"),
    said("last-in-front", "last in front", "The order among them is free.",
         "You reverse the preempted requests: the one that arrived last is in front.", *QUEUE,
         kind="form"),
    said("only-the-preempted", "only those", "The queue is those that lost their pages.",
         "You return only the preempted requests. The others still wait behind them.", *QUEUE,
         kind="form"),
    said("kept-is-not-read-again", "misses as before", "The kept positions are kept.",
         "In your queue a preempted request misses no more than before. Its pages are gone, so it "
         "must read its kept positions again as well.", *QUEUE, kind="form"),
    said("next-token-forgotten", "misses the kept", "It reads again what it had kept.",
         "In your queue a preempted request misses only its kept positions. It still needs those "
         "that it missed before.", *QUEUE, kind="form"),
    said("at-the-end-without-what-it-missed", ("at the end", "misses the kept"),
         "It starts again as a new request.",
         "You put preempted requests at the end of the queue, and let them miss only what they "
         "kept. They arrived before those that wait, so they belong in front; and they still need "
         "their missing positions.", *QUEUE,
         variants=(("at the end, last first", "misses the kept"),), kind="form"),
    said("at-the-end-without-what-it-kept", ("at the end", "misses as before"),
         "It goes on later.",
         "You put preempted requests at the end of the queue, and let them miss no more than "
         "before. They arrived before those that wait, so they belong in front; and their pages "
         "are gone, so they read their kept positions again.", *QUEUE,
         variants=(("at the end, last first", "misses as before"),), kind="form"),
    said("last-in-front-without-what-it-missed", ("last in front", "misses the kept"),
         "It starts again as a new request.",
         "You reverse the preempted requests, so the one that arrived last is in front; and you "
         "let them miss only their kept positions, though they still need their missing ones.",
         *QUEUE, kind="form"),
    said("names-for-pairs", "names", "A queue is a list of names.",
         "Your queue has names. The task asks for pairs of a name and the positions that it "
         "misses.", *QUEUE, kind="form"),
    said("free-as-before", "free as before", "The free pages are given.",
         "You return the number of free pages before the step. The task asks for the number after "
         "it.", *FREE, kind="form"),
    said("zeros-in-the-plan", "zeros", "Every running request is in the plan.",
         "Your plan has counts of 0. Leave out the requests that compute nothing.", *FORM,
         kind="form"),
    said("pairs-for-dict", "pairs", "A list of pairs is a plan.",
         "Your plan is a list. The task asks for a dict.", *FORM, kind="form"),
    said("lists-are-changed", "changes waiting", "The lists are the server's own.",
         "You change a list that you were handed. Work on a copy.", *FORM,
         variants=("changes running",), kind="form"),
    said("plan-and-queue-swapped", "queue first", "The order is free.",
         "Your first two results are in the wrong order.", *FORM),
)  # fmt: skip
