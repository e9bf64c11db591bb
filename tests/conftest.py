"""What every test gets: a home of its own, so that no test touches the progress of whoever runs it."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no reason to fail
settings.register_profile("steady", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("steady")

# Started in the background, tests may have ctrl+c ignored, and then whatever they start ignores it too
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests that take the whole host, its accounts and real terminals, follow one another on one core."""
    for item in items:
        if item.path.parent.name == "system":
            item.add_marker(pytest.mark.xdist_group("system"))


@pytest.fixture(autouse=True)
def _home_of_its_own(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("TUTOR_HOME", str(home))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.delenv("SSH_CONNECTION", raising=False)
    return home
