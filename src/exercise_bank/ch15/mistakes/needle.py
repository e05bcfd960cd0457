"""How 15.needle goes wrong."""

from functools import partial

from exercise_bank.ch15.mistakes.needle_code import judged
from exercise_bank.skills import saying

said = saying(lambda ways: partial(judged, **ways))

CONTENT = "Exactly one of all the values stands among the words of a right reply: the right one."
LEAK = "A fact may be asked for when neither its key nor its value is a word of the haystack."
PLACE = "round(depth · (length − 1)) fillers stand before the needle."
KNOWN = "Ask each question once with the prompt []: who is right then did not need to read."

SCORED = (
    said("equal-replies", {"score": "equal"}, "A right reply is the value.",
         "You count a reply only where it *is* the value. “It is harp.” is right as well; your "
         "test scores wording.",
         "Which replies would you accept from a person?", CONTENT),
    said("equal-but-for-case", {"score": "equal but for case"}, "Case does not matter, words do.",
         "You ignore upper and lower case, and still ask that the reply is the value and no more.",
         "What of “It is harp.”?", CONTENT),
    said("equal-but-for-marks", {"score": "equal but for case and point"}, "Marks do not matter.",
         "You ignore case and punctuation, and still ask that the reply is the value and no more.",
         "What of “It is harp.”?", CONTENT),
    said("case-matters", {"score": "exact case"}, "HARP is another word.",
         "You count whole words, and miss those in capitals.",
         "What of “HARP”?", "Compare in lower case."),
    said("inside-words", {"score": "inside"}, "The value stands somewhere in the reply.",
         "You look for the letters of the value, so that “harps” and “unharp” count, and a reply "
         "that lists several values as well.",
         "What of “harpoon”? Of “harp or cat”?", CONTENT),
    said("inside-words-in-case", {"score": "inside, exact case"}, "`in` finds it.",
         "`value in reply` counts “harpoon” and “harp or cat”, and does not count “HARP”.",
         "Which three replies does it judge wrongly?", CONTENT),
    said("inside-words-one-only", {"score": "inside, one only"}, "Letters are words.",
         "You refuse replies with several values, but look for letters and not for words: “harps” "
         "counts.",
         "What of “harpoon”?", "Split the reply into words."),
    said("others-inside-words", {"score": "others inside"}, "Letters of another value are one.",
         "You find the value as a word, as you should, and the other values by their letters: "
         "“harps” in a reply counts as a harp with you, and spoils it.",
         "Which values does “No harps; a cat” name?", "Split into words, for all values."),
    said("last-word", {"score": "ends with"}, "The answer comes last.",
         "You look at the last word of a reply. In “harp, no other” it is another.",
         "Where in a reply may the value stand?", CONTENT),
    said("marks-belong-to-words", {"score": "split at spaces"}, "Words stand between spaces.",
         "You split at spaces, so “harp.” and “harp,” are no harp.",
         "What are the words of “It is harp.”?", "A word is a run of letters."),
    said("last-value-counts", {"score": "the last value"}, "The last word is the model's word.",
         "Of several values you take the last. Who names several has not said which.",
         "What of “cat or harp”?", CONTENT),
    said("first-value-counts", {"score": "the first value"}, "The first word is the model's word.",
         "Of several values you take the first. Who names several has not said which.",
         "What of “harp or cat”?", CONTENT),
    said("said-once", {"score": "once"}, "Who says it twice is not sure.",
         "You refuse a reply that says the value twice. It names one of the values, as often as it "
         "says it.",
         "How many of the values does “HARP, the harp of course” name?", CONTENT),
    said("several-values", {"score": "several"}, "The value is among the words.",
         "You split into words, as you should, and count a reply that names every value. A model "
         "that lists all that could be right has found nothing.",
         "What of “harp or cat”?", CONTENT),
    said("values-left-only", {"score": "among those left"}, "What is not asked for is no answer.",
         "You compare a reply with the values of the facts that are left. The value of a dropped "
         "fact is in `facts` too: “harp or cat” names two of them.",
         "Which values does the rule name?", CONTENT),
)  # fmt: skip

PLACED = (
    said("rounded-down", {"place": "floor"}, "int() rounds.",
         "You round the place down: 0.85 · 8 = 6.8 becomes 6. The nearest whole number is 7.",
         "What is int(2.8)?", PLACE),
    said("rounded-up", {"place": "ceil"}, "The place is rounded up.",
         "You round the place up: 0.4 · 8 = 3.2 becomes 4. The nearest whole number is 3.",
         "What is the nearest whole number to 3.2?", PLACE),
    said("length-for-fillers", {"place": "length"}, "Depth is a share of the length.",
         "You take depth · length. Before the needle there is room for length − 1 fillers at most.",
         "How many places are there among 4 fillers, the first being 0?", PLACE),
    said("length-for-fillers-rounded-down", {"place": "length, floor"}, "int() will do.",
         "You take depth · length, rounded down. Before the needle there is room for length − 1 "
         "fillers at most, and places are rounded to the nearest whole number.",
         "How many places are there among 4 fillers, the first being 0?", PLACE),
    said("depth-of-the-haystack", {"place": "of the haystack"}, "Depth is a share of everything.",
         "You take depth · the number of all sentences. The place is one in the prompt, among its "
         "length − 1 fillers.",
         "How many fillers can stand before the needle in a prompt of length 3?", PLACE,
         variants=({"place": "of the haystack", "fill": "up to it"},)),
    said("never-last", {"place": "one less"}, "The last place is length − 2.",
         "At depth 1 your needle is the last sentence but one.",
         "How many fillers stand before a needle that is last of five?", PLACE),
    said("from-the-end", {"place": "from the end"}, "Depth 0 is the end.",
         "Your depths count from the end: at 0 your needle stands last. It is to stand first.",
         "Which sentence is the needle at depth 0?", PLACE),
    said("always-first", {"place": "start"}, "The needle opens the text.",
         "Your needle always stands first, whatever the depth.",
         "Does your prompt depend on the depth?", PLACE),
    said("always-last", {"place": "end"}, "The needle is appended.",
         "Your needle always stands last, whatever the depth.",
         "Does your prompt depend on the depth?", PLACE),
    said("one-too-deep", {"place": "after"}, "It comes after the sentence at its depth.",
         "Your needle has one filler too many before it; at depth 0 it stands second.",
         "Which sentence is the needle at depth 0?", PLACE),
    said("one-sentence-too-many", {"fill": "too many"}, "The length is that of the haystack.",
         "Your prompts have a sentence too many: `length` fillers, and the needle.",
         "How many sentences has your prompt?", "The needle is one of the `length` sentences."),
    said("needle-on-top", {"fill": "too many", "place": "length, to the end"},
         "The needle comes on top of the length.",
         "You take `length` fillers and place the needle among them at depth · length. The needle "
         "is one of the `length` sentences.",
         "How many sentences has your prompt?", PLACE),
    said("before-the-last", {"place": "minus one"}, "-1 is the end.",
         "At depth 1 your needle is the last sentence but one: `insert(-1, …)` inserts before the "
         "last.",
         "What does [1, 2].insert(-1, 3) give?", PLACE),
    said("other-fillers", {"fill": "last"}, "Any sentences are a haystack.",
         "Your prompts have the right length, and other sentences than the first length − 1, or "
         "these in another order. Prompts then differ in more than length and depth.",
         "Which sentences stand in a prompt of length 3?", "length − 1 fillers and the needle."),
    said("one-sentence-too-few", {"fill": "too few"}, "Needle and question count.",
         "Your prompts have a sentence too few.",
         "How many sentences has your prompt?", "length − 1 fillers and the needle."),
    said("whole-haystack", {"fill": "all"}, "The haystack is the haystack.",
         "You use all sentences for every length, so all lengths are one.",
         "Does your prompt depend on the length?", "length − 1 fillers and the needle."),
    said("all-needles-at-once", {"fill": "all needles"}, "One prompt serves all questions.",
         "You put all facts into one prompt. Then a question has several needles to choose from, "
         "and only one of them stands at the depth.",
         "How many needles has a prompt?", "Build a prompt for each fact."),
    said("needle-for-filler", {"fill": "replaces"}, "The needle takes a filler's place.",
         "Your needle replaces a filler of length − 1, so most prompts are a sentence short.",
         "How many sentences has your prompt?", "Insert it instead."),
    said("facts-dealt-out", {"fill": "shares the places"}, "Facts are dealt to the depths.",
         "You ask each fact at one depth only. A fact that is easier than others then makes its "
         "depth look easy: depth and fact are not balanced.",
         "How many questions does each entry rest on?", "Ask every fact in every place."),
)  # fmt: skip

KEPT = (
    said("haystack-not-searched", {"leak": "no"}, "Fillers are harmless.",
         "You keep facts whose key or value stands in the haystack. A model can then answer from "
         "there, or be led astray.",
         "What else in the prompt speaks of the key?", LEAK),
    said("key-only", {"leak": "key"}, "A leak names the key.",
         "You search the haystack for keys alone. A value that stands there is a good guess.",
         "What could a model name that has not found the needle?", LEAK),
    said("value-only", {"leak": "value"}, "A leak names the value.",
         "Your search of the haystack finds values alone: keys are not looked for, or with their "
         "capital in a text in lower case. A key that stands there makes two places that speak "
         "of it.",
         "How often does the key occur in your prompt?", LEAK),
    said("both-only", {"leak": "both"}, "A leak names key and value.",
         "You drop a fact only where key *and* value stand in the haystack. One of them is enough.",
         "Which word could be guessed?", LEAK),
    said("one-sentence-only", {"leak": "one sentence"}, "A leak is a sentence with both.",
         "You drop a fact only where one sentence names key and value. One of them is enough.",
         "Which word could be guessed?", LEAK),
    said("needle-sentence-only", {"leak": "needle"}, "A leak is the needle itself.",
         "You look for the very sentence of the needle. Any word of it that counts is a leak.",
         "Which word could be guessed?", LEAK),
    said("leak-inside-words", {"leak": "inside"}, "Letters are words.",
         "You drop facts whose letters stand inside other words. “harpoon” does not tell “harp”.",
         "Which words has the haystack?", LEAK, variants=({"leak": "inside, key in exact case"},)),
    said("leak-inside-words-in-case", {"leak": "inside, exact case"}, "`in` finds it.",
         "You look for letters, in upper and lower case as they are: “harpoon” counts as a leak, "
         "and “Harp!” does not.",
         "Which words has the haystack?", LEAK),
    said("value-inside-words", {"leak": "value inside"}, "A leak names the value.",
         "You look for the letters of the value alone: “harpoon” counts as a leak, and the key "
         "does not.",
         "Which words has the haystack?", LEAK),
    said("leak-in-case", {"leak": "exact case"}, "“Harp” is another word.",
         "You search the haystack with upper and lower case as they are; “Harp!” tells “harp”.",
         "Is “HARP” the word “harp”?", "Compare in lower case."),
    said("leak-between-spaces", {"leak": "spaces"}, "Words stand between spaces.",
         "You split the haystack at spaces, with case and marks: “Harp!” tells “harp”.",
         "What are the words of “Was it the harp?”", "A word is a run of letters."),
    said("leak-with-marks", {"leak": "spaces but for case"}, "Marks belong to words.",
         "You ignore upper and lower case, and some marks stay on the words of your haystack. "
         "“Harp!” in curly quotes tells “harp”.",
         "What are the words of “‘Harp!’, she cried”?", "A word is a run of letters.",
         variants=({"leak": "marks stripped"},)),
    said("key-in-case", {"leak": "key in exact case"}, "A key is written as it is.",
         "You search for values in lower case, and for keys as they are written; “TOM” tells of "
         "Tom.",
         "Is “TOM” the word “Tom”?", "Compare in lower case."),
    said("spaces-everywhere", {"score": "split at spaces", "leak": "spaces but for case"},
         "Words stand between spaces.",
         "You split at spaces, in replies and in the haystack, so “harp.” and “harp,” are no harp.",
         "What are the words of “It is harp.”?", "A word is a run of letters."),
    said("used-fillers-only", {"leak": "used"}, "Only fillers that are used can leak.",
         "You search the fillers of the longest prompt. Asked for is every sentence given, so that "
         "all lengths have the same facts.",
         "Which sentences does the text name?", LEAK),
    said("memory-not-asked", {"known": "no"}, "A model knows what it reads.",
         "You keep facts that the model knows without reading: it is right at every depth, and "
         "your map says that it reads there.",
         "How would you know that it read at all?", KNOWN),
    said("every-guess-drops", {"known": "any reply"}, "Who answers unread knows.",
         "You drop facts for which the model says anything at all with an empty prompt, wrong "
         "guesses too.",
         "Is a wrong guess knowledge?", KNOWN),
    said("wrong-guess-drops", {"known": "any value"}, "Who names a value knows one.",
         "You drop a fact when the model names any value with an empty prompt, another fact's too. "
         "A wrong guess is not knowledge, and it may be right once it has read.",
         "Is a wrong guess knowledge?", KNOWN),
    said("asked-with-the-haystack", {"known": "haystack"}, "It is asked over the haystack.",
         "You ask what the model knows with sentences in the prompt. A model that gives up on what "
         "it reads then hides what it knows; asked for is an empty prompt.",
         "What is the prompt []?", KNOWN, variants=({"known": "fillers"},)),
    said("known-word-for-word", {"known": "equal"}, "Who knows says the value and no more.",
         "With an empty prompt you count a reply only where it *is* the value. “I say harp” knows "
         "it as well.",
         "Would you count this reply with a needle in the prompt?", "One rule for all replies.",
         variants=({"known": "equal but for case"}, {"known": "equal but for case and point"})),
    said("lists-count-as-known", {"known": "several"}, "It named it, so it knew.",
         "With an empty prompt you count a reply that names several values as right. It is not.",
         "What of “harp or cat”?", "One rule for all replies."),
)  # fmt: skip

RETURNED = (
    said("share-of-all-facts", {"result": "of all facts"}, "The share is that of all facts.",
         "You divide by all facts, those too that you do not ask for.",
         "How many questions does an entry rest on?", "Divide by the number of facts kept."),
    said("dropped-are-asked", {"result": "asks all"}, "Dropping is for the list.",
         "Your list of keys is right. Your shares rest on all facts: you ask for those too that "
         "you dropped.",
         "How many questions does an entry rest on?", "Ask for the facts that are left."),
    said("counts", {"result": "counts"}, "Asked for is how many.",
         "You return how many were found; asked for is the share.",
         "What is the largest entry that you can return?", "Divide by the number asked."),
    said("missed", {"result": "missed"}, "Asked for is the error.",
         "You return the share that was missed.",
         "What is your entry for a perfect model?", "Take it from 1."),
    said("all-or-nothing", {"result": "all or nothing"}, "A place is read or not.",
         "Your entries are 1 where all facts are found, and 0 otherwise. Asked for is the share.",
         "What if half of them are found?", "Take the mean over the facts."),
    said("depth-first", {"result": "depth first"}, "The depth comes first.",
         "Your keys are (depth, length).", "What is the first key of the example?",
         "Exchange the two."),
    said("keys-dropped", {"result": "dropped"}, "Asked for is what leaks.",
         "Your second list names the facts that were dropped; asked for are those kept.",
         "Which facts were asked?", "Return the keys that are kept."),
    said("values-returned", {"result": "values"}, "A fact is its value.",
         "Your second list holds values; asked for are keys.",
         "What does the example return?", "Return the first of each pair."),
    said("pairs-returned", {"result": "pairs"}, "A fact is a pair.",
         "Your second list holds pairs; asked for are keys.",
         "What does the example return?", "Return the first of each pair."),
    said("every-key", {"result": "every key"}, "All facts are asked for.",
         "Your shares are right. Your second list names every fact, those too that were dropped.",
         "Which facts were asked?", "Return the keys that are kept."),
    said("zero-for-nothing", {"empty": "0"}, "Nothing asked is nothing found.",
         "Where no fact is left you return a result. It looks as if the model had been tested, and "
         "nothing was asked; raise a ValueError.",
         "What does a test show that asks nothing?", "Raise before you go through the lengths."),
    said("another-error", {"empty": "ZeroDivisionError"}, "It stops by itself.",
         "Where no fact is left your function stops by another error than a ValueError. Who calls "
         "it cannot tell that from a slip in the code.",
         "Which error does the task name?", "Raise before you go through the lengths.",
         variants=({"empty": "AssertionError"}, {"empty": "Exception"})),
)  # fmt: skip

MISCONCEPTIONS = SCORED + PLACED + KEPT + RETURNED
