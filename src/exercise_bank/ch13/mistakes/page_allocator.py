"""How 13.page_allocator goes wrong."""

from exercise_bank.ch13.mistakes import page_allocator_code as code
from exercise_bank.skills import said

MISCONCEPTIONS = (
    said(
        "written-in-place",
        code.written_in_place,
        "A sequence may write into each of its pages.",
        "You write into a page that others hold too. Their texts then contain a token that is not "
        "theirs.",
        "a and b share a page with one token. Both append another one. What does the page hold?",
        "A page with two holders is only read.",
        "Before a write into a shared page, give the writer a free page.",
    ),
    said(
        "original-writes-in-place",
        code.original_in_place,
        "A page belongs to the sequence that took it.",
        "Your original writes into a page that its fork reads too. The fork then holds a token "
        "that is not its own. Whichever of the two writes first needs a copy.",
        "a has one token and is forked to b. a appends another one. What does b's page hold?",
        "A page with two holders is only read, by the one that took it as well.",
        "Ask how many holders the page has, and not who took it.",
        variants=(code.original_of_any_in_place,),
    ),
    said(
        "fork-writes-in-place",
        code.fork_in_place,
        "A fork takes over the pages of its original.",
        "Your fork writes into a page that its original reads too. The original then holds a token "
        "that is not its own. Whichever of the two writes first needs a copy.",
        "a has one token and is forked to b. b appends another one. What does a's page hold?",
        "A page with two holders is only read.",
        "Ask how many holders the page has, and not whose fork a sequence is.",
        variants=(code.fork_without_forks_in_place,),
    ),
    said(
        "old-page-kept",
        code.old_page_kept,
        "A copy concerns the new page only.",
        "You count the writer as a holder of the old page still, though its table has the new one. "
        "When its other holders give that page up, it does not become free.",
        "Add up your holders and the entries of your tables. Are they equal?",
        "After a copy the writer holds one page more and one less.",
        "Take one from the old page's count.",
    ),
    said(
        "fork-not-counted",
        code.fork_not_counted,
        "A fork takes no memory, so nothing changes.",
        "Your fork does not count as a holder. When one of the two writes or leaves, the page "
        "counts as unshared or as free, while the other still reads it.",
        "How many tables hold page 0 after a fork? What do you count?",
        "A fork takes no page; it takes a share in each.",
        "Count one more holder of every page of the original.",
    ),
    said(
        "freed-for-all",
        code.freed_for_all,
        "A sequence that leaves frees its pages.",
        "You set the count of a page to 0 when one of its holders leaves. The next sequence is "
        "handed a page that another sequence still reads.",
        "a and b share a page, and a leaves. Who holds it now?",
        "Counts go down one at a time.",
        "Take one from the count of each page.",
    ),
    said(
        "never-counted-down",
        code.never_counted_down,
        "A page that a sequence gives up is free.",
        "You set a page's count to 0 when a sequence leaves, and after a copy too. The others "
        "still hold it: the next one that needs a page is handed theirs.",
        "a and b share a page, and b takes a copy. Who holds the old page now?",
        "Counts go down one at a time.",
        "Take one from the count instead of setting it to 0.",
    ),
    said(
        "never-freed",
        code.never_freed,
        "Without a table a page is free.",
        "You forget the table of a sequence that leaves, and go on counting it as a holder. Its "
        "pages are lost.",
        "Add up your holders and the entries of your tables. Are they equal?",
        "A page is found by its count.",
        "Take one from the count of each page that the table held.",
    ),
    said(
        "full-page-copied",
        code.full_page_copied,
        "The last page is copied if it is shared.",
        "You copy a last page that is full. The new token goes into a new page, and nothing is "
        "written into the old one.",
        "Into which page does the token go when the last one is full?",
        "Reading needs no copy.",
        "Ask first whether the last page has room.",
        variants=(code.full_page_copied_first,),
    ),
    said(
        "own-page-copied",
        code.own_page_copied,
        "A write needs a new page.",
        "You copy the last page at every append that finds room in it, even if its sequence is "
        "the only holder.",
        "How many tables name the page that you copy?",
        "A page with one holder is written where it lies.",
        "Copy only where the count is above 1.",
    ),
    said(
        "fork-copies-the-last",
        code.fork_copies_the_last,
        "The last page of a fork will be written anyway.",
        "Your fork copies the last page at once when it has room. The copy is to be made when one "
        "of the two writes, and for the one that writes first: the other may never write.",
        "a is forked and never written again. How many pages are in use with yours?",
        "Copy on write, not on fork.",
        "Let the new table name the same pages, the last one too.",
    ),
    said(
        "fork-without-length",
        code.fork_without_length,
        "A fork shares pages, and begins to count anew.",
        "Your fork holds the pages of its original, and none of its tokens: it does not know that "
        "its last page has room.",
        "How many tokens does a sequence hold right after the fork?",
        "Where a table is copied, its length is too.",
        "Give the fork the length of the original.",
    ),
    said(
        "in-place-when-full",
        code.in_place_when_full,
        "If the pool is full, the shared page must do.",
        "When the pool has no free page for a copy, you write into the shared page. The other "
        "sequence then reads a token that is not its own; such an append is to be refused.",
        "Two sequences share a half-full page, and no page is free. Whose token comes next?",
        "A page with two holders is only read.",
        "Refuse the append, and leave the length as it is.",
        kind="corner",
    ),
    said(
        "table-of-the-refused",
        code.table_of_the_refused,
        "A sequence has a table from its first append on.",
        "A sequence whose only append was refused is in your tables, with an empty list. "
        "Asked for are the sequences that hold a token.",
        "What does `setdefault` do before you know whether a page is free?",
        "A refused append changes nothing.",
        "Enter the table when the sequence has its page.",
        kind="corner",
    ),
    said(
        "let-go-first",
        code.let_go_first,
        "First the old page is given up, then a new one is found.",
        "You take one from the old page's count before you know whether a page is free for the "
        "copy. An append that is refused changes nothing.",
        "Add up your holders and the entries of your tables after a refusal. Are they equal?",
        "Look first, change afterwards.",
        "Find a free page before you give up the old one.",
        kind="corner",
    ),
    said(
        "last-freed-first",
        code.last_freed_first,
        "Any free page will do.",
        "You hand out the page that was freed last. Asked for is the free page with the lowest "
        "number.",
        "Pages 0 and 1 become free, in this order. Which one do you take?",
        "A stack returns its newest entry.",
        "Take the smallest of your free pages, or search the counts from page 0.",
        kind="form",
    ),
    said(
        "highest-first",
        code.highest_first,
        "Any free page will do, and the end of a list is easily taken.",
        "You hand out the free page with the highest number. Asked for is the lowest.",
        "All pages are free. Which one does the first token take?",
        "list.pop() takes the last of a list.",
        "Take the smallest of your free pages, or search the counts from page 0.",
        kind="form",
    ),
    said(
        "copies-untold",
        code.copies_untold,
        "Copies show in the tables.",
        "Your tables and counts are right, and your list of copies is empty. The code that holds "
        "the tensors needs both page numbers to copy them.",
        "What is the third part of the example's answer?",
        "A copy is made where a token is written into a page that others hold too.",
        "Append the pair (old page, new page) whenever a page is replaced.",
        kind="form",
    ),
    said(
        "first-freed-first",
        code.first_freed_first,
        "Free pages wait in a line.",
        "You hand out the page that has been free longest. Asked for is the free page with the "
        "lowest number.",
        "Page 0 becomes free while page 2 was never used. Which one do you take?",
        "A queue returns its oldest entry.",
        "Take the smallest of your free pages, or search the counts from page 0.",
        kind="form",
    ),
    said(
        "empty-table-stays",
        code.empty_table_stays,
        "A freed sequence holds an empty list.",
        "Your tables keep an empty list for a sequence that was freed. Asked for are the sequences "
        "that hold a token.",
        "Which names are in your tables after the last one was freed?",
        "A freed sequence is gone, with its name.",
        "Delete its entry.",
        kind="form",
    ),
    said(
        "fork-copies",
        code.fork_copies,
        "A fork needs memory of its own.",
        "Your fork copies every page at once. Most of them are never written again: they are a "
        "beginning that both only read.",
        "How many pages do ten answers to one long prompt take with yours?",
        "Copy on write, not on fork.",
        "Let the new table name the same pages, and count one more holder of each.",
    ),
    said(
        "old-length",
        code.old_length,
        "A name belongs to one sequence for ever.",
        "A sequence that was freed and begins again has its old length in your code. It starts in "
        "the middle of a page.",
        "How many tokens does a new sequence hold?",
        "Something of a freed sequence is still there in your code.",
        "Forget its length with its table.",
        kind="corner",
    ),
    said(
        "refused-but-counted",
        code.refused_but_counted,
        "A token that came is a token.",
        "You count a refused token in the length of its sequence. The token lies nowhere, so from "
        "then on your pages begin at the wrong places, or not at all.",
        "In which page would that token lie?",
        "A refused append changes nothing.",
        "Change the length where you change the table.",
        variants=(code.refused_and_never_full_again, code.refused_growth_counted),
        kind="corner",
    ),
    said(
        "refused-and-believed",
        code.refused_and_believed,
        "A sequence that appends has a page.",
        "You add an append that found no page to the length. The next one believes that the token "
        "lies in a page, and looks for a table or a page that is not there.",
        "Which pages does a sequence hold whose only append was refused?",
        "A refused append changes nothing.",
        "Change the length where you change the table.",
        kind="corner",
    ),
    said(
        "stops-when-full",
        code.stops_when_full,
        "When no page is free all is over.",
        "You stop at the first append that finds no page. Later events may free some.",
        "Which events of your list are never looked at?",
        "A refused append changes nothing, and the next event comes.",
        "`continue`, not `break`.",
        kind="corner",
    ),
    said(
        "one-list-for-both",
        code.one_list_for_both,
        "Assigning a list copies it.",
        "Original and fork have the same list as their table: a page that one of them takes shows "
        "up in the other's as well.",
        "Which entries has x after y = x; y.append(1)?",
        "Pages are shared; tables are not.",
        "Give the fork a list of its own.",
    ),
    said(
        "pairs-turned",
        code.pairs_turned,
        "A copy is a pair that begins with its new page.",
        "Your copies are pairs of new and old page. Asked for is old first: from where to where.",
        "Which page did the first copy of your list come from?",
        "Each pair holds the right two pages.",
        "Exchange the two.",
        kind="form",
    ),
    said(
        "a-page-for-each-token",
        code.a_page_for_each_token,
        "A token takes a page.",
        "Each of your tokens takes a page of its own, whatever the size of a page is.",
        "How many tokens fit into a page?",
        "A new page is needed only when the last one is full.",
        "Compare the length with the size of a page.",
    ),
    said(
        "always-the-next-page",
        code.always_the_next_page,
        "Pages are handed out in turn.",
        "You hand out pages in turn, and never go back to one that became free before. The pool "
        "runs dry though it has free pages; asked for is the lowest one that is free.",
        "Which page is the lowest without a holder?",
        "A page with count 0 is free, whatever its number is.",
        "Search from page 0.",
    ),
    *(
        said(
            answer.__name__.replace("_", "-") + "-when-full",
            answer,
            "A full pool is an error.",
            "Your function raises an error when no page is free. Such an append is to be refused: "
            "nothing changes, and the next event comes.",
            "What happens to the other sequences when one finds no page?",
            "A later event may free some.",
            "Go on with the next event.",
            kind="corner",
        )
        for answer in (
            code.raises_value_error,
            code.raises_index_error,
            code.raises_memory_error,
            code.raises_runtime_error,
        )
    ),
    said(
        "one-token-too-late",
        code.one_token_too_late,
        "A page holds one token more than its size.",
        "Your sequences take their second page one token late: the first page holds size + 1.",
        "With pages of 2, in which page does the third token lie?",
        "The first page is full when the length is `size`.",
        "Lengths 0, size, 2 · size need a new page.",
    ),
)
