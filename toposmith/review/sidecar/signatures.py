"""Signatures of entries by SSH keys: made and checked by ssh-keygen, as git does it for commits."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from toposmith.design.stored_files import load_text
from toposmith.errors import SaveError
from toposmith.programs import ssh
from toposmith.review.sidecar.entries import ReviewEntry, Said, said_text
from toposmith.user_folders import is_there, settings_folder

NAMESPACE = "toposmith-review"
"""What a signature is for: one of the same key over a commit or a mail is none of a review."""

NO_KEY = (
    "no agent here holds a key of the signers: ssh-add KEY, over SSH with `ssh -A`; or in a copy "
    "of the folder `toposmith review FILE --approve --sign KEY`"
)


class Proof(NamedTuple):
    """The fingerprint of the key that signed an entry, or else why none is known to have."""

    key: str = ""
    fault: str = ""


@dataclass(frozen=True)
class Signers:
    """The people whose signatures are trusted, in the format of git's ``allowed_signers``.

    Parameters
    ----------
    text : str
        Lines with a person (address or name), options such as ``valid-before=``, and a key.
    source : str
        Where that stands; empty where nobody is known.
    """

    text: str = ""
    source: str = ""

    def proof(self, said: Said) -> Proof:
        """Which key of its author signed an entry, one that was valid at the entry's moment."""
        stamp, who = said.id.partition("-")[0], said.entry.email or said.entry.author
        if said.entry.signature is None:
            return Proof(fault="it is not signed")
        if not self.source:
            return Proof(fault=f"nobody is trusted here, by {user_signers()} or --signers")
        text = said_text(stamp, said.entry)
        try:
            key = _signing_key(self.text, who, stamp, text, said.entry.signature)
        except (OSError, ValueError, subprocess.TimeoutExpired) as failed:
            return Proof(fault=f"its signature cannot be checked: {_reason(failed)}")
        return Proof(key) if key else Proof(fault=f"its signature is not {who}'s, by {self.source}")


def user_signers() -> Path:
    """Where the signers whom a user trusts are looked for: never in the folder of a design."""
    return settings_folder() / "allowed_signers"


def read_signers(file: Path | None = None) -> Signers:
    """The signers of a file; by default those of the user's own configuration, if there are any.

    Raises
    ------
    DesignFileError
        Where the file cannot be read.
    """
    path = file or user_signers()
    if file is None and not is_there(path):
        return Signers()
    return Signers(load_text(path)[0], str(path))


@dataclass(frozen=True)
class Signing:
    """Signs entries as they are written.

    Parameters
    ----------
    signers : Signers
        Where any are known, a key of somebody else signs nothing.
    key : str
        The file of a private key, or of a public one whose private one the user's agent holds;
        empty for the keys of the signers that the agent holds.
    """

    signers: Signers
    key: str = ""

    def __call__(self, stamp: str, entry: ReviewEntry) -> ReviewEntry:
        """An entry with its signature, as it is written at a moment.

        Raises
        ------
        SaveError
            Where no key signs it.
        """
        fault, text = NO_KEY, said_text(stamp, entry)
        with TemporaryDirectory() as folder:
            for key in (self.key,) if self.key else _keys_of_agent(Path(folder), self.signers):
                signed = entry.model_copy(update={"signature": _signature(text, key)})
                proof = self.signers.proof(Said(f"{stamp}-", signed))
                if proof.key or not self.signers.source:
                    return signed
                fault = proof.fault
        raise SaveError(fault)


def _keys_of_agent(folder: Path, signers: Signers) -> Iterator[str]:
    """Files with the public keys of signers whose private keys the user's agent holds."""
    for number, line in enumerate(_answer("ssh-add", "-L").stdout.decode("utf-8").splitlines()):
        words = line.split()
        if len(words) > 1 and words[1] in signers.text:
            path = folder / f"{number}.pub"
            path.write_text(line, "utf-8")
            yield str(path)


def _signature(text: str, key: str) -> str:
    """The signature of a text; SaveError where the key cannot be used."""
    words = ("-Y", "sign", "-n", NAMESPACE, "-f", key)
    done = _answer("ssh-keygen", *words, given=text.encode())
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().rpartition("\n")[2]
        if "No such file" in why and Path(key).exists():  # of the public part of it, beside it
            raise SaveError(f"{key} is no key of SSH, or one whose {key}.pub is missing")
        raise SaveError(f"{why}; a key with a passphrase has to be in your agent")
    return done.stdout.decode("ascii", "replace")


def _answer(program: str, *words: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """What a program of SSH answers; SaveError where it does not run to its end."""
    try:
        return ssh(program, *words, given=given)
    except (OSError, ValueError, subprocess.TimeoutExpired) as failed:
        raise SaveError(_reason(failed)) from None


@lru_cache(maxsize=4096)
def _signing_key(signers: str, who: str, stamp: str, text: str, signature: str) -> str:
    """The fingerprint of the key by which somebody signed a text; empty where none did."""
    with TemporaryDirectory() as folder:
        allowed, signed = Path(folder, "allowed_signers"), Path(folder, "signature")
        allowed.write_text(signers, "utf-8")
        signed.write_text(signature, "utf-8")
        moment = f"-Overify-time={stamp[:8]}{stamp[9:15]}"
        words = ("-Y", "verify", moment, "-n", NAMESPACE, "-I", who, "-f", allowed, "-s", signed)
        done = ssh("ssh-keygen", *map(str, words), given=text.encode())
    return "" if done.returncode else done.stdout.decode("ascii", "replace").split()[-1]


def _reason(failed: Exception) -> str:
    """Why no program of SSH answered."""
    if isinstance(failed, FileNotFoundError):
        return f"{failed} is not installed"
    return "no answer in time" if isinstance(failed, subprocess.TimeoutExpired) else str(failed)
