"""The app over a real SSH connection to this machine, by a server that the test starts."""

from __future__ import annotations

import fcntl
import getpass
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.terminal.terminal import COMMAND, PATIENCE, Terminal
from toposmith.review.sidecar.entries import read_signers
from toposmith.review.sidecar.folder import load_sidecar
from toposmith.saved_designs import FOLDER

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
SSH, KEYGEN = shutil.which("ssh"), shutil.which("ssh-keygen")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (SSHD and SSH and KEYGEN), reason="needs sshd, ssh and ssh-keygen (openssh-server)"
    ),
]


@dataclass(frozen=True)
class Server:
    """An SSH server of the test's own, and the folder of its keys."""

    command: list[str]
    process: subprocess.Popen[bytes]
    folder: Path

    def command_of(self, person: str, forced: str, more: str = "") -> list[str]:
        """The client's command of a person whose key leads to one program alone."""
        assert KEYGEN
        key = self.folder / person
        subprocess.run([KEYGEN, "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
        with (self.folder / "authorized").open("a") as keys:
            keys.write(
                f'restrict,pty{more},command="{forced}" {key.with_suffix(".pub").read_text()}'
            )
        return [str(key) if word == str(self.folder / "user") else word for word in self.command]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    assert SSHD and SSH and KEYGEN
    folder = tmp_path / "ssh"
    folder.mkdir(mode=0o700)
    for name in ("host", "user"):
        subprocess.run(
            [KEYGEN, "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True
        )
    (folder / "authorized").write_bytes((folder / "user.pub").read_bytes())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (folder / "config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\n"
        f"AuthorizedKeysFile {folder}/authorized\nStrictModes no\nUsePAM no\n"
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n"
    )
    log = folder / "log"
    with log.open("wb") as out:
        process = subprocess.Popen([SSHD, "-D", "-e", "-f", str(folder / "config")], stderr=out)
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
        time.sleep(0.05)
    if process.poll() is not None:
        pytest.skip(f"sshd does not start here: {log.read_text().strip()[-200:]}")
    yield Server(
        [
            SSH, "-tt", "-F", "none", "-p", str(port), "-i", str(folder / "user"),
            "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
            "-o", "LogLevel=ERROR", "-o", "IdentitiesOnly=yes",
            f"{getpass.getuser()}@127.0.0.1",
        ],
        process,
        folder,
    )  # fmt: skip
    process.terminate()
    process.wait(timeout=PATIENCE)


def remote(home: Path, *words: str) -> str:
    """The app on the far side, with a home of its own and the modules of this checkout."""
    settings = {
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "LANG": "C.UTF-8",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    return shlex.join(["env", *(f"{k}={v}" for k, v in settings.items()), str(COMMAND), *words])


def wait_until_let_go(journal: Path) -> None:
    """Wait until no program holds the lock on its journal any more."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        with journal.open("rb") as opened:
            try:
                return fcntl.flock(opened, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(0.05)
    raise AssertionError("the far side goes on")


def test_a_design_is_changed_over_ssh_and_a_dropped_line_loses_nothing(
    tmp_path: Path, server: Server
) -> None:
    home = tmp_path / "home"
    home.mkdir()
    first = Terminal([*server.command, remote(home, "a100-rack-1x100gbe")], tmp_path)
    again: Terminal | None = None
    try:
        first.wait_for("limits")
        first.press("+")
        first.wait_for("72 GPUs")
        first.close()  # the client is gone, as with a cable pulled
        journals = home / "state" / "toposmith" / "recovery"
        (journal,) = journals.glob("*.journal")
        wait_until_let_go(journal)  # the far side learns of it
        again = Terminal([*server.command, remote(home)], tmp_path)
        again.wait_for("unsaved work of an earlier run")
        again.press("\r")
        again.wait_for("72 GPUs")
        again.press("u")
        again.wait_for("64 GPUs")
        again.press("q")
    finally:
        first.close()
        if again is not None:
            again.close()


def test_two_people_review_over_ssh_and_reach_nothing_else(tmp_path: Path, server: Server) -> None:
    (tmp_path / "out").mkdir()
    pod = tmp_path / "pod.yaml"
    shutil.copyfile(FOLDER / "a100-rack-1x100gbe.yaml", pod)
    opened: list[Terminal] = []

    def let_in(person: str, *more: str) -> Terminal:
        home = tmp_path / f"home-{person}"
        home.mkdir(exist_ok=True)
        forced = remote(home, "review", str(pod), "--only", "--author", person)
        opened.append(Terminal([*server.command_of(person, forced), *more], tmp_path))
        opened[-1].wait_for("GB/s per GPU")
        return opened[-1]

    before = pod.read_bytes()
    try:
        ann = let_in("ann", "touch", str(tmp_path / "out" / "shell"))
        ann.wait_for("not reviewed yet")  # what is said last when the design is there
        for key in ("o", "E", "S"):
            ann.press(key)
            ann.wait_for("not for visitors")
            ann.press("\x1b")
        ann.press(",")
        ann.wait_for("comment")
        ann.press("uplinks?\r")
        bob = let_in("bob")
        ann.close()  # the line drops
        bob.wait_for("1 comment open")
        bob.press("q")
    finally:
        for terminal in opened:
            terminal.close()
    said = [one.entry.author for one in load_sidecar(pod).said]
    assert said == ["ann"]
    assert pod.read_bytes() == before
    assert not list((tmp_path / "out").iterdir())


APPROVES = """\
toposmith: 1
name: one switch
groups:
  node: {part: dgx-h100, count: 4}
  leaf: {part: qm9700}
links:
  - {between: [node.compute, leaf], length: 20}
"""


def test_an_approval_over_ssh_is_signed_by_the_agent_of_who_is_there(
    tmp_path: Path, server: Server
) -> None:
    """The key stays with Ann; Bob forwards no agent, and his approval is not written."""
    pod = tmp_path / "pod.yaml"
    pod.write_text(APPROVES)
    settings = tmp_path / "home" / "config" / "toposmith"
    settings.mkdir(parents=True)
    (settings / "policy.yaml").write_text("toposmith-policy: 1\napprovals: {signed: true}\n")
    socket_, agent = tmp_path / "agent", None
    opened: list[Terminal] = []

    def let_in(person: str, *forwarding: str) -> Terminal:
        forced = remote(tmp_path / "home", "review", str(pod), "--only", "--author", person)
        command = server.command_of(person, forced, ",agent-forwarding")
        public = (server.folder / f"{person}.pub").read_text()
        with (settings / "allowed_signers").open("a") as signers:
            signers.write(f"{person} {public}")
        if forwarding:
            subprocess.run(
                ["ssh-add", "-q", str(server.folder / person)],
                env=os.environ | {"SSH_AUTH_SOCK": str(socket_)}, check=True,
            )  # fmt: skip
        opened.append(Terminal([*forwarding, *(command[1:] if forwarding else command)], tmp_path))
        opened[-1].wait_for("GB/s per GPU")
        opened[-1].press(";")
        opened[-1].wait_for("what do you decide?")
        opened[-1].press("a")
        return opened[-1]

    try:
        let_in("bob").wait_for("no agent here holds a key")
        assert load_sidecar(pod).said == ()
        agent = subprocess.Popen(["ssh-agent", "-D", "-a", str(socket_)], stdout=subprocess.DEVNULL)
        until = time.monotonic() + PATIENCE
        while not socket_.exists() and time.monotonic() < until:
            time.sleep(0.05)
        ann = let_in("ann", "env", f"SSH_AUTH_SOCK={socket_}", SSH or "", "-A")
        ann.wait_for("approved; stale once")
        ann.press("q")
    finally:
        for terminal in opened:
            terminal.close()
        if agent is not None:
            agent.terminate()
            agent.wait(PATIENCE)
    (said,) = load_sidecar(pod).said
    assert said.entry.author == "ann"
    trusted = read_signers(settings / "allowed_signers")
    assert trusted.proof(said).key.startswith("SHA256:")
