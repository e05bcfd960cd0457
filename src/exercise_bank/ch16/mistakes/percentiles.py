"""How 16.percentiles goes wrong."""

import math
from itertools import pairwise
from typing import Any

from exercise_bank.ch16.mistakes import saying_slips

Record = list[tuple[float, list[float]]]
Four = tuple[float, ...]


def ranked(values: list[float], percent: int, slips: tuple[str, ...]) -> Any:
    """Read a percentile by nearest rank, with possible slips."""
    n = len(values)
    if not n:
        nothing = {"nan of nothing": math.nan, "None of nothing": None}
        return next((nothing[each] for each in slips if each in nothing), 0.0)
    ordered = sorted(values)
    if "equals once" in slips:
        ordered = sorted(set(values))
        n = len(ordered)
    index = math.ceil(percent * n / 100) - 1
    if "mean" in slips:
        return sum(values) / n
    if "largest" in slips:
        return ordered[-1]
    if "middle" in slips:
        index = (n - 1) // 2
    if "unsorted" in slips:
        ordered = values
    if "descending" in slips:
        ordered = ordered[::-1]
    if "floor is index" in slips:
        index = min(n - 1, percent * n // 100)
    if "ceiling is index" in slips:
        index = min(n - 1, index + 1)
    if "floor is rank" in slips:
        index = max(0, percent * n // 100 - 1)
    if "rounded product" in slips:
        index = min(n, math.ceil(percent / 100 * n)) - 1
    if "rounded rank" in slips:
        index = max(0, round(percent * n / 100) - 1)
    if "between the ends, nearest" in slips:
        index = round(percent * (n - 1) / 100)
    if "between the ends, down" in slips:
        index = percent * (n - 1) // 100
    if "between the ends, up" in slips:
        index = math.ceil(percent * (n - 1) / 100)
    if "one value more" in slips:
        index = min(n - 1, math.ceil(percent * (n + 1) / 100) - 1)
    if "interpolated" in slips:
        place = percent * (n - 1) / 100
        low = int(place)
        high = min(low + 1, n - 1)
        return ordered[low] + (place - low) * (ordered[high] - ordered[low])
    return ordered[index]


def slipped(
    record: Record, percent: int, ttft: float, tpot: float, *, slips: tuple[str, ...]
) -> Four:
    """Read a record correctly except for the slips."""
    began = min(arrived for arrived, _ in record)
    ended = max(times[-1] for _, times in record)
    waits, means, gaps, worst, own, good, late, tokens = [], [], [], [], [], 0, 0, 0
    for arrived, times in record:
        span, count = times[-1] - times[0], len(times) - 1
        wait = times[0] - arrived
        if "absolute" in slips:
            wait = times[0]
        if "since the first came" in slips:
            wait = times[0] - began
        if "whole latency" in slips:
            wait = times[-1] - arrived
        each = [b - a for a, b in pairwise(times)]
        mean = span / count if count or "divides by zero" in slips else 0.0
        if "tokens for gaps" in slips:
            mean = span / len(times)
        if "from arrival by tokens" in slips:
            mean = (times[-1] - arrived) / len(times)
        if "from arrival by gaps" in slips and count:
            mean = (times[-1] - arrived) / count
        if "span" in slips:
            mean = span
        if "longest gap" in slips and each:
            mean = max(each)
        if "middle gap" in slips and each:
            mean = sorted(each)[(count - 1) // 2]
        if "middle gap, upper" in slips and each:
            mean = sorted(each)[count // 2]
        if "rate" in slips and span:
            mean = count / span
        if "skipped" in slips and not count:
            continue
        waits.append(wait)
        if count or "zeros count" in slips:
            means.append(mean)
        gaps += [times[0] - arrived, *each] if "from arrival" in slips else each
        if each:
            worst.append(max(each))
            own.append(ranked(each, percent, slips))
        early, steady = wait <= ttft, mean <= tpot
        if "strict" in slips:
            early, steady = wait < ttft, mean < tpot
        if "every gap" in slips:
            steady = all(gap <= tpot for gap in each)
        if "limits swapped" in slips:
            early, steady = wait <= tpot, mean <= ttft
        kept = early and steady
        if "either" in slips:
            kept = early or steady
        if "first only" in slips:
            kept = early
        if "rest only" in slips:
            kept = steady
        if "one token is none" in slips:
            kept = kept and count > 0
        good, late = good + kept, late + (not kept)
        tokens += len(times) if kept else 0
    if "one gap for each" in slips:
        gaps = means
    if "worst of each" in slips:
        gaps = worst
    if "own first" in slips:
        gaps = own
    if "of all requests" in slips:
        gaps = [b - a for a, b in pairwise(sorted(at for _, times in record for at in times))]
    if "pooled" in slips:
        means = gaps
    if "late" in slips:
        good = late
    goodput = good / ended
    if "share" in slips:
        goodput = good / len(record)
    if "count" in slips:
        goodput = good
    if "tokens" in slips:
        goodput = tokens / ended
    if "from the first arrival" in slips:
        goodput = good / (ended - began)
    if "from the first token" in slips:
        start = min(times[0] for _, times in record)
        goodput = good / (ended - start) if ended > start else 0.0
    if "to the last arrival" in slips:
        goodput = good / max(arrived for arrived, _ in record)
    if "last of the list" in slips:
        goodput = good / record[-1][1][-1]
    if "latencies added" in slips:
        goodput = good / sum(times[-1] - arrived for arrived, times in record)
    if "all answered" in slips:
        goodput = len(record) / ended
    found: tuple[float, ...] = tuple(
        ranked(values, percent, slips) for values in (waits, means, gaps)
    )
    if "one for all" in slips:
        found = found[0], sum(gaps) / len(gaps) if gaps else 0.0, found[2]
    if "all or none" in slips:
        goodput = len(record) / ended if found[0] <= ttft and found[1] <= tpot else 0.0
    if "turned" in slips:
        return found[1], found[0], found[2], goodput
    return *found, goodput


said = saying_slips(slipped)

RANK = (
    "How many of the values are at most the one that you return? How many should be?",
    "Sort, multiply per cent by count, divide by 100, round up: a rank, counted from 1.",
)
WAIT = ("From when to when does a user watch an empty screen?", "Start at the request's arrival.")
MEAN = (
    "How many gaps are there between three tokens, and where does the first one begin?",
    "From a request's first token to its last, divided by its gaps; then the percentile of these.",
)
POOL = (
    "How many gaps do all requests of the example have together?",
    "Every gap of every request counts once, in one list.",
)
GOOD = (
    "Take one request of the example: does it keep both limits? How long is the record?",
    "Requests that keep both limits, divided by the seconds from 0 to the last token of all.",
)
ONE = (
    "How many gaps has an answer of one token?",
    "It has no mean, so it is in no list of means; no limit on gaps is broken by it.",
)

MISCONCEPTIONS = (
    said("interpolated", "interpolated", "A percentile lies between two values.",
         "You interpolate between two values, so you return a time that was not measured.", *RANK),
    said("rank-for-index", "floor is index", "The index is the share of the count.",
         "Where percent · n / 100 is a whole number below n, you take the value after the right "
         "one: of 10 values, for 90 per cent, the tenth and not the ninth. An index counts from "
         "0.", *RANK),
    said("rounded-up-for-index", "ceiling is index", "The rank is the index.",
         "You use the rank as an index, which counts from 0: your value is one too late.", *RANK),
    said("rank-rounded-down", "floor is rank", "Ranks are rounded down.",
         "You round the rank down; too few values are at most yours.", *RANK),
    said("rank-to-the-nearest", "rounded rank", "Nearest rank means rounding to the nearest.",
         "You round the rank to the nearest number. The method's name misleads: it rounds up, so "
         "that at least `percent` per cent of the values are at most as large.", *RANK),
    said("rank-of-a-rounded-product", "rounded product", "Per cent is a decimal.",
         "You divide by 100 first. In floating point 0.28 · 25 is a little more than 7, and your "
         "rank is 8: multiply whole numbers, and divide last.",
         "What does Python say to 28 / 100 * 25, and what to 28 * 25 / 100?",
         "`math.ceil(percent * n / 100)` multiplies before it divides.", kind="corner"),
    said("between-the-ends-nearest", "between the ends, nearest", "The ends are 0 and 100.",
         "You lay 0 to 100 per cent over the indices 0 to n - 1, and take the nearest.", *RANK),
    said("between-the-ends-down", "between the ends, down", "The ends are 0 and 100.",
         "You lay 0 to 100 per cent over the indices 0 to n - 1, and round down.", *RANK),
    said("between-the-ends-up", "between the ends, up", "The ends are 0 and 100.",
         "You lay 0 to 100 per cent over the indices 0 to n - 1, and round up.", *RANK),
    said("one-value-more", "one value more", "The ranks go from 1 to n + 1.",
         "You multiply per cent by n + 1. The nearest rank is per cent times n, rounded up.",
         *RANK),
    said("mean-for-percentile", "mean", "A mean is a fair summary.",
         "You return means. They hide the longest waits.", *RANK),
    said("largest-for-percentile", "largest", "What counts is the worst.",
         "You return the largest value whatever the per cent.", *RANK),
    said("median-for-percentile", "middle", "What counts is the middle.",
         "You return the median whatever the per cent.", *RANK),
    said("not-sorted", "unsorted", "The record is in order.",
         "You take the value at the rank without sorting: by arrival, not by size.", *RANK),
    said("equal-values-once", "equals once", "A value counts once.",
         "You count equal values once, so the rank is one among fewer values. Two requests with "
         "the same time are two values.", *RANK),
    said("sorted-downwards", "descending", "The longest comes first.",
         "You sort downwards: your 90th percentile is about the 10th.", *RANK),
    said("time-on-the-clock", "absolute", "The clock starts at 0.",
         "Your times to the first token are times on the clock. Subtract the time of "
         "arrival.", *WAIT),
    said("since-the-first-arrival", "since the first came", "All came when the first one came.",
         "You measure all requests from the first one's arrival.", *WAIT),
    said("latency-for-first-token", "whole latency", "The answer is there at its end.",
         "You measure the time to the last token instead of the first.", *WAIT),
    said("tokens-for-gaps", "tokens for gaps", "The mean is over tokens.",
         "You divide by the number of tokens. Between three tokens lie two gaps.", *MEAN),
    said("wait-per-token", "from arrival by tokens", "Each token took its share of the time.",
         "Your time per output token contains the wait for the first one, divided by tokens.",
         *MEAN),
    said("wait-in-the-gaps", "from arrival by gaps", "It begins with the arrival.",
         "Your time per output token contains the wait for the first one.", *MEAN),
    said("span-for-mean", "span", "From the first token to the last.",
         "You do not divide: your time per output token is that of all tokens together.", *MEAN),
    said("longest-gap-of-each", "longest gap", "A request is as slow as its longest gap.",
         "You take each request's longest gap. TPOT is its mean gap.", *MEAN),
    said("middle-gap-of-each", "middle gap", "A median is safer than a mean.",
         "You take each request's median gap. TPOT is its mean gap.", *MEAN,
         variants=("middle gap, upper",)),
    said("tokens-a-second", "rate", "Speed is tokens a second.",
         "You return tokens per second. TPOT is in seconds per token.", *MEAN),
    said("one-mean-for-all", "one for all", "TPOT is all time over all gaps.",
         "Your time per output token is one mean over all requests, whatever the per cent. Each "
         "request has its mean; of these, take the percentile.", *MEAN),
    said("pooled-for-both", "pooled", "TPOT is the percentile of all gaps.",
         "Your time per output token pools all gaps. That is the inter-token latency; here each "
         "request counts once, with its mean.", *MEAN),
    said("means-for-both", "one gap for each", "Inter-token latency and TPOT are the same.",
         "Your inter-token latency is read from one mean a request. A mean spreads one long gap "
         "over the whole answer.", *POOL),
    said("pool-begins-at-arrival", "from arrival", "The first token has a gap too.",
         "Your pool contains the waits for the first token. A gap lies between two tokens.", *POOL),
    said("worst-gap-of-each", "worst of each", "Each request counts with its longest gap.",
         "You put only the longest gap of each request into the pool. All gaps belong "
         "there.", *POOL),
    said("gaps-across-requests", "of all requests", "Gaps lie between any two tokens.",
         "You put the tokens of all requests in one order, and take the gaps between these. A gap "
         "lies between two tokens of the same request.", *POOL),
    said("percentile-of-percentiles", "own first", "First for each request, then for all.",
         "For the inter-token latency you read the percentile of each request's own gaps, and then "
         "the percentile of these numbers. The gaps of all requests go into one pool.", *POOL),
    said("limit-itself-too-late", "strict", "Within is less than.",
         "You leave out a request that takes exactly as long as the limit allows.", *GOOD,
         kind="form"),
    said("first-limit-only", "first only", "A request that begins in time is good.",
         "You ask for the first limit only.", *GOOD),
    said("second-limit-only", "rest only", "A request that is fast enough is good.",
         "You ask for the second limit only.", *GOOD),
    said("either-limit", "either", "One limit is enough.",
         "You count requests that keep one of the two limits.", *GOOD),
    said("limits-swapped", "limits swapped", "The limits come in the other order.",
         "You compare the first token with `tpot`, and the others with `ttft`.", *GOOD),
    said("every-gap-in-time", "every gap", "No gap may be longer than the limit.",
         "You compare each gap with `tpot`. The limit is on a request's mean gap.", *GOOD),
    said("late-ones-counted", "late", "Goodput counts misses.",
         "You count requests that break a limit.", *GOOD),
    said("throughput", "all answered", "Goodput is throughput.",
         "You count all requests, whether they keep the limits or not.", *GOOD),
    said("share-of-requests", "share", "Goodput is a share.",
         "You divide by the number of requests; goodput is requests a second.", *GOOD),
    said("count-of-requests", "count", "Goodput is a number of requests.",
         "You do not divide; goodput is requests a second.", *GOOD),
    said("good-tokens", "tokens", "A server delivers tokens.",
         "You count the tokens of good requests. Goodput counts requests.", *GOOD),
    said("from-the-first-arrival", "from the first arrival", "The record begins with a request.",
         "You count the seconds from the first arrival. The clock starts at 0, before it.", *GOOD),
    said("from-the-first-token", "from the first token", "The record begins with a token.",
         "You count the seconds from the first token. The clock starts at 0, before it.", *GOOD),
    said("to-the-last-arrival", "to the last arrival", "The record ends with a request.",
         "Your seconds end with the last arrival. They should end with the last token of all "
         "requests.", *GOOD),
    said("last-in-the-list-ends", "last of the list", "The last to arrive is answered last.",
         "Your seconds end with the last token of the last request in the record. Another one "
         "may be answered later.",
         *GOOD, kind="form"),
    said("latencies-added", "latencies added", "The time is that of all requests.",
         "You divide by the sum of all latencies; requests are answered side by side.", *GOOD),
    said("all-or-none", "all or none", "The percentiles decide.",
         "You compare your percentiles with the limits. Goodput compares each request.", *GOOD),
    said("zeros-among-the-means", "zeros count", "No gap is a gap of 0.",
         "You put a 0 into the means for an answer of one token. It makes the server look fast.",
         *ONE, kind="form"),
    said("one-token-is-not-good", "one token is none", "Without a gap no limit is kept.",
         "You leave answers of one token out of the goodput; they break no limit on gaps.", *ONE,
         kind="form"),
    said("one-token-is-skipped", "skipped", "An answer of one token can be ignored.",
         "You leave answers of one token out altogether. They have a time to the first token and "
         "count for the goodput, although they have neither a mean nor a gap.", *ONE, kind="form"),
    said("mean-of-no-gaps", ("divides by zero",), "There is always a gap.",
         "Your function divides by 0 for an answer of one token.", *ONE, kind="form"),
    said("nothing-is-nan", "nan of nothing", "Without a gap there is no number.",
         "You return nan if no request has a gap. The task asks for 0.0.", *ONE, kind="form"),
    said("nothing-is-none", "None of nothing", "Without a gap there is nothing to return.",
         "You return None if no request has a gap. The task asks for 0.0.", *ONE, kind="form"),
    said("first-two-swapped", "turned", "The order is free.",
         "Your first two results are in the wrong order.", *WAIT),
)  # fmt: skip
