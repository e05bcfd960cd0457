"""How 13.find_fault goes wrong."""

from functools import partial

from exercise_bank.ch13.mistakes import find_fault_code as code
from exercise_bank.ch13.mistakes.find_fault_missed import FAULTS
from exercise_bank.naming import unrecognised
from exercise_bank.skills import said

_AS_POINTER = (("first key", "stale pointer"),)

MISCONCEPTIONS = (
    said(
        "always-none",
        code.always_none,
        "What returns numbers is sound.",
        'You say "none" of every decoder that was tried.',
        "With queries of 0, what is the output of token 3?",
        "Compare the decoder's output with attention over the whole text.",
        "Send the values 1, 2, 4 in different chunks: row t is the mean of the visible values.",
    ),
    said(
        "first-key-always",
        code.always_first_key,
        "What differs in the last digit is wrong.",
        'You say "first key" of every decoder, of the sound ones too. Most likely your own '
        "attention is wrong, or you compare with == numbers that were added up in another order.",
        "By how much do a sound decoder and your own attention differ in one prefill?",
        "Look at three things: the scale of the scores, the mask, and how equality is tested.",
        "Compare with torch.allclose.",
    ),
    said(
        "top-left-always",
        code.always_top_left,
        "What differs in the last digit is wrong.",
        'You say "top left" of every decoder, of the sound ones too. Most likely your own '
        "attention is wrong, or you compare with == numbers that were added up in another order.",
        "By how much do a sound decoder and your own attention differ in single steps?",
        "Look at three things: the scale of the scores, the mask, and how equality is tested.",
        "Compare with torch.allclose.",
    ),
    said(
        "prefill-only",
        code.prefill_only,
        "A decoder that reads a prompt rightly is right.",
        'You say "none" of decoders that are wrong only after their first chunk, and confuse the '
        "two faults of a window. A single prefill never reads keys that an earlier call cached.",
        "In which of your calls is there a second chunk?",
        "A cache is tested by the calls after the prefill.",
        "Try single steps, a prefill and a step, a step and a chunk.",
    ),
    said(
        "single-steps-only",
        code.single_steps_only,
        "A decoder works token by token.",
        'You say "none" of decoders that are wrong when several tokens arrive together: one moves '
        "its pointer by 1, one lets a chunk look ahead, one drops keys before it attends.",
        "What is the largest chunk that you try?",
        "With one token a call, a pointer that moves by 1 is right.",
        "Try a prefill before the steps, a chunk after them, and a prefill longer than the window.",
    ),
    said(
        "no-later-chunk",
        code.no_chunk_after_the_first,
        "After the prompt tokens come one by one.",
        'You say "none" of a decoder that lets a later chunk look ahead. Its first chunk is right, '
        "and so is every chunk of one token. The fault shows only in a later chunk of several "
        "tokens, in all rows but the last.",
        "Does any of your calls have two tokens in a chunk that is not the first?",
        "Within a chunk, too, a token may not see what follows it.",
        "Try a step, then a chunk.",
        kind="form",
    ),
    said(
        "window-never-full",
        code.short_text,
        "A window shows at any length.",
        'You say "none" of both decoders whose window is wrong. Such a fault does not show without '
        "a window, nor while the text is no longer than the window.",
        "How many tokens do you send, and how large is your window?",
        "Until the window is full nothing is dropped, and everything is seen.",
        "Let the text be longer than the window.",
    ),
    said(
        "short-prefill",
        code.short_prefill,
        "A window is filled step by step.",
        'You say "none" of the decoder that drops old keys before a chunk attends. Its output is '
        "right for every chunk of one token, and as long as the text fits into the window. It is "
        "wrong for a chunk of several tokens that makes the text longer than the window.",
        "Does a chunk hold several tokens when you set a window?",
        "The first tokens of a chunk need keys that its last ones do not.",
        "Send five tokens at once with a window of 3.",
    ),
    said(
        "windows-exchanged",
        code.windows_exchanged,
        "In steps it is the dropping that fails.",
        'You exchange "window + 1" and "drops early". Dropping before attending is right in single '
        "steps; a window that is one too wide is wrong there as well.",
        "In single steps, which keys does the newest token lack when the oldest was dropped first?",
        "Which of the two is wrong in single steps?",
        "Exchange the two names.",
    ),
    said(
        "one-window-fault",
        code.any_window_fault,
        "A wrong window is a wrong window.",
        'You say "window + 1" of a decoder that drops keys too early. Both are wrong in a prefill '
        "that is longer than the window. In single steps the one that drops keys is right.",
        "What do the two do in single steps?",
        "Test the window twice, with different chunks.",
        "Ask first in single steps, then in one prefill.",
    ),
    said(
        "last-row-only",
        code.last_row_only,
        "The newest token's output is the one that counts.",
        'You say "none" of decoders whose last output is right and whose earlier ones are wrong: '
        "the last token of a chunk has nothing to see ahead, and needs no key that was dropped.",
        "Which rows of the output do you compare?",
        "Within a chunk each token has a row of its own.",
        "Compare all rows.",
    ),
    said(
        "steps-before-prefill",
        code.steps_before_prefill,
        "A fault in single steps is a fault of the mask.",
        'You say "top left" of a decoder that never writes its first key. That one is wrong in '
        "every call, and also in a single prefill, where the mask is right.",
        "Which of the two is right in one prefill?",
        "Ask the simplest question first.",
        "Try one prefill before the single steps.",
        kind="form",
    ),
    said(
        "long-prefill-first",
        code.long_prefill_first,
        "A long prefill shows which keys are dropped.",
        'You say "drops early" of a decoder whose window is one too wide. Both are wrong in a '
        "prefill that is longer than the window. In single steps only the wide window is wrong, "
        "and only once there are more tokens than the window holds.",
        "What do the two do in single steps?",
        "In steps, dropping before attending loses nothing that is needed.",
        "Ask first in single steps, then in one prefill.",
        kind="form",
    ),
    said(
        "window-before-all",
        code.steps_with_a_window_first,
        "What fails with a window is a fault of the window.",
        'You say "window + 1" of decoders that are wrong without a window too. A fault that has '
        "nothing to do with windows shows in that call as well.",
        "Which of your calls does a decoder fail that never writes its first key?",
        "Rule the other faults out before you ask about windows.",
        "Ask without a window first.",
        kind="form",
    ),
    said(
        "equal-values",
        code.equal_values,
        "Any values show which keys are visible.",
        'You name the decoders that give zeros somewhere, and say "none" of all others. Where all '
        "values are equal, so is every mean, whatever is seen.",
        "What is the mean of 1 and 1? Of 1, 1 and 1?",
        "Different values make each set of seen tokens give another mean.",
        "Use 1, 2, 4, 8 as values.",
    ),
    said(
        "pointer-for-mask",
        code.pointer_for_mask,
        "What fails after a prefill is the mask.",
        'You say "top left" of the stale pointer too: both are wrong after a prefill. In single '
        "steps from the start, only the decoder with the wrong mask fails.",
        "Which of the two is right when each chunk has one token?",
        "With one token per call, moving by 1 is right.",
        "Ask in single steps first.",
        kind="form",
    ),
    said(
        "pointer-for-chunk",
        code.chunk_for_pointer,
        "A chunk that fails was written wrongly.",
        'You exchange "stale pointer" and "sees ahead". A step and then a chunk is wrong only '
        "where the chunk looks ahead: after a step of one token the pointer is still right.",
        "By how much should a pointer move after a single token?",
        "Which of the two is wrong when a prefill is followed by single steps?",
        "Ask with a prefill and steps before you ask with a step and a chunk.",
    ),
    said(
        "ahead-for-pointer",
        code.ahead_for_pointer,
        "What fails in a second chunk sees ahead.",
        'You say "sees ahead" of the stale pointer too. Both are wrong in a second chunk that '
        "follows a prefill of several tokens.",
        "What does a stale pointer do after a first chunk of one token?",
        "Which of the two is wrong when a prefill is followed by single steps?",
        "Ask with a prefill and single steps first.",
        kind="form",
    ),
    said(
        "one-name-for-all",
        code.good_or_bad,
        "Every fault is the same fault.",
        'You find which decoders are sound, and say "stale pointer" of all others.',
        "Which of your calls fails in which decoder?",
        "Make a table: six faults, and the calls in which each is wrong.",
        "Return another name for each call that fails.",
    ),
    said(
        "sound-is-faulty",
        partial(code.renamed, instead=(("none", "drops early"),)),
        "Equal numbers are equal to the last bit.",
        "You recognise each fault, and call every sound decoder faulty, too. Perhaps you compare "
        "exactly: sound decoders differ from attention in their last digits.",
        "By how much do the results of a sound decoder differ from yours?",
        "Compare with torch.allclose.",
        variants=tuple(
            partial(code.renamed, instead=(("none", name),))
            for name in ("first key", "top left", "stale pointer", "sees ahead", "window + 1")
        ),
    ),
    said(
        "first-key-as-pointer",
        partial(code.renamed, instead=_AS_POINTER),
        "A key that is missing was overwritten.",
        'You say "stale pointer" of the decoder that never writes its first key. A stale pointer '
        "overwrites no key before the second chunk; the first key is missing in a single prefill "
        "already.",
        "What does each decoder give for a prefill of two tokens and nothing else?",
        "Ask for the first key first, in one prefill.",
        kind="form",
    ),
    said(
        "first-key-as-pointer-and-another",
        partial(code.renamed, instead=(*_AS_POINTER, ("drops early", "none"))),
        "One text shows all faults.",
        'There are at least two mistakes. One is that you say "stale pointer" of the decoder that '
        "never writes its first key. A stale pointer overwrites no key before the second chunk; "
        "the first key is missing in a single prefill already. Correct this first, then check.",
        "What does each decoder give for a prefill of two tokens and nothing else?",
        "Ask for the first key first, in one prefill.",
        variants=(
            *(
                partial(code.renamed, instead=(*_AS_POINTER, (name, "none")))
                for name in ("window + 1", "sees ahead", "top left", "stale pointer")
            ),
            partial(code.renamed, instead=(*_AS_POINTER, ("stale pointer", "first key"))),
        ),
    ),
    *unrecognised(
        lambda instead: partial(code.renamed, instead=instead),
        FAULTS,
        known=(
            (("first key", "top left"),),
            (("stale pointer", "sees ahead"),),
            (("sees ahead", "none"),),
            (("window + 1", "drops early"),),
            (("drops early", "none"),),
            (("drops early", "window + 1"),),
            (("window + 1", "none"), ("drops early", "none")),
            (("window + 1", "drops early"), ("drops early", "window + 1")),
            (("sees ahead", "none"), ("drops early", "none")),
            (("stale pointer", "none"), ("sees ahead", "none"), ("drops early", "none")),
        ),
    ),
)
