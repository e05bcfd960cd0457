"""How 16.shared_prefixes goes wrong."""

from exercise_bank.ch16.mistakes import saying_slips
from exercise_bank.ch16.mistakes.shared_prefixes_code import slipped

said = saying_slips(slipped)

ROOM = (
    "Which page does the next token of a full request go to, and when is it taken?",
    "A page is taken when a token has no place; free is what no table names, the lowest first.",
)
FULL = (
    "Two requests share a page that is half full. Where does each write its next token?",
    "Only full pages are shared: nothing is ever written into them again.",
)
CHAIN = (
    "May two pages with the same tokens hold different keys and values?",
    "The keys and values of a token depend on all tokens before it, in their order.",
)
QUERY = (
    "The whole prompt is found. Whose query gives the first token of the answer?",
    "The last token is always computed: at most (n - 1) // size pages are found.",
)
COUNT = (
    "Add up the entries of your tables for each page. Are they your counts?",
    "One more for each table that names a page, one less for each that goes.",
)
GONE = (
    "Page 0 belonged to a request that ended, and was written over. What is found in it?",
    "A page without a holder is free, and its old text is lost.",
)
TOLD = (
    "How many tokens of b's prompt does the example compute? Which?",
    "One number for each request that begins: the tokens that are not on pages it found.",
)
SAME = (
    "Two held pages hold the same text. Which is found, and what if one of them goes?",
    "Ask all held pages, and take the lowest that fits.",
)

MISCONCEPTIONS = (
    said("page-in-advance", "page in advance", "The next token needs a page.",
         "You take a page as soon as the last one is full, before a token needs it.", *ROOM),
    said("page-too-late", "page too late", "A full page has room for one more.",
         "An appended token that begins a page gets none until the next one comes.", *ROOM,
         kind="form"),
    said("page-for-each-append", "page for each append", "A token needs a page.",
         "You take a page for each appended token, though the last one has room.", *ROOM,
         kind="form"),
    said("new-numbers", "new numbers", "Page numbers go on.",
         "You never hand out again the pages that became free.", *ROOM),
    said("last-freed-first", "last freed", "Any free page will do.",
         "You take the page that became free last. The task asks for the one with the lowest "
         "number.", *ROOM),
    said("first-freed-first", "first freed", "Free pages wait in a line.",
         "You take the page that has been free longest. The task asks for the one with the lowest "
         "number.", *ROOM),
    said("nothing-shared", "nothing found", "Each request has its pages.",
         "You share no page at all.", *FULL),
    said("whole-prompts-only", "whole prompts", "A prompt is known or it is not.",
         "You share only where another request's text begins with the whole prompt. A common "
         "beginning is enough.", *FULL),
    said("first-page-only", "one page", "The beginning is a page.",
         "You share the first page only.", *FULL),
    said("half-pages-shared", "half pages", "The same text is the same page.",
         "You share pages that are not full. The requests' next tokens would be written into each "
         "other's page.", *FULL),
    said("token-by-token", "token by token", "What begins alike is the same, token by token.",
         "You share a page up to the token at which two texts part. After it the second would "
         "write into the first one's page: only full pages with the same text are shared.", *FULL),
    said("of-the-latest-request", "of the latest", "The last request is the most similar.",
         "You look among the pages of the latest request only.", *FULL),
    said("own-tokens", "own tokens", "The same tokens are the same page.",
         "You find a page by its own tokens. After a different beginning, or at another place, the "
         "same tokens have different keys and values.", *CHAIN),
    said("own-tokens-and-place", "own tokens and place", "The same tokens at the same place.",
         "You find a page by its own tokens and its place. After a different beginning they have "
         "different keys and values.", *CHAIN),
    said("one-page-back", "page before", "A page hangs on the page before.",
         "You find a page by its tokens and those of the page before it. Everything before these "
         "matters as well: chain the hashes.", *CHAIN),
    said("any-order", "any order", "The same tokens, in whatever order.",
         "You find pages whose tokens are the same in another order.", *CHAIN),
    said("sum-for-hash", "sum", "Different texts have different sums.",
         "You find pages whose tokens have the same sum; order and values differ.", *CHAIN),
    said("tokens-as-one-string", "one string", "A text is a string.",
         "You write the tokens as one string, in which 1 and 12 look the same as 11 and 2. Compare "
         "tuples of tokens.", *CHAIN, kind="form"),
    said("first-token-for-hash", "first token", "Texts that begin alike go on alike.",
         "You look at the first token of the text only.", *CHAIN),
    said("no-query-left", "no query left", "A known token need not be computed.",
         "You find whole prompts, to the last token. Nothing is left to compute, so there is no "
         "query, and no first token of the answer.", *QUERY),
    said("no-query-left-one-told", ("no query left", "at least one"),
         "The last token is computed, on a page that is known.",
         "You find whole prompts, and count one token as computed. It would be written into a page "
         "that other requests read, so the last page should not be found.", *QUERY),
    said("last-page-never-found", "last page left", "The last page is computed.",
         "You never find a prompt's last full page, even if more tokens follow it. One token that "
         "is left to compute is enough.",
         *QUERY),
    said("all-pages-given-up", "all given up", "A prompt that is known is computed again.",
         "If all of a prompt is found, you give up all of its pages and compute it whole. Giving "
         "up the last page is enough.", *QUERY),
    said("two-tokens-left", "two left", "The last token and the one before.",
         "You leave two tokens to compute; one is enough.", *QUERY),
    said("not-counted", "not counted", "A request that shares takes no page.",
         "You do not count a request that finds a page as its holder. When the first holder ends, "
         "the page goes to a new request while the other still reads it.", *COUNT),
    said("freed-for-all", "freed for all", "A request that ends takes its pages along.",
         "You free the pages of a request that ends, though others hold them.", *COUNT),
    said("freed-with-its-first-holder", "freed with its first", "A page belongs to the request "
        "that took it.",
         "You free a page when the request that took it ends, though others still hold it.",
         *COUNT),
    said("never-freed", "never freed", "Without a table a page is free.",
         "You forget the table of a request that ends, but still count it as a holder. Its pages "
         "leak.",
         *COUNT),
    said("zeros-stay", "zeros stay", "A page has 0 holders.",
         "Your `holders` names pages that no request holds.", *COUNT, kind="form"),
    said("empty-table-stays", "empty stays", "A request that ended holds an empty list.",
         "Your tables keep requests that ended.", *COUNT, kind="form"),
    said("ones-for-counts", "ones", "A page is held or it is not.",
         "You count one holder of each page, however many there are.", *COUNT, kind="form"),
    said("others-counted", "others", "Counted are those that share.",
         "You count the other holders of a page, without the first.", *COUNT, kind="form"),
    said("shared-pages-only", "shared only", "Counted are shared pages.",
         "Your `holders` has only pages with several holders. It should have all pages that are "
         "held.", *COUNT,
         kind="form"),
    said("list-of-counts", "listed", "Counts are a list.",
         "Your `holders` is a list. The task asks for a dict of the pages that are held.", *COUNT,
         kind="form"),
    said("found-after-the-end", "remembered", "Computed pages stay.",
         "You find pages that no open request holds any more. Here such a page is free, and its "
         "contents are forgotten.", *GONE),
    said("found-when-written-over", ("remembered", "remembered while taken"),
         "Computed pages stay for ever.",
         "You find pages whose last holder has ended, even while another request writes into them.",
         *GONE, variants=("index for ever",)),
    said("prompts-only", "prompts only", "Only prompts are shared.",
         "A page that is filled by generated tokens is never found. It should be found like any "
         "other full page.", *FULL, kind="form"),
    said("all-told", "all computed", "A request computes its prompt.",
         "You count all tokens of a prompt as computed, also those that were found.", *TOLD,
         kind="form"),
    said("found-told", "found told", "The found tokens count.",
         "You return how many tokens are found. The task asks how many are computed.", *TOLD,
         kind="form"),
    said("pages-told", "pages told", "Computed are pages.",
         "You return how many pages are computed. The task asks for tokens.", *TOLD, kind="form"),
    said("whole-pages-told", "new page whole", "A page is computed whole.",
         "You count whole pages of tokens, also where the last one is not full.", *TOLD,
         kind="form"),
    said("total-told", "one total", "One number for all.",
         "You return one number for all requests.", *TOLD, kind="form"),
    said("appends-told", "appends told", "An append is computed too.",
         "You add a number for each append. `computed` has one for each request that begins.",
         *TOLD, kind="form"),
    said("appends-added", "appends added", "An append is computed too.",
         "You add appended tokens to the count of the latest request.", *TOLD, kind="form"),
    said("prompt-is-changed", "writes into prompt", "A request's text is its prompt's list.",
         "You append to the list that you were handed: copy a prompt before you add to it.",
         *TOLD, kind="form"),
    said("highest-page", "highest", "The latest page is as good.",
         "If several pages have the same text, you take the highest.", *SAME),
    said("first-page-stays", "first stays", "The first page is remembered.",
         "You know one page for a text, the first. When it goes, its twin, which is still held, "
         "is not found.", *SAME),
    said("last-page-stays", "last stays", "The last page is remembered.",
         "You remember one page for each text, the last one. The task asks for the lowest that is "
         "held.",
         *SAME),
    said("oldest-page", "first known", "The oldest page is the first.",
         "If several pages have the same text, you take the one that was filled first. The task "
         "asks for the lowest.", *SAME),
    said("newest-page", "last known", "The latest entry is known.",
         "If several pages have the same text, you take the one that was filled last, or that of "
         "the request that began last. The task asks for the "
         "lowest.", *SAME, variants=("last begun",)),
    said("one-donor", "donor", "All pages come from one request.",
         "You take all pages from the request with which the prompt has most in common. If several "
         "pages have the same text, take the lowest, no matter which request holds it.", *SAME,
         variants=("donor of pages",)),
    said("merged", "merged", "Two pages with the same text are one too many.",
         "You put one page in place of two that turned out the same. A table keeps the page that "
         "it has.", *SAME),
    said("own-tokens-and-no-query", ("own tokens", "no query left"),
         "The same tokens are the same page, to the last.",
         "You find a page by its own tokens, and whole prompts to the last token. After a "
         "different beginning keys differ, and without a query there is no first token.", *CHAIN),
    said("half-pages-to-the-end", ("half pages", "no query left"),
         "The same text is the same page, to the last token.",
         "You share pages that are not full, and find whole prompts to the last token: no query "
         "is left for the first token of the answer.", *FULL),
)  # fmt: skip
