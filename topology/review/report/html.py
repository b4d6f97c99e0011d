"""Blocks of a page as one HTML file: opens offline, runs nothing, obeys no text of a design."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from toposmith.catalog.plain_text import visible
from toposmith.topology.review.report.blocks import Block, Drawing, Heading, Lines, Page, Words
from toposmith.topology.review.table import Table

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em;
  color: #1a1a1a; background: #fff }
h1 { font-size: 1.6em } h2 { font-size: 1.25em; margin-top: 2em } h3 { font-size: 1em }
div.wide { overflow-x: auto }
table { border-collapse: collapse; font-size: .92em }
th, td { border-bottom: 1px solid #ccc; padding: .25em .8em .25em 0; text-align: left;
  vertical-align: top }
.figure { text-align: right; font-variant-numeric: tabular-nums }
img { max-width: 100% }
@media print { body { margin: 0 } table { font-size: .8em } }
"""

_FIGURE = ' class="figure"'

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""Nothing is fetched and nothing runs, whatever stands in the page."""


def page_html(page: Page) -> str:
    """A whole page."""
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{_text(page.title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
    )
    return head + "\n".join(_block(block) for block in page.blocks) + "\n</body>\n</html>\n"


def _block(block: Block) -> str:
    if isinstance(block, Heading):
        return f"<h{block.level}>{_text(block.text)}</h{block.level}>"
    if isinstance(block, Words):
        return f"<p>{_text(block.text)}</p>"
    if isinstance(block, Lines):
        return "<ul>" + "".join(f"<li>{_text(line)}</li>" for line in block.lines) + "</ul>"
    if isinstance(block, Drawing):
        # as an image no script in it would run
        data = b64encode(block.svg.encode()).decode("ascii")
        return f'<p><img alt="{_text(block.told)}" src="data:image/svg+xml;base64,{data}"></p>'
    return _table(block)


def _table(table: Table) -> str:
    lines = ['<div class="wide"><table>', f"<thead>{_row(table.head, table, 'th')}</thead>"]
    lines += ["<tbody>", *(_row(row, table, "td") for row in table.rows), "</tbody></table></div>"]
    return "\n".join(lines)


def _row(cells: tuple[str, ...], table: Table, tag: str) -> str:
    return (
        "<tr>"
        + "".join(
            f"<{tag}{_FIGURE if at in table.right else ''}>{_text(cell)}</{tag}>"
            for at, cell in enumerate(cells)
        )
        + "</tr>"
    )


def _text(text: str) -> str:
    return escape(visible(text))
