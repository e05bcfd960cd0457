"""Essay 02.why_root_d: why scores are divided by the root of d."""

from plaincourse.exercise import Essay

TASK = Essay(
    id="02.why_root_d",
    title="Why the root of d",
    level="medium",
    minutes=15,
    concepts=("sqrt-d-variance", "softmax-saturation"),
    rubric=(
        (
            1.0,
            "The variance: for independent components of mean 0 and variance 1 each product of two "
            "components has mean 0 and variance 1, so a sum of d of them has variance d and "
            "standard deviation √d.",
        ),
        (
            1.0,
            "The cure: dividing by √d (not by d) gives the scores variance 1, whatever the width; "
            "dividing by d would leave variance 1/d and nearly uniform weights.",
        ),
        (
            1.0,
            "The saturation: scores that are far apart give a softmax that is close to one-hot, so "
            "one key gets nearly all the weight.",
        ),
        (
            1.5,
            "The gradients: the derivative of weight i by score j is A_i(δ_ij − A_j), which goes "
            "to 0 when one weight goes to 1; query and key projections then hardly learn.",
        ),
        (
            0.5,
            "An honest limit: the argument holds for random, independent components, as at the "
            "start of training; training may change the spread of the scores.",
        ),
    ),
)
