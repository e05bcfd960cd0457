import pytest

from plainformer.serving import calibrate
from plainformer.serving.calibrate import fitted
from plainformer.serving.cost import Load
from tests.plainformer.test_serving_simulator import WORKLOAD, engine


def test_calibration_predicts_the_engines_own_steps():
    found = calibrate(engine(), WORKLOAD)
    assert found.steps > 4
    assert found.error < 0.5, "this engine is tiny; its steps are noisy"
    assert found.cost.seconds(Load(16, 300, 4)) > 0


def test_the_error_of_a_calibration_is_that_of_its_steps():
    measured = [(Load(n, n, 1), 0.01 * (1.1 if n % 2 else 0.9)) for n in range(1, 41)]
    assert fitted(measured).error == pytest.approx(0.1, abs=0.02)
