"""Every command says which version of the toolkit it belongs to."""

from importlib import import_module
from importlib.metadata import entry_points, version

import pytest


@pytest.mark.parametrize(
    "command", sorted(e.name for e in entry_points(group="console_scripts") if e.module.startswith("h3cold."))
)
def test_every_command_tells_its_version(command, capsys):
    (entry,) = (e for e in entry_points(group="console_scripts") if e.name == command)
    with pytest.raises(SystemExit) as end:
        import_module(entry.module).main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"{command} {version('h3cold')}\n"
