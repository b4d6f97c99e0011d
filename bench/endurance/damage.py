"""Good files changed at random: bytes, lines, values, encodings, and the insides of archives."""

from __future__ import annotations

import io
import random
import zipfile
import zlib
from collections.abc import Callable

MOST_BYTES = 2_000_000
NUMBERS = 34
"""The first of the tokens are numbers."""

TOKENS = (
    # numbers
    "9" * 32, "9" * 400, "9" * 5000, "-" + "9" * 5000, "0." + "9" * 5000, "1" * 4301 + ".5", "-1",
    "-0", "0", "1e400", "-1e400", "1e-400", "1e309", "9" * 20, "99999999", "2147483648", ".nan",
    ".inf", "NaN", "nan", "Infinity", "inf", "0x" + "f" * 5000, "0x7fffffffffffffff", "0o17",
    "1_000", "1:2:3", "1:" * 3000 + "1", "\u0663\u0664", "\u00b2", "\u2460", "1,5", "1.2.3", "+7",
    # texts
    "\x00", "\x1b[2J", "\u202e", "\ufeff", "\u2028", "\x85", "\x0b", "'", '"', '"\\ud800"',
    "\\ud800", "a" * 5000, "a" * 200_000, "\U0001f600", "../../etc/passwd", "=cmd|calc", "null",
    "~", "''", "{}", "[]", "true", "2026-99-99", "9999-12-31", "2026-11-23T25:61", "%", "{n}",
    "{n+" + "9" * 40 + "}", "node[su=0", "node[su=*]..", "node[node=" + "9" * 5000 + "]",
    # long lines of one sign
    " " * 60_000, "\t" * 60_000, "0" * 60_000, " 1" * 30_000, '"' * 60_000, '" (' * 20_000,
    "a@a#" * 15_000, "a-" * 30_000, "==(" * 20_000, "[1]" * 20_000, ",x" * 30_000, "{n}" * 20_000,
    # nesting and repetition
    "[" * 3000, "[" * 90, '{"a":' * 3000, '{"a":' * 60 + "1" + "}" * 60, "[" * 60 + "]" * 60,
    "- " * 2000, "{{{{", "su: {su: {su: 1}}", "<a>" * 3000, "(" * 500, "&a [*a, *a]", "<<: *x",
    "&a [1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]",
    "!!python/object:os.system x", "!!binary x", "!!timestamp x", "? ", "|", ">", "\t", "%YAML 9.9",
    "---\n...\n---", "a: 1\na: 1", '"a": 1, "a": 2', "<!DOCTYPE a [<!ENTITY b 'c'>]>", "&b;",
    "&#xd800;", "<![CDATA[", "<!--", "]]>", "<?xml version='1.0' encoding='utf-7'?>",
)  # fmt: skip


def damaged(rng: random.Random, good: bytes) -> bytes:
    """A file with one to six changes."""
    if good[:2] == b"PK":
        return _archive(rng, good)[:MOST_BYTES]
    raw = good
    while raw == good:
        for _ in range(rng.choice((1, 1, 2, 3, 6))):
            raw = rng.choice(_TEXT)(rng, raw)[:MOST_BYTES]
    return raw


def _bytes(rng: random.Random, raw: bytes) -> bytes:
    place = rng.randrange(len(raw) + 1)
    return raw[:place] + rng.randbytes(rng.randint(0, 3)) + raw[place + rng.randint(0, 3) :]


def _lines(rng: random.Random, raw: bytes) -> bytes:
    lines = raw.split(b"\n")
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[place]
        case 1:
            lines[place] = b" " * rng.randint(1, 9) + lines[place]
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case 3:
            lines[place:place] = [lines[other][:2000]] * rng.choice((1, 2, 500))
        case 4:
            lines[place] = lines[place][:20_000] * rng.choice((2, 50))
        case _:
            lines = lines[:place]
    return b"\n".join(lines)


def _value(rng: random.Random, raw: bytes) -> bytes:
    """A token after a sign that values follow."""
    text = raw.decode("utf-8", "replace")
    ends = [place for place, sign in enumerate(text) if sign in ":,{[ =\"'\t|"]
    token = rng.choice(TOKENS)
    if not ends:
        return raw + token.encode("utf-8", "replace")
    place = rng.choice(ends) + 1
    until = place + rng.choice((0, 1, 3, 8, 20))
    return (text[:place] + rng.choice(("", " ")) + token + text[until:]).encode("utf-8", "replace")


def _number(rng: random.Random, raw: bytes) -> bytes:
    """A token in place of a number."""
    text = raw.decode("utf-8", "replace")
    digits = [
        place
        for place, sign in enumerate(text)
        if sign.isdecimal() and not text[place - 1 : place].isdecimal()
    ]
    if not digits:
        return _value(rng, raw)
    place = end = rng.choice(digits)
    while text[end : end + 1].isdecimal():
        end += 1
    token = rng.choice(TOKENS[:NUMBERS]) if rng.random() < 0.5 else rng.choice(TOKENS)
    return (text[:place] + token + text[end:]).encode("utf-8", "replace")


def _encoding(rng: random.Random, raw: bytes) -> bytes:
    """Another encoding, another mark, other line ends, or a letter cut in half."""
    text = raw.decode("utf-8", "replace")
    match rng.randrange(7):
        case 0:
            return text.encode(rng.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32")))
        case 1:
            return text.replace("e", "\u00e9").encode("latin-1", "replace")
        case 2:
            return "\ufeff".encode() + raw
        case 3:
            return raw.replace(b"\n", rng.choice((b"\r", b"\r\n", b"\x85", b"\n\n")))
        case 4:
            place = rng.randrange(len(raw) + 1)
            return raw[:place] + rng.choice((b"\xe2\x82", b"\xed\xa0\x80", b"\xf0\x9f", b"\xc0"))
        case 5:
            place = rng.randrange(len(raw) + 1)
            return raw[:place] + b"\xed\xb0\x80" + raw[place:]
        case _:
            return raw[: rng.randrange(len(raw) + 1)]


_TEXT: tuple[Callable[[random.Random, bytes], bytes], ...] = (
    _bytes, _lines, _lines, _value, _value, _value, _number, _number, _encoding,
)  # fmt: skip
_BOMBS = (
    b"<sheetData><row>" + b"<c/>" * 3_000_000,
    b"<sheetData>" + b"<row/>" * 1_500_000,
    b"<sheetData>" + b"<row><c/></row>" * 800_000,
    b" " * 60_000_000,
    b"<a>" * 2_000_000,
    b"<sst><si><t>" + b"x" * 30_000_000,
    b"<!DOCTYPE a [<!ENTITY b 'cccc'><!ENTITY d '&b;&b;&b;&b;'>]><a>&d;</a>",
)


def _archive(rng: random.Random, raw: bytes) -> bytes:
    """A workbook with a damaged stream, a damaged directory, or other parts."""
    place = rng.randrange(len(raw))
    match rng.randrange(8):
        case 0:
            return raw[:place]
        case 1:
            return raw[:place] + rng.randbytes(rng.randint(1, 40)) + raw[place + 20 :]
        case 2:  # inside the first streams, past the local headers
            place = min(len(raw) - 1, rng.randint(30, 3000))
            return raw[:place] + rng.randbytes(4) + raw[place + 4 :]
        case 3:  # the directory at the end: sizes, methods, flags, names
            place = raw.rindex(b"PK\x01\x02") + rng.randrange(46)
            return raw[:place] + rng.randbytes(rng.choice((1, 2, 4))) + raw[place + 4 :]
        case 4:
            return _packed(raw, rng, lambda text: damaged(rng, text)[:400_000], one=True)
        case 5:
            return _packed(raw, rng, lambda text: text[:300] + rng.choice(_BOMBS), one=True)
        case 6:
            method = rng.choice((zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA, zipfile.ZIP_STORED))
            return _bytes(rng, _packed(raw, rng, lambda text: text, method=method))
        case _:
            return raw[:4] + zlib.compress(raw) + raw[place:]


def _packed(
    raw: bytes,
    rng: random.Random,
    change: Callable[[bytes], bytes],
    *,
    one: bool = False,
    method: int = zipfile.ZIP_DEFLATED,
) -> bytes:
    """The archive packed anew with one part changed, or all."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as old, zipfile.ZipFile(out, "w", method) as new:
        names = old.namelist()
        chosen = rng.choice(names)
        for name in names:
            text = old.read(name)
            if name != chosen or rng.random() < 0.9:
                new.writestr(name, change(text) if name == chosen or not one else text)
    return out.getvalue()
