"""How 16.capacity goes wrong."""

import math

from exercise_bank.ch16.mistakes import saying_slips

Three = tuple[float, float, float | None]


def slipped(
    memory: int, weights: int, token_bytes: int, page_size: int, prompt: int, answer: int,
    shared: int, rate: float, seconds: float, *, slips: tuple[str, ...],
) -> Three:  # fmt: skip
    """Answer correctly except for the slips."""
    free = memory if "weights kept" in slips else memory - weights
    pages: float = max(0, free) // (page_size * token_bytes)
    if "pages up" in slips:
        pages = math.ceil(max(0, free) / (page_size * token_bytes))
    if "rounded apart, weights up" in slips:
        pages = max(0, memory // (page_size * token_bytes) + -weights // (page_size * token_bytes))
    if "pages broken" in slips:
        pages = max(0, free) / (page_size * token_bytes)
    if "tokens for pages" in slips:
        pages = max(0, free) // token_bytes
    if "bytes for tokens" in slips:
        pages = max(0, free) // page_size
    if "negative pages" in slips:
        pages = free // (page_size * token_bytes)
    if "rounded apart" in slips:
        pages = max(0, memory // (page_size * token_bytes) - weights // (page_size * token_bytes))
    if "both added" in slips:
        pages = (memory + weights) // (page_size * token_bytes)
    n = prompt + answer - 1
    if "last kept" in slips:
        n = prompt + answer
    if "two more" in slips:
        n = prompt + answer + 1
    if "beginning on top" in slips:
        n = prompt + shared + answer - 1
    if "two dropped" in slips:
        n = prompt + answer - 2
    if "prompt only" in slips:
        n = prompt
    if "answer only" in slips:
        n = answer - 1 or 1
    whole: float = shared // page_size
    if "half page shared" in slips:
        whole = math.ceil(shared / page_size)
    if "nothing shared" in slips:
        whole = 0
    if "whole pages alone" in slips and shared % page_size:
        whole = 0
    own: float = math.ceil(n / page_size) - whole
    if "rounded down" in slips:
        own = n // page_size - whole
    if "rounded to the nearest" in slips:
        own = round(n / page_size) - whole
    if "rounded twice" in slips:
        own = math.ceil(prompt / page_size) + math.ceil((answer - 1) / page_size) - whole
    if "not rounded" in slips:
        own, whole = (n - shared) / page_size, shared / page_size
    if "page begun anew" in slips:
        own = math.ceil((n - shared) / page_size)
    if "all own" in slips:
        own = math.ceil(n / page_size)
    if "half the answer" in slips:
        own = math.ceil((prompt + answer / 2) / page_size) - whole
    if "by the byte" in slips:
        own = math.ceil((n - shared) / page_size)
        whole = pages - (free - shared * token_bytes) // (page_size * token_bytes)
    own = max(own, 1) if own <= 0 else own
    room = pages if {"beginning free", "nothing shared"} & set(slips) else pages - whole
    if "half page taken" in slips:
        room = pages - math.ceil(shared / page_size)
    fit: float = int(max(0, room) // own)
    if "fit up" in slips:
        fit = math.ceil(max(0, room) / own)
    if "fit broken" in slips:
        fit = max(0, room) / own
    if "at least one" in slips:
        fit = max(1, fit)
    if "negative fit" in slips:
        fit = int((pages - whole) // own)
    inside = rate * seconds
    if "load down" in slips:
        inside = int(inside)
    if "rounded before" in slips:
        inside = math.ceil(rate) * math.ceil(seconds)
    if "rate up" in slips:
        inside = math.ceil(rate) * seconds
    if "seconds up" in slips:
        inside = rate * math.ceil(seconds)
    if "both down" in slips:
        inside = int(rate) * int(seconds)
    if "both nearest" in slips:
        inside = round(rate) * round(seconds)
    if "rate only" in slips:
        inside = rate
    if "seconds only" in slips:
        inside = seconds
    if "rate by seconds" in slips:
        inside = rate / seconds
    if "fit is zero" in slips and fit == 0:
        return pages, 0, 0
    if "infinite" in slips and fit == 0:
        return pages, 0, math.inf
    if "one at least" in slips and fit == 0:
        return pages, 0, 1
    if "divides by zero" not in slips and fit <= 0:
        return pages, fit, None
    machines: float = math.ceil(inside / fit)
    if "rounded for a second" in slips:
        machines = math.ceil(math.ceil(rate / fit) * seconds)
    if "rounded for its seconds" in slips:
        machines = math.ceil(rate / max(1, fit // seconds))
    if "machines down" in slips:
        machines = int(inside // fit)
    if "machines down, one at least" in slips:
        machines = max(1, int(inside // fit))
    if "machines nearest" in slips:
        machines = round(inside / fit)
    if "machines nearest, one at least" in slips:
        machines = max(1, round(inside / fit))
    if "machine more" in slips:
        machines = int(inside // fit) + 1
    if "machines broken" in slips:
        machines = inside / fit
    if "load on top" in slips:
        machines = math.ceil(fit / inside)
    if "product" in slips:
        machines = math.ceil(inside * fit)
    return pages, fit, machines


said = saying_slips(slipped)

PAGES = ("Which bytes does a page hold?", "A page holds `page_size` tokens, and no weights.")
ROUND = (
    "How many pages does a text of five tokens take, with four on a page?",
    "A page that is partly filled counts. Round up once, over all that a request keeps.",
)
ONCE = (
    "Two requests begin with the same eight tokens, four on a page. How many pages hold them?",
    "Whole pages of the beginning: once from the pool, and not from each request.",
)
LOAD = (
    "Two requests arrive each second, and each stays three seconds. How many are inside?",
    "Little's law: rate times seconds. Then divide by what fits, and round up.",
)
NONE = (
    "What does your function return if not even one request fits?",
    "A count is never negative, and no number of machines helps: return None.",
)

MISCONCEPTIONS = (
    said("weights-forgotten", "weights kept", "All of the memory is for the cache.",
         "You count the bytes of the weights as room for pages.", *PAGES),
    said("weights-added", "both added", "Memory comes beside the weights.",
         "You add the bytes of the weights to the memory; they are part of it.", *PAGES),
    said("pages-rounded-up", "pages up", "The rest is a page too.",
         "Your last page does not fit into the memory: where bytes are left over, you count one "
         "page too many.", *PAGES),
    said("rounded-apart", "rounded apart", "Memory and weights are pages.",
         "You round memory and weights to pages before you take the difference: take the bytes "
         "away first, and round once.", *PAGES, variants=("rounded apart, weights up",)),
    said("pages-not-whole", "pages broken", "A share of a page counts.",
         "Your `pages` is not a whole number where bytes are left over.", *PAGES),
    said("tokens-for-pages", "tokens for pages", "A page is a token.",
         "You count how many tokens there is room for, not how many pages of them.", *PAGES),
    said("page-of-bytes", "bytes for tokens", "A page has `page_size` bytes.",
         "You divide by `page_size` alone; a page holds that many tokens, of `token_bytes` each.",
         *PAGES),
    said("last-token-kept", "last kept", "A request keeps all its tokens.",
         "Your requests have room for one position more than prompt + answer − 1. The last token "
         "is never read, so it keeps nothing. If prompt + answer − 1 positions fill whole pages, "
         "no further page is needed.",
         *ROUND),
    said("two-tokens-more", "two more", "A request keeps its tokens and one more.",
         "Your requests have room for prompt + answer + 1 positions. The last token is never read, "
         "so prompt + answer − 1 are enough.", *ROUND),
    said("beginning-on-top", "beginning on top", "The prompt comes after the shared tokens.",
         "Your requests keep the shared tokens in addition to their prompt. The prompt begins with "
         "them, so they are counted in it.", *ONCE),
    said("shared-only-if-it-ends-a-page", "whole pages alone", "A half page spoils the sharing.",
         "You share nothing where the beginning ends within a page. The pages before that one are "
         "full, and all requests can read them.", *ONCE),
    said("last-token-kept-and-pages-not-taken", ("last kept", "beginning free"),
         "A request keeps all its tokens, and the beginning is free.",
         "You never take the shared pages from the pool, and keep a position for the last token, "
         "which is never read.", *ONCE),
    said("two-tokens-dropped", "two dropped", "Neither the first nor the last answer is kept.",
         "You keep two positions fewer than there are tokens. Only the last token is not read.",
         *ROUND),
    said("answer-forgotten", "prompt only", "Only the prompt is kept.",
         "Your requests have no room for the tokens that they generate.", *ROUND),
    said("half-the-answer", "half the answer", "On average, half of the answer is there.",
         "You give a request room for half of its answer. Each is to fit with all its positions.",
         *ROUND),
    said("prompt-forgotten", "answer only", "Only generated tokens are kept.",
         "Your requests have no room for their prompt.", *ROUND),
    said("own-pages-rounded-down", "rounded down", "Full pages count.",
         "You round a request's pages down: the page that it has begun is not counted.", *ROUND),
    said("own-pages-to-the-nearest", "rounded to the nearest", "Round as one rounds.",
         "You round a request's pages to the nearest number. A page with one token is a page.",
         *ROUND),
    said("prompt-and-answer-apart", "rounded twice", "An answer begins on a new page.",
         "You round prompt and answer up separately. The answer goes on where the prompt ends, on "
         "the same page.", *ROUND),
    said("tokens-without-pages", "not rounded", "What counts are tokens.",
         "You divide tokens by tokens. Requests lie on whole pages, and share whole pages.",
         *ROUND),
    said("shared-kept-by-each", "nothing shared", "Each request keeps its prompt.",
         "You keep the shared beginning once for each request.", *ONCE),
    said("shared-page-by-each-and-once", "all own", "The beginning is kept beside the requests.",
         "You take the shared pages from the pool, and let every request keep them as well.",
         *ONCE),
    said("shared-for-nothing", "beginning free", "Shared pages cost nothing.",
         "You never take the shared pages from the pool. They are kept once.", *ONCE),
    said("half-page-shared", "half page shared", "All shared tokens are shared.",
         "You share the page on which the shared tokens end. Each request writes its own tokens "
         "behind them on that page, so each needs one of its own.", *ONCE),
    said("half-page-kept-once-too", "half page taken", "A machine keeps all shared tokens.",
         "You also take the page on which the shared tokens end from the pool. Only pages that "
         "they fill are kept once; that page is among each request's own.", *ONCE),
    said("own-tokens-begin-a-page", "page begun anew", "Own tokens begin a new page.",
         "You round up the tokens after the shared beginning. If the beginning ends within a page, "
         "its last tokens are on the request's own page, too.", *ONCE),
    said("beginning-by-the-byte", "by the byte", "The beginning takes its bytes, the rest pages.",
         "You take the beginning from the memory by the byte, and begin a new page behind it. "
         "Only pages that the beginning fills are shared; its last tokens lie on each request's "
         "own page.", *ONCE),
    said("half-page-shared-and-page-begun", ("half page shared", "page begun anew"),
         "Shared and own tokens lie apart, each rounded up.",
         "You round the beginning up to whole pages, kept once, and begin a new page behind it. "
         "Only pages that the beginning fills are shared.", *ONCE),
    said("fit-rounded-up", "fit up", "The last request fits a little.",
         "Your last request has not all of its pages.", *ROUND),
    said("fit-not-whole", "fit broken", "A share of a request counts.",
         "Your `fit` is not a whole number: a request with some of its pages does not fit.",
         *ROUND),
    said("rate-is-inside", "rate only", "So many requests as arrive in a second are inside.",
         "You use the arrivals of one second as the number inside. Each stays `seconds`.", *LOAD),
    said("seconds-are-inside", "seconds only", "So many requests as seconds are inside.",
         "You use the seconds as the number inside, whatever the rate.", *LOAD),
    said("rate-divided", "rate by seconds", "Who stays long leaves room.",
         "You divide the rate by the seconds. The longer requests stay, the more are inside.",
         *LOAD),
    said("machines-rounded-down", "machines down", "Full machines count.",
         "You round the machines down: some of the requests inside find no room.", *LOAD),
    said("load-rounded-down", "load down", "Half a request needs no room.",
         "You cut the average number inside down to a whole number before you divide. An average "
         "may have a fraction, and that needs room as well.", *LOAD, kind="corner"),
    said("machines-rounded-down-one-at-least", "machines down, one at least",
         "Full machines count, and there is one.",
         "You round the machines down, to at least one: some of the requests find no room.", *LOAD),
    said("machines-to-the-nearest", "machines nearest", "Round as one rounds.",
         "You round machines to the nearest number; a small rest needs one as well.", *LOAD,
         variants=("machines nearest, one at least",)),
    said("always-a-machine-more", "machine more", "There is always a machine that is not full.",
         "You always add a machine to the full ones, even if the last is exactly full.", *LOAD,
         kind="form"),
    said("rounded-before-the-product", "rounded before", "Requests and seconds are whole.",
         "You round the rate or the seconds before you multiply them. They are means, and need "
         "not be whole: round the machines only.", *LOAD,
         variants=("rate up", "seconds up", "both down", "both nearest")),
    said("machines-for-a-second", "rounded for a second", "Machines for a second, times seconds.",
         "You round up the machines for the arrivals of one second, and then multiply by the "
         "seconds: round once, after all divisions.", *LOAD),
    said("requests-a-second-rounded-down", "rounded for its seconds",
         "A machine answers a whole number of requests a second.",
         "You round down how many requests a machine answers in a second. That need not be a "
         "whole number: round the machines only.", *LOAD),
    said("machines-not-whole", "machines broken", "A share of a machine counts.",
         "Your `machines` is not a whole number, but there are only whole machines.", *LOAD),
    said("load-upside-down", "load on top", "Divide the room by the load.",
         "You divide the number that fits by the number inside, so more load would take fewer "
         "machines.", *LOAD),
    said("load-times-fit", "product", "Multiply the load by the room.",
         "You multiply the number inside by the number that fits, so larger machines would be "
         "needed in greater number.", *LOAD),
    said("at-least-one-fits", "at least one", "One request always fits.",
         "You return 1 for `fit` when not even one request fits.", *NONE, kind="corner"),
    said("no-machines", "fit is zero", "Without a request that fits, no machine is needed.",
         "You return 0 machines when no request fits. The load is there, and no number serves it.",
         *NONE, kind="corner"),
    said("infinitely-many-machines", "infinite", "With many machines it would work.",
         "You return infinity when no request fits. The task asks for None.", *NONE, kind="corner"),
    said("one-machine-for-nothing", "one at least", "There is at least one machine.",
         "You return one machine when no request fits. The task asks for "
         "None.", *NONE, kind="corner"),
    said("divided-by-none", "divides by zero", "Something always fits.",
         "Your function divides by 0 when no request fits.", *NONE, kind="corner"),
    said("pages-below-none", "negative pages", "Memory is larger than the weights.",
         "Your number of pages is negative when the weights do not fit.", *NONE, kind="corner"),
    said("pages-below-none-and-divided-by-none",
         ("negative pages", "negative fit", "divides by zero"),
         "Memory is larger than the weights, and something always fits.",
         "Your function has no case for a machine on which nothing fits: it returns negative "
         "counts, or divides by 0.", *NONE, kind="corner"),
    said("fit-below-none", "negative fit", "The shared pages fit.",
         "Your number of requests is negative when the shared pages need more than the pool.",
         *NONE, kind="corner"),
    said("last-token-and-rounded-apart", ("last kept", "rounded down"),
         "All tokens are kept, on full pages.",
         "You keep a position for the last token, which is never read, and then round down: the "
         "page that a request has begun is not counted.", *ROUND),
    said("last-token-kept-nothing-shared", ("last kept", "nothing shared"),
         "Each request keeps all its tokens.",
         "You keep the shared beginning once for each request, and a position for the last token, "
         "which is never read.", *ONCE),
    said("weights-and-last-token", ("weights kept", "last kept"),
         "All of the memory keeps all of the tokens.",
         "You hand out the bytes of the weights as pages, and keep a position for the last token, "
         "which is never read.", *PAGES),
    said("last-token-kept-half-page-shared", ("last kept", "half page shared"),
         "All tokens are kept, and all shared tokens are shared.",
         "You share the page on which the beginning ends, though each needs its own; and you keep "
         "a position for the last token, which is never read.", *ONCE),
    said("last-token-kept-own-begins-a-page", ("last kept", "page begun anew"),
         "All tokens are kept, and own tokens begin a new page.",
         "You round up the tokens after the shared beginning, and keep a position for the last "
         "token. The last tokens of the beginning may be on the request's own page, and the last "
         "token of an answer is never read.", *ONCE),
)  # fmt: skip
