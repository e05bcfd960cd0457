"""The head detective shows the behaviour of the package's model."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from tools.head_detective import OUT, data

NODE = shutil.which("node")
READ = "const m = await import(process.argv[1]); console.log(JSON.stringify(m.DATA));"


@pytest.mark.skipif(NODE is None, reason="node is not installed; the numbers are JS")
def test_the_file_holds_what_the_model_gives_now():
    command = [str(NODE), "--input-type=module", "--eval", READ, OUT.as_uri()]
    shown = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    fresh = data()
    assert shown["texts"].keys() == fresh["texts"].keys()
    for name in ("heads", "uniform"):
        np.testing.assert_allclose(shown["scores"][name], fresh["scores"][name], atol=0.002)
    for name, text in fresh["texts"].items():
        there = shown["texts"][name]
        assert there["words"] == text["words"]
        np.testing.assert_allclose(there["loss"], text["loss"], atol=0.005)
        np.testing.assert_allclose(there["worth"], text["worth"], atol=0.01)
        for mine, yours in zip(text["maps"], there["maps"], strict=True):
            for row, other in zip(mine, yours, strict=True):
                np.testing.assert_allclose(other, row, atol=0.002)
