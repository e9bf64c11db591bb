"""What this host's sshd would do with a learner's connection, by its own account."""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from tutor.classroom.entrance import ACCEPTED_ENVIRONMENT, MAX_STARTUPS, session_command
from tutor.classroom.folder import KEYS, SHARED, ClassFolder, Settings
from tutor.classroom.owners import owner
from tutor.doctor import FINE, NOTE, PROBLEM, Finding

SSHD = ("/usr/sbin/sshd", "/usr/local/sbin/sshd")
_LEAST_STARTUPS = 20
_LIMITS = ("/etc/security/limits.conf", "/etc/security/limits.d")
# What has to be so, whatever the shape, and what it would mean otherwise
_SHUT = {
    "disableforwarding": ("yes", "ports, agents and sockets can be forwarded"),
    "permituserrc": ("no", "~/.ssh/rc runs before the tutor"),
    "permituserenvironment": ("no", "~/.ssh/environment sets what programs load"),
    "permittty": ("yes", "a session gets no terminal"),
}
_ADVICE = "`class sshd-config` prints the block that does it."
_NOBODY = Finding("sshd", NOTE, "nobody is in the class yet", "`class add` somebody, and it is asked about them.")


def examine_door(
    folder: ClassFolder, settings: Settings, program: Sequence[str], configuration: Path | None = None
) -> list[Finding]:
    """What is found of sshd's settings for a learner's account; only the administrator may ask it."""
    found = next((name for name in SSHD if os.path.exists(name)), shutil.which("sshd"))
    if found is None:
        return [Finding("sshd", PROBLEM, "OpenSSH's server is not installed", "Install the package openssh-server.")]
    learners = folder.learners()
    if settings.shape != SHARED and not learners:
        return [_NOBODY]
    account = owner(settings, learners[0] if learners else "")
    command = [found, "-T", "-C", f"user={account},host=localhost,addr=127.0.0.1"]
    command += ["-f", str(configuration)] if configuration is not None else []
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=20)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        return [Finding("sshd", NOTE, f"its settings cannot be read: {said}", "Ask again as the administrator.")]
    says: dict[str, list[str]] = {}
    for line in done.stdout.splitlines():
        name, _, value = line.partition(" ")
        says.setdefault(name, []).append(value)
    return [
        _shut(says, account),
        _command(says, folder, settings, program, account),
        _environment(says),
        _together(says),
        _dead_lines(says),
        _limits(says, settings),
    ]


def _first(says: dict[str, list[str]], name: str) -> str:
    return says.get(name, [""])[0]


def _shut(says: dict[str, list[str]], account: str) -> Finding:
    """What must be shut, and the terminal that must be there."""
    what = f"sshd, what {account} may do"
    wrong = [said for name, (wanted, said) in _SHUT.items() if name in says and _first(says, name) != wanted]
    if wrong:
        return Finding(what, PROBLEM, "; ".join(wrong), _ADVICE)
    return Finding(what, FINE, "a terminal, and nothing is forwarded")


def _command(
    says: dict[str, list[str]], folder: ClassFolder, settings: Settings, program: Sequence[str], account: str
) -> Finding:
    """Every way in has to lead to the tutor."""
    what = f"sshd, what {account} runs"
    forced = _first(says, "forcecommand")
    if settings.shape == SHARED:
        files = _first(says, "authorizedkeysfile").split()
        if files != [str(folder.path / KEYS)]:
            return Finding(what, PROBLEM, f"keys are read from {' '.join(files) or 'nowhere'}", _ADVICE)
        if forced not in ("", "none"):
            return Finding(what, PROBLEM, f"everybody runs {forced}", "Take ForceCommand out: each key has its own.")
        return Finding(what, FINE, "the command of each key")
    wanted = session_command(program, folder.path)
    if forced != wanted:
        return Finding(what, PROBLEM, f"ForceCommand is {forced or 'none'}, not {wanted}", _ADVICE)
    return Finding(what, FINE, "the tutor, whatever is asked for")


def _environment(says: dict[str, list[str]]) -> Finding:
    what = "sshd, what a learner's terminal says"
    accepted = [pattern for line in says.get("acceptenv", []) for pattern in line.split()]
    more = [one for one in accepted if not any(fnmatch.fnmatchcase(one, known) for known in ACCEPTED_ENVIRONMENT)]
    if more:
        said = f"AcceptEnv takes {', '.join(more)} from learners"
        return Finding(what, PROBLEM, said, f"Accepted should be {' '.join(ACCEPTED_ENVIRONMENT)}, and nothing else.")
    missing = [one for one in ACCEPTED_ENVIRONMENT if one not in accepted]
    if missing:
        said = f"AcceptEnv is without {' '.join(missing)}"
        return Finding(what, NOTE, said, "Without LANG signs may be wrong, without COLORTERM there are fewer colours.")
    return Finding(what, FINE, f"AcceptEnv {' '.join(accepted)}")


def _together(says: dict[str, list[str]]) -> Finding:
    what = "sshd, logins at the same moment"
    startups = _first(says, "maxstartups")
    first = startups.partition(":")[0]
    if first.isdigit() and int(first) < _LEAST_STARTUPS:
        return Finding(what, NOTE, f"MaxStartups is {startups}", f"A class needs MaxStartups {MAX_STARTUPS}.")
    return Finding(what, FINE, f"MaxStartups {startups}")


def _dead_lines(says: dict[str, list[str]]) -> Finding:
    what = "sshd, lines that are cut"
    every, count = _first(says, "clientaliveinterval"), _first(says, "clientalivecountmax")
    if every in ("", "0") or count == "0":
        said = "nobody notices a line that is gone without a word"
        return Finding(what, NOTE, said, "ClientAliveInterval 30 ends its session after a while.")
    return Finding(what, FINE, f"noticed after {int(every) * int(count)} s")


def _limits(says: dict[str, list[str]], settings: Settings) -> Finding:
    what = "limits"
    who = settings.account if settings.shape == SHARED else f"@{settings.account}"
    if _first(says, "usepam") == "no":
        return Finding(what, NOTE, "sshd does not ask PAM, which sets them", "UsePAM yes")
    files = [Path(_LIMITS[0]), *sorted(Path(_LIMITS[1]).glob("*.conf"))]
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        if any(line.split()[:1] == [who] and "nproc" in line.split() for line in lines):
            return Finding(what, FINE, f"processes of {who} are counted ({file})")
    advice = "`class sshd-config` prints a line for /etc/security/limits.d."
    return Finding(what, NOTE, f"no limit on the processes of {who}", advice)
