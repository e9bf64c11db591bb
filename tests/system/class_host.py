"""A class on this host for tests: an sshd of its own on loopback, accounts that are gone afterwards, and a folder."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests"))
from unprivileged import OF_THE_APP, PACKAGES, Host, host  # noqa: E402

# Of their own for each run: several may go on at once
ACCOUNT = f"wsclass-{os.getpid()}"
ADA, BOB = f"ada-{os.getpid()}", f"bob-{os.getpid()}"
SHAPES = ["shared", "accounts"]
STAFF = f"{ACCOUNT}-staff"
SSHD = "/usr/sbin/sshd"
_WITHIN = "/var/lib"  # sshd reads no keys below a folder that everybody may write to


class ClassHost:
    """Two classes, one of each shape, behind one sshd; `learners` are in both."""

    def __init__(self, there: Host, learners: list[str], shapes: list[str]) -> None:
        self.folder = there.folder
        self.python = there.python
        self.program = there.launcher()
        self.port = _free_port()
        self.keys = self.folder / "keys"
        self.keys.mkdir(mode=0o700)
        self.learners = learners
        self.shapes = shapes
        self.users: list[str] = []
        self._sshd: subprocess.Popen[bytes] | None = None

    def class_folder(self, shape: str) -> Path:
        return self.folder / shape

    def home(self, shape: str, learner: str) -> Path:
        return self.class_folder(shape) / "learners" / learner

    def make(self) -> None:
        """Makes accounts, classes and keys, by the tutor's own commands where it has them, and starts sshd."""
        run("groupadd", "--force", STAFF)
        run("groupadd", "--force", ACCOUNT)
        pieces = []
        for learner in self.learners:
            self._key(learner)
        if "shared" in self.shapes:
            self._account(f"{ACCOUNT}-one")
        if "accounts" in self.shapes:
            for learner in self.learners:
                self._account(learner, "--groups", ACCOUNT)
        for shape in self.shapes:
            folder = str(self.class_folder(shape))
            account = f"{ACCOUNT}-one" if shape == "shared" else ACCOUNT
            run("groupadd", "--force", f"{account}-staff")
            self.tutor("class", "init", folder, "--shape", shape, "--account", account)
            for learner in self.learners:
                self.enrol(shape, learner)
            pieces.append(self.tutor("class", "sshd-config", folder, "--json"))
        self._start(pieces)

    def _key(self, learner: str) -> None:
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", learner, "-f", str(self.keys / learner))

    def enrol(self, shape: str, learner: str) -> None:
        """Puts a learner into the class of this shape; in the shared one it may be somebody new."""
        if not (self.keys / learner).exists():
            self._key(learner)
        key_option = ["--key", f"{self.keys / learner}.pub"] if shape == "shared" else []
        self.tutor("class", "add", str(self.class_folder(shape)), learner, *key_option)

    def _account(self, name: str, *options: str) -> None:
        # A password that nobody can type; sshd takes `!` for a locked account where it does not ask PAM
        home = self.folder / "homes" / name
        home.parent.mkdir(exist_ok=True)
        run(
            "useradd", "--create-home", "--home-dir", str(home), "--shell", "/bin/sh", "--password", "*", *options, name
        )
        self.users.append(name)
        keys = home / ".ssh" / "authorized_keys"
        keys.parent.mkdir(mode=0o700)
        public = self.keys / f"{name}.pub"
        keys.write_bytes(public.read_bytes() if public.exists() else b"")
        for one in (keys.parent, keys):
            shutil.chown(one, name)

    def _start(self, pieces: list[str]) -> None:
        import json

        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(self.keys / "host"))
        texts = [one["text"] for text in pieces for one in json.loads(text)["pieces"] if "sshd_config" in one["where"]]
        settings = [
            f"Port {self.port}",
            "ListenAddress 127.0.0.1",
            f"HostKey {self.keys / 'host'}",
            "PidFile none",
            "UsePAM no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            f"Subsystem sftp {_sftp_server()}",
            "AuthorizedKeysFile .ssh/authorized_keys",
            "LogLevel VERBOSE",
            *(text for text in texts if text.startswith("MaxStartups")),
            *(text for text in texts if text.startswith("Match")),
        ]
        self.settings = self.folder / "sshd_config"
        self.settings.write_text("\n".join(settings) + "\n", encoding="utf-8")
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)
        self.log = self.folder / "sshd.log"
        self._sshd = subprocess.Popen([SSHD, "-D", "-f", str(self.settings), "-E", str(self.log)])
        end = time.monotonic() + 60
        while time.monotonic() < end:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            time.sleep(0.05)
        raise AssertionError(f"sshd did not start: {self.log.read_text(errors='replace')}")

    def tutor(self, *words: str) -> str:
        """What a command of the tutor's prints."""
        return run(str(self.program), *words)

    @contextlib.contextmanager
    def answers_kept_back(self, shape: str) -> Iterator[None]:
        """No question closes after so many wrong answers, as none is given away."""
        folder = str(self.class_folder(shape))
        self.tutor("class", "pace", folder, "--reveal", "off")
        try:
            yield
        finally:
            self.tutor("class", "pace", folder, "--reveal", "on")

    def ssh(
        self,
        shape: str,
        learner: str,
        *options: str,
        command: tuple[str, ...] = (),
        program: str = "ssh",
        agent: bool = False,
    ) -> list[str]:
        """The command line of a learner's connection; with `agent`, theirs (SSH_AUTH_SOCK) may be forwarded."""
        account = f"{ACCOUNT}-one" if shape == "shared" else learner
        port = ["-P" if program in ("scp", "sftp") else "-p", str(self.port)]
        plain = [
            "-F",
            "none",
            "-o",
            "UserKnownHostsFile=/dev/null",
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "BatchMode=yes",
        ]
        key = [
            "-o",
            "IdentitiesOnly=yes",
            *(() if agent else ("-o", "IdentityAgent=none")),
            "-o",
            "LogLevel=ERROR",
            "-i",
            str(self.keys / learner),
        ]
        where = [] if program in ("scp",) else [f"{account}@127.0.0.1"]
        return [program, *port, *plain, *key, *options, *where, *command]

    def processes(self) -> dict[int, str]:
        """What runs under the learners' accounts, sshd's own part of a connection left out."""
        found = {}
        numbers = {_uid(name) for name in self.users}
        for entry in Path("/proc").iterdir():
            with contextlib.suppress(OSError, ValueError):
                if entry.name.isdigit() and entry.stat().st_uid in numbers:
                    words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    if words and not words.startswith("sshd"):
                        found[int(entry.name)] = words
        return found

    def connections(self) -> dict[int, str]:
        """Sshd's own part of every connection."""
        assert self._sshd is not None
        ours = {self._sshd.pid: ""}
        for pid in sorted(int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()):
            with contextlib.suppress(OSError, ValueError):
                parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
                words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                if parent in ours and words.startswith("sshd"):
                    ours[pid] = words
        del ours[self._sshd.pid]
        return ours

    def cut_connections(self) -> None:
        """Ends sshd's own part of every connection, as on a host that goes down."""
        _kill(self.connections())

    def end_connections(self, clients: Iterable[subprocess.Popen[bytes]]) -> None:
        """Ends these clients, every connection, and what still runs for learners."""
        for client in clients:
            client.kill()
            client.communicate()
        self.cut_connections()
        _kill(self.processes())

    def sessions(self, word: str = "class session") -> list[int]:
        """The tutors that run for learners."""
        return [pid for pid, words in self.processes().items() if word in words]

    def end(self) -> None:
        """Ends sshd and what runs under the accounts, and removes them."""
        if self._sshd is not None:
            self._sshd.terminate()
            self._sshd.wait(10)
        for _ in range(50):
            left = self.processes()
            if not left:
                break
            _kill(left)
            time.sleep(0.1)
        for name in self.users:
            subprocess.run(["userdel", "--force", name], check=False, capture_output=True)
        for name in (ACCOUNT, STAFF, f"{ACCOUNT}-one-staff"):
            subprocess.run(["groupdel", name], check=False, capture_output=True)


@contextlib.contextmanager
def class_host(learners: list[str], shapes: list[str]) -> Iterator[ClassHost]:
    """A host with these learners, gone afterwards with its accounts."""
    with host(_WITHIN, (*PACKAGES, *OF_THE_APP)) as there:
        found = ClassHost(there, learners, shapes)
        try:
            found.make()
            yield found
        finally:
            found.end()


def as_instructor(*words: str) -> list[str]:
    """The command line that runs this as an instructor of the class with accounts, who has no other rights."""
    import grp

    return ["setpriv", "--reuid=65534", "--regid=65534", f"--groups={grp.getgrnam(STAFF).gr_gid}", *words]


def run(*words: str) -> str:
    """What a program prints; it has to succeed."""
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120, cwd="/")
    assert done.returncode == 0, f"{words}: {done.stderr or done.stdout}"
    return done.stdout


def _kill(pids: Iterable[int]) -> None:
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def _sftp_server() -> str:
    places = ("/usr/lib/openssh/sftp-server", "/usr/libexec/openssh/sftp-server", "/usr/lib/ssh/sftp-server")
    return next((place for place in places if os.path.exists(place)), "internal-sftp")


def _uid(name: str) -> int:
    import pwd

    return pwd.getpwnam(name).pw_uid
