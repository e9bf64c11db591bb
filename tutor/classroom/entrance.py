"""How learners come in: the exact pieces for sshd, for both shapes of a class. Nothing here changes the host."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tutor.classroom.folder import KEYS, SHARED, ClassFolder, Settings
from tutor.classroom.names import checked
from tutor.classroom.owners import command as handing_over
from tutor.classroom.owners import staff

ACCEPTED_ENVIRONMENT = ("LANG", "LC_*", "COLORTERM", "NO_COLOR")
_CONFIGURATION = "/etc/ssh/sshd_config.d/worldsize.conf"
_KIND = r"ssh-(?:ed25519|rsa)|ecdsa-sha2-nistp(?:256|384|521)|sk-[\w-]+@openssh\.com"
_KEY = re.compile(rf"({_KIND}) ([A-Za-z0-9+/]+={{0,3}})( .*)?")
MAX_STARTUPS = "60:30:120"
_MOST_SESSIONS = 4  # on one connection: a learner has more windows by connecting again
# A line that is cut without a word is noticed after two minutes
_ALIVE_SECONDS, _ALIVE_COUNT = 30, 4


class BadKey(ValueError):
    """A line that is no public key: one line."""


@dataclass(frozen=True)
class Piece:
    """Something to put on the host: what it is for, where it goes, and its text."""

    what: str
    where: str
    text: str


def session_command(program: Sequence[str], folder: Path, name: str | None = None) -> str:
    """The command that a learner's connection runs; without `name` the account's own name is taken.

    >>> session_command(["/opt/worldsize/bin/worldsize"], Path("/srv/autumn"), "ada")
    'exec /opt/worldsize/bin/worldsize class session /srv/autumn --learner ada'
    """
    words = [*program, "class", "session", str(folder)]
    # `exec`, so that no shell is left waiting behind the session
    return "exec " + shlex.join([*words, *(["--learner", checked(name)] if name else [])])


def key_line(program: Sequence[str], folder: Path, name: str, key: str) -> str:
    """The line of authorized_keys for one learner: this key can run nothing but the tutor, as this learner.

    Raises BadKey for what is no public key of OpenSSH's.
    """
    found = _KEY.fullmatch(key.strip())
    if found is None or "\n" in key.strip():
        raise BadKey("no public key of OpenSSH's; accepted: one line such as `ssh-ed25519 AAAA… name`")
    command = session_command(program, folder, name).replace("\\", "\\\\").replace('"', '\\"')
    return f'restrict,pty,command="{command}" {found[1]} {found[2]} {checked(name)}'


def with_key(lines: str, line: str, name: str) -> str:
    """authorized_keys with this learner's line in place of the one before; another key of theirs stays."""
    kept = [one for one in lines.splitlines() if one.strip() and one != line]
    return "\n".join([*kept, line]) + "\n"


def whose(keys: Path, key: str) -> str:
    """The learner who has this key already; "" where nobody has."""
    try:
        lines = keys.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return ""
    body = key.split()[1]
    return next((line.split()[-1] for line in lines if body in line.split()), "")


def without(lines: str, name: str) -> str:
    """authorized_keys without any line of this learner."""
    ending = f" {checked(name)}"
    kept = [one for one in lines.splitlines() if one.strip() and not (one.endswith(ending) and 'command="' in one)]
    return "\n".join(kept) + "\n" if kept else ""


def pieces(settings: Settings, folder: Path, program: Sequence[str], learners: list[str]) -> list[Piece]:
    """Everything that has to be on the host, in the order in which to put it there."""
    shared, account = settings.shape == SHARED, settings.account
    who = f"User {account}" if shared else f"Group {account}"
    keys = [f"    AuthorizedKeysFile {folder / KEYS}"] if shared else []
    command = [] if shared else [f"    ForceCommand {session_command(program, folder)}"]
    block = [
        f"Match {who}",
        *keys,
        *command,
        "    PermitTTY yes",
        "    DisableForwarding yes",
        "    PermitUserRC no",
        f"    AcceptEnv {' '.join(ACCEPTED_ENVIRONMENT)}",
        f"    MaxSessions {_MOST_SESSIONS}",
        f"    ClientAliveInterval {_ALIVE_SECONDS}",
        f"    ClientAliveCountMax {_ALIVE_COUNT}",
    ]
    found = [
        Piece("logins at the same moment", _CONFIGURATION, f"MaxStartups {MAX_STARTUPS}\n"),
        Piece("how sshd lets learners in", f"{_CONFIGURATION}, below that", "\n".join(block) + "\n"),
    ]
    lines = [f"groupadd --force {staff(settings)}   # the instructors, who read what learners do"]
    if shared:
        what = "the account that all share"
        lines.append(f"useradd --system --create-home --shell /bin/sh {account}")
    else:
        what = "an account for each learner"
        lines.append(f"groupadd --force {account}")
        lines += [f"useradd --create-home --shell /bin/sh --groups {account} {name}" for name in learners]
    lines += [handing_over(program, ClassFolder(folder), name) for name in learners]
    found.insert(0, Piece(what, "as the administrator", "\n".join(lines) + "\n"))
    limits = f"{account if shared else '@' + account} hard nproc {4096 if shared else 128}\n"
    found.append(Piece("limits of each account", "/etc/security/limits.d/worldsize.conf", limits))
    return found
