"""A class's folder, and the pieces that let learners in and nothing else."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tutor.classroom import owners
from tutor.classroom.entrance import BadKey, key_line, pieces, session_command, with_key, without
from tutor.classroom.folder import ACCOUNTS, SHARED, ClassFolder, NoClass, Settings
from tutor.classroom.names import BadName, checked
from tutor.classroom.session import enter, greeting, open_lessons, permissions
from tutor.course.load import load

COURSE = load()
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 ada@home"
PROGRAM = ("/opt/worldsize/bin/worldsize",)


@pytest.fixture
def folder(tmp_path: Path) -> ClassFolder:
    made = ClassFolder(tmp_path / "class")
    made.make(Settings(title="Autumn", shape=SHARED))
    return made


@pytest.mark.parametrize(
    "name", ["", "Ada", "ada b", "../ada", "-ada", "a" * 33, "ada\n", 'a"b', "a;b", "\x1b[31m", "ä", "9a", ".", "a/b"]
)
def test_names_that_nobody_can_have(name: str) -> None:
    with pytest.raises(BadName) as caught:
        checked(name)
    assert "\x1b" not in str(caught.value)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=40))
def test_a_name_is_letters_or_no_name(name: str) -> None:
    try:
        assert checked(name) == name
    except BadName:
        return
    assert all(sign.isascii() and (sign.isalnum() or sign in "-_") for sign in name)


def test_a_new_class_lets_learners_see_no_other(folder: ClassFolder) -> None:
    for name in ("ada", "bob"):
        folder.add(name)
    assert folder.learners() == ["ada", "bob"]
    modes = {name: stat.S_IMODE(folder.places(name).state.stat().st_mode) for name in folder.learners()}
    assert set(modes.values()) == {0o2750}
    # A learner may reach their own folder, not list the others
    assert stat.S_IMODE((folder.path / "learners").stat().st_mode) == 0o711
    assert folder.settings() == Settings(title="Autumn", shape=SHARED)


def test_what_was_there_stays(folder: ClassFolder) -> None:
    folder.set(reveal=False, open_until="ring", title='A "quoted" ä')
    (folder.add("ada") / "progress.db").write_bytes(b"x")
    folder.make(Settings(title="other"))
    folder.add("ada")
    assert folder.settings() == Settings('A "quoted" ä', SHARED, open_until="ring", reveal=False)
    assert (folder.places("ada").database).read_bytes() == b"x"


def test_removed_is_kept_and_forgotten_is_gone(folder: ClassFolder) -> None:
    for name in ("ada", "ada-b"):
        (folder.add(name) / "progress.db").write_bytes(name.encode())
    aside = folder.remove("ada")
    folder.remove("ada-b")
    assert (aside / "progress.db").read_bytes() == b"ada"
    assert folder.learners() == []
    folder.add("ada")
    gone = folder.forget("ada")
    assert len(gone) == 2
    assert [path.name[:6] for path in (folder.path / "removed").iterdir()] == ["ada-b-"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "Invalid"),
        ("colour = 'x'", "colour; accepted: title, shape"),
        ("reveal = 'no'", "reveal is 'no'; accepted: true or false"),
        ("shape = 'tent'", "shape is 'tent'; accepted: accounts, shared"),
    ],
)
def test_a_broken_file_is_told_in_one_line(folder: ClassFolder, text: str, said: str) -> None:
    (folder.path / "class.toml").write_text(text, encoding="utf-8")
    with pytest.raises(NoClass, match=said):
        folder.settings()


def test_a_folder_that_is_no_class(tmp_path: Path) -> None:
    with pytest.raises(NoClass, match="is no class"):
        ClassFolder(tmp_path).learners()
    made = ClassFolder(tmp_path / "c")
    made.make(Settings())
    with pytest.raises(NoClass, match="bob is not in this class; there are: none yet"):
        made.places("bob")


# The entrance


def test_a_key_runs_the_tutor_and_nothing_else(folder: ClassFolder) -> None:
    line = key_line(PROGRAM, folder.path, "ada", KEY)
    command = f"exec {PROGRAM[0]} class session {folder.path} --learner ada"
    assert line == f'restrict,pty,command="{command}" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 ada'


def test_a_folder_with_odd_signs_stays_one_argument() -> None:
    command = session_command(PROGRAM, Path("/srv/a class's"), "ada")
    import shlex

    assert shlex.split(command) == ["exec", *PROGRAM, "class", "session", "/srv/a class's", "--learner", "ada"]
    assert '\\"' in key_line(PROGRAM, Path('/srv/"x"'), "ada", KEY)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "hello",
        'command="sh" ' + KEY,
        KEY + "\n" + KEY,
        "ssh-ed25519 !!! x",
        "no-pty ssh-ed25519 AAAA",
        "ssh-dss AAAA x",
    ],
)
def test_what_is_no_key_gets_no_line(key: str) -> None:
    with pytest.raises(BadKey):
        key_line(PROGRAM, Path("/srv/c"), "ada", key)


def test_lines_of_a_learner_come_and_go_and_others_stay() -> None:
    ada, bob = (key_line(PROGRAM, Path("/srv/c"), name, KEY) for name in ("ada", "bob"))
    lines = with_key(with_key("", ada, "ada"), bob, "bob")
    assert with_key(lines, ada, "ada").splitlines() == [bob, ada]
    assert without(lines, "ada") == bob + "\n"
    assert without(bob + "\n", "bob") == ""


@pytest.mark.parametrize("shape", [ACCOUNTS, SHARED])
def test_the_pieces_close_every_other_door(shape: str) -> None:
    found = pieces(Settings(shape=shape), Path("/srv/c"), PROGRAM, ["ada"])
    text = "\n".join(one.text for one in found)
    for line in ("DisableForwarding yes", "PermitUserRC no", "AcceptEnv LANG LC_* COLORTERM NO_COLOR", "MaxStartups"):
        assert line in text
    assert ("ForceCommand" in text) == (shape == ACCOUNTS)
    assert ("AuthorizedKeysFile /srv/c/authorized_keys" in text) == (shape == SHARED)


# A session


def test_a_session_may_do_nothing_outside(folder: ClassFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.classroom.session.os.geteuid", lambda: 1000)
    folder.add("ada")
    entry = enter(folder, "ada", {})
    allowed = entry.permissions
    assert entry.learner == "ada"
    assert allowed.boxed_checks
    assert not any((allowed.run, allowed.any_file, allowed.own_course, allowed.external_editor))


@pytest.mark.parametrize(
    ("name", "environment", "said"),
    [
        ("ada", {"SSH_ORIGINAL_COMMAND": "sh -c id"}, "only the tutor can be opened here"),
        ("ada", {"SSH_ORIGINAL_COMMAND": "/usr/lib/openssh/sftp-server"}, "only the tutor"),
        ("bob", {}, "bob is not in this class"),
        (None, {}, "no learner is named"),
    ],
)
def test_what_is_refused_is_one_line(
    folder: ClassFolder, monkeypatch: pytest.MonkeyPatch, name: str | None, environment: dict[str, str], said: str
) -> None:
    monkeypatch.setattr("tutor.classroom.session.os.geteuid", lambda: 1000)
    folder.add("ada")
    with pytest.raises(NoClass, match=said):
        enter(folder, name, environment)


def test_the_administrator_has_no_session(folder: ClassFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.classroom.session.os.geteuid", lambda: 0)
    folder.add("ada")
    with pytest.raises(NoClass, match="administrator"):
        enter(folder, "ada", {})


def test_with_accounts_the_account_says_who_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tutor.classroom.session.os.geteuid", lambda: 1000)
    monkeypatch.setattr("tutor.classroom.session._account", lambda: "ada")
    made = ClassFolder(tmp_path / "c")
    made.make(Settings(shape=ACCOUNTS))
    for name in ("ada", "bob"):
        made.add(name)
    assert enter(made, None, {}).learner == "ada"
    with pytest.raises(NoClass, match="this account is ada's"):
        enter(made, "bob", {})


def test_lessons_open_as_far_as_the_class_has_come() -> None:
    ids = [lesson.id for lesson in COURSE.lessons]
    assert open_lessons(COURSE, Settings()) is COURSE
    ring = open_lessons(COURSE, Settings(open_until="ring"))
    assert [lesson.id for lesson in ring.lessons] == ids[: ids.index("ring") + 1]
    assert ring.examination is None
    assert open_lessons(COURSE, Settings(open_until=ids[-1])).examination is not None
    with pytest.raises(NoClass, match="open_until is 'tea'"):
        open_lessons(COURSE, Settings(open_until="tea"))


def test_the_question_of_the_day_is_told() -> None:
    question = next(iter(COURSE.questions()))
    (line,) = greeting(COURSE, Settings(question=question))
    assert line.startswith("Question of the day: ")
    assert greeting(COURSE, Settings(question="gone")) == greeting(COURSE, Settings()) == []


def test_answers_can_be_kept_back(tmp_path: Path) -> None:
    from tutor.progress.store import Store
    from tutor.study import NotAllowed, Study

    question = next(question for question in COURSE.questions().values() if question.kind == "number")
    study = Study(COURSE, Store(tmp_path / "p.db"), tmp_path, permissions(Settings(reveal=False)))
    with pytest.raises(NotAllowed, match="your instructor keeps them back"):
        study.reveal(question.id)
    for number in range(6):
        outcome = study.answer(question.id, f"{number + 0.123}")
        assert outcome.revealed is None
    assert study.tries_left(question.id) == 0
    assert study.standing(question.id).state == "open"
    study.store.close()


# Whose it is


@pytest.mark.parametrize("theirs", [True, False])
def test_what_is_a_learners_already_is_not_walked_through(
    folder: ClassFolder, monkeypatch: pytest.MonkeyPatch, theirs: bool
) -> None:
    from types import SimpleNamespace

    place = folder.add("ada")
    (place / "exercises").mkdir()
    own = place.stat().st_uid
    changed = []
    monkeypatch.setattr(owners.os, "geteuid", lambda: 0)
    monkeypatch.setattr(owners.os, "chown", lambda path, *_, **__: changed.append(Path(path).name))
    monkeypatch.setattr("pwd.getpwnam", lambda _: SimpleNamespace(pw_uid=own if theirs else own + 1))
    monkeypatch.setattr("grp.getgrnam", lambda _: SimpleNamespace(gr_gid=0))
    assert owners.hand_over(folder.settings(), folder, "ada") == ""
    assert changed == (["learners", "ada"] if theirs else ["learners", "exercises", "ada"])
    assert stat.S_IMODE(place.parent.stat().st_mode) == 0o751


def test_a_folder_without_its_account_stays_as_it_is(folder: ClassFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder.add("ada")
    before = place.stat()
    monkeypatch.setattr(owners.os, "geteuid", lambda: 0)
    assert owners.hand_over(Settings(account="no-such-account"), folder, "ada") == "there is no account ada"
    monkeypatch.setattr(owners.os, "geteuid", lambda: 1000)
    assert owners.hand_over(Settings(), folder, "ada") == "only the administrator can"
    assert (place.stat().st_uid, place.stat().st_mode) == (before.st_uid, before.st_mode)
