"""Release the program: python -m release VERSION [--dry-run] [-o FOLDER].

In a copy of what is committed: gives the newest section of CHANGELOG.md its version and date, tags
the commit with that section, builds wheel and sdist twice from two copies, and writes them with the
bill of software, the notes and SHA256SUMS into a folder. Only when all of it is there does the
commit with its tag come into the repository; nothing is pushed.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from packaging.version import Version

from release.software_bill import ROOT, ReleaseError, sha256, software_bill

UNRELEASED = "## [Unreleased]"
_RELEASED = re.compile(r"^## \[[\d.]+\] - \d{4}-\d\d-\d\d$", re.MULTILINE)
_UMASKS = (0o022, 0o077)


def run(folder: Path, *words: str, umask: int = -1) -> str:
    """What a command says.

    Raises
    ------
    ReleaseError
        If it fails, with what it says of it.
    """
    done = subprocess.run(
        words, cwd=folder, capture_output=True, text=True, check=False, umask=umask
    )
    if done.returncode:
        raise ReleaseError(
            f"{' '.join(words[:4])}: {(done.stderr or done.stdout).strip() or 'said nothing'}"
        )
    return done.stdout.strip()


def notes_and_changelog(text: str, version: str, date: str) -> tuple[str, str]:
    """Notes of a release, and the changelog with its heading in place of what heads them now.

    Notes are all that stands above the last released section: below ``[Unreleased]``, and below
    the version itself where it is ``not yet published``.

    Raises
    ------
    ReleaseError
        If there is nothing to release, or a section of another version was not published.
    """
    begin = re.search(r"^## \[", text, re.MULTILINE)
    if begin is None or _RELEASED.match(text, begin.start()):
        raise ReleaseError(f"CHANGELOG.md: no section {UNRELEASED!r} to release")
    last = _RELEASED.search(text, begin.start())
    end = last.start() if last else len(text)
    notes = text[begin.start() : end]
    for heading in re.findall(r"^## \[.*$", notes, re.MULTILINE):
        if heading not in (UNRELEASED, f"## [{version}] - not yet published"):
            raise ReleaseError(f"CHANGELOG.md: {heading!r} is another version, not yet released")
        notes = notes.replace(heading, "", 1)
    notes = re.sub(r"\n{3,}", "\n\n", notes).strip()
    if not re.search(r"^(?!#)\S", notes, re.MULTILINE):
        raise ReleaseError(f"CHANGELOG.md: nothing stands below {UNRELEASED!r}")
    whole = f"{text[: begin.start()]}## [{version}] - {date}\n\n{notes}\n\n{text[end:]}"
    return notes, whole.rstrip("\n") + "\n"


def check(root: Path, version: str) -> None:
    """Refuse what must not be released.

    Raises
    ------
    ReleaseError
        If the version is none, is there or older than one, or something is not committed.
    """
    if not re.fullmatch(r"\d+\.\d+\.\d+", version):
        raise ReleaseError(f"a version is three numbers such as 1.2.3, found {version!r}")
    tags = run(root, "git", "tag", "--list", "v[0-9]*").split()
    released = [tag[1:] for tag in tags if re.fullmatch(r"v\d+\.\d+\.\d+", tag)]
    if version in released:
        raise ReleaseError(f"the tag v{version} is there")
    newest = max(released, key=Version, default=version)
    if Version(newest) > Version(version):
        raise ReleaseError(f"{version} is older than {newest}, which is released")
    changed = run(root, "git", "status", "--porcelain").splitlines()
    if changed:
        names = ", ".join(line.split(maxsplit=1)[-1] for line in changed[:5])
        raise ReleaseError(f"{len(changed)} files are not committed: {names}")


def _clone(source: Path, folder: Path, umask: int = -1) -> Path:
    run(source, "git", "clone", "--quiet", str(source), str(folder), umask=umask)
    return folder


def _tagged(root: Path, folder: Path, version: str, date: str) -> tuple[Path, str]:
    """Commit and tag the release in a copy of the repository; the copy, and its notes."""
    copy = _clone(root, folder)
    for key in ("user.name", "user.email"):
        run(copy, "git", "config", key, run(root, "git", "config", key))
    changelog, project = copy / "CHANGELOG.md", copy / "pyproject.toml"
    notes, text = notes_and_changelog(changelog.read_text(encoding="utf-8"), version, date)
    changelog.write_text(text, encoding="utf-8")
    # what sources without git say of themselves
    settings = project.read_text(encoding="utf-8")
    settings = re.sub(r'^(fallback-version = )"[^"]*"', rf'\1"{version}"', settings, flags=re.M)
    project.write_text(settings, encoding="utf-8")
    run(copy, "git", "commit", "--quiet", "--all", "--message", f"Release {version}")
    # headings of notes begin with the sign of a comment
    message = f"Toposmith {version}\n\n{notes}\n"
    run(copy, "git", "tag", "--annotate", "--cleanup=verbatim", "-m", message, f"v{version}")
    return copy, notes


def _built(copy: Path, umask: int) -> dict[str, bytes]:
    run(
        copy,
        sys.executable,
        "-m",
        "build",
        "--no-isolation",
        "--skip-dependency-check",
        umask=umask,
    )
    return {file.name: file.read_bytes() for file in sorted((copy / "dist").iterdir())}


def release(root: Path, version: str, out: Path, *, dry: bool = False) -> list[Path]:
    """Release what is committed; without a commit and a tag in the repository where it is dry.

    Returns
    -------
    list of Path
        What was written: packages, bill of software, notes and SHA256SUMS.

    Raises
    ------
    ReleaseError
        If something stands in the way; nothing is then changed or written.
    """
    check(root, version)
    if out.exists() and any(out.iterdir()):
        raise ReleaseError(f"{out} holds files: name a new folder by -o")
    now = datetime.now(UTC).replace(microsecond=0)
    with tempfile.TemporaryDirectory() as scratch:
        copy, notes = _tagged(root, Path(scratch) / "one", version, f"{now:%Y-%m-%d}")
        copies = (copy, _clone(copy, Path(scratch) / "two", _UMASKS[1]))
        one, other = map(_built, copies, _UMASKS)
        if one != other or not all(version in name for name in one):
            raise ReleaseError(f"two builds differ: {sorted(one)}, {sorted(other)}")
        made = Path(scratch) / "made"
        made.mkdir()
        files = [made / name for name in one]
        for file in files:
            file.write_bytes(one[file.name])
        bill = made / f"toposmith-{version}.cdx.json"
        bill.write_text(software_bill(copy / "pins.txt", version, now, files), encoding="utf-8")
        words = made / "NOTES.md"
        words.write_text(notes + "\n", encoding="utf-8")
        files += [bill, words]
        sums = made / "SHA256SUMS"
        sums.write_text("".join(f"{sha256(file)}  {file.name}\n" for file in files))
        if not dry:
            tag = f"refs/tags/v{version}"
            run(root, "git", "fetch", "--quiet", "--no-tags", str(copy), "HEAD")
            run(root, "git", "merge", "--quiet", "--ff-only", "FETCH_HEAD")
            run(root, "git", "fetch", "--quiet", str(copy), f"{tag}:{tag}")
        shutil.copytree(made, out, dirs_exist_ok=True)
    return [out / file.name for file in (*files, sums)]


def main(words: list[str] | None = None) -> int:
    """Release the checkout that this lies in."""
    asked = argparse.ArgumentParser(
        prog="release", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    asked.add_argument("version", help="such as 1.2.3; its tag is v1.2.3")
    asked.add_argument(
        "--dry-run", action="store_true", help="write the files, change no repository"
    )
    asked.add_argument("-o", "--output", type=Path, help="a new folder; without it dist/VERSION")
    given = asked.parse_args(words)
    out = given.output or ROOT / "dist" / given.version
    try:
        files = release(ROOT, given.version, out, dry=given.dry_run)
    except (ReleaseError, OSError) as error:
        print(f"release: {error}", file=sys.stderr)
        return 1
    for file in files:
        print(file)
    print(
        "dry run: no commit, no tag"
        if given.dry_run
        else f"next: git push origin HEAD v{given.version}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
