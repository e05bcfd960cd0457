import pytest

from plainformer.__main__ import COMMANDS, main


def test_the_package_lists_its_commands_and_names_an_unknown_one(capsys):
    assert main(["--help"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("train", "generate", "serve-sim"))
    assert main(["bake"]) == 2
    assert "no command 'bake': there are train, generate, serve-sim" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_each_command_explains_itself(name, capsys):
    with pytest.raises(SystemExit) as stop:
        main([name, "--help"])
    assert stop.value.code == 0
    assert "usage: python -m plainformer" in capsys.readouterr().out
