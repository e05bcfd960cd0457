"""All attacks."""

from tests.attacks.attack import Attack
from tests.attacks.corpus.blinding import BLINDING
from tests.attacks.corpus.breaking import BREAKING
from tests.attacks.corpus.escaping import ESCAPING
from tests.attacks.corpus.flooding import FLOODING
from tests.attacks.corpus.folders import FOLDERS
from tests.attacks.corpus.forging_agent import FORGING_AGENT
from tests.attacks.corpus.forging_errors import FORGING_ERRORS
from tests.attacks.corpus.forging_ipython import FORGING_IPYTHON
from tests.attacks.corpus.forging_results import FORGING_RESULTS
from tests.attacks.corpus.forging_tools import FORGING_TOOLS
from tests.attacks.corpus.forging_values import FORGING_VALUES
from tests.attacks.corpus.hanging import HANGING
from tests.attacks.corpus.hidden import HIDDEN_READING
from tests.attacks.corpus.keeping import KEEPING
from tests.attacks.corpus.kernel_calls import KERNEL_CALLS
from tests.attacks.corpus.network import NETWORK
from tests.attacks.corpus.notebooks import NOTEBOOKS
from tests.attacks.corpus.outputs import OUTPUTS
from tests.attacks.corpus.reading import READING
from tests.attacks.corpus.returning import RETURNING
from tests.attacks.corpus.tampering import TAMPERING
from tests.attacks.corpus.writing import WRITING

_FILES = (
    READING,
    HIDDEN_READING,
    KEEPING,
    FORGING_TOOLS,
    BLINDING,
    FORGING_IPYTHON,
    FORGING_RESULTS,
    FORGING_AGENT,
    FORGING_VALUES,
    FORGING_ERRORS,
    BREAKING,
    HANGING,
    FLOODING,
    OUTPUTS,
    RETURNING,
    NETWORK,
    ESCAPING,
    WRITING,
    KERNEL_CALLS,
    FOLDERS,
    NOTEBOOKS,
    TAMPERING,
)
ATTACKS: dict[str, Attack] = {attack.name: attack for file in _FILES for attack in file}
_LONGEST = frozenset(
    {
        *("agent-doubled", "agent-huge-frame", "busy-threads", "core-files", "crash-in-a-cell"),
        *("disk-bomb", "errors-that-lie", "event-loop-broken", "files-deleted", "fork-bomb"),
        *("flood-of-outputs", "flood-of-stderr", "kernels-of-others", "kill-the-group"),
        *("libraries-of-the-agent", "limits-changed", "loop-in-a-call", "loop-in-c"),
        *("memory-bomb-of-many", "one-huge-output", "polite-exit", "returns-a-long-text"),
        *("returns-much", "stack-overflow", "stop-by-a-child", "stop-itself"),
    }
)
#: The slowest attacks, and every second one of the others in each file; the similar ones before and
#: after it are always tried. `make exercises` and `make test-slow` also try these.
SLOW = _LONGEST | {attack.name for file in _FILES for attack in file[1::2]}
