#!/usr/bin/env python3
"""Draws docs/layers.svg, the picture in docs/architecture.md, from the tree as it is.

    tools/draw_layers.py           writes the picture
    tools/draw_layers.py --check   fails when the picture in the tree is not the one it would write
"""

import argparse
import html
import pathlib
import sys

import layers

PICTURE = "docs/layers.svg"

WIDTH, MARGIN, ROW, GAP = 880, 24, 40, 6
NAME_WIDTH, BAND_GAP = 104, 18
LABELS = 186  # the column left of the rows
TITLE = 34

# Neighbouring layers that one label and one colour (fill, edge) hold together, from the top.
BANDS = [
    ("the program and the proof", ("cli", "conformance"), "#f3e8ff", "#9333ea"),
    ("serving and training", ("train", "serve"), "#ffe4e6", "#e11d48"),
    ("models", ("models", "image", "audio", "text", "nn", "io"), "#dcfce7", "#16a34a"),
    ("arrays on any machine", ("graph", "backends", "backend", "ops", "ir"), "#dbeafe", "#2563eb"),
    ("what all stand on", ("core",), "#f1f5f9", "#64748b"),
]


def text(x, y, content, **attributes):
    extra = "".join(f' {k.replace("_", "-")}="{v}"' for k, v in attributes.items())
    return f'<text x="{x}" y="{y}"{extra}>{html.escape(content)}</text>'


def row(x, y, width, name, fill, edge, machines):
    yield (f'<rect x="{x}" y="{y}" width="{width}" height="{ROW}" rx="6" '
           f'fill="{fill}" stroke="{edge}" stroke-opacity="0.45"/>')
    middle = y + ROW / 2 + 5
    yield text(x + 14, middle, name, font_weight="700", fill=edge)
    yield text(x + 14 + NAME_WIDTH, middle, layers.LAYERS[name], font_size="13.5", fill="#334155")
    right = x + width - 10
    for machine in reversed(machines):  # a tag for each backend in the tree, right-aligned
        tag = 18 + 7.5 * len(machine)
        right -= tag
        yield (f'<rect x="{right:g}" y="{y + 8}" width="{tag:g}" height="{ROW - 16}" rx="12" '
               f'fill="#ffffff" stroke="{edge}"/>')
        yield text(f"{right + tag / 2:g}", middle - 0.5, machine, font_size="12.5", fill=edge,
                   text_anchor="middle")
        right -= 6


def draw(root):
    assert [name for _, names, _, _ in BANDS for name in names] == list(reversed(layers.LAYERS))
    present = {layers.layer_of(path) for path in layers.sources(root)}
    backends = sorted({layers.backend_of(path) for path in layers.sources(root)} - {None})
    body = []
    inner_x, inner_width = MARGIN + LABELS, WIDTH - 2 * MARGIN - LABELS - 30
    y = MARGIN + TITLE
    top = y
    for label, names, fill, edge in BANDS:
        names = [name for name in names if name in present]
        if not names:
            continue
        band_middle = y + (len(names) * (ROW + GAP) - GAP) / 2 + 5
        body.append(text(inner_x - 18, f"{band_middle:g}", label, text_anchor="end", fill=edge,
                         font_size="14"))
        height = len(names) * (ROW + GAP) - GAP
        body.append(f'<path d="M {inner_x - 9} {y} v {height}" stroke="{edge}" stroke-width="3" '
                    f'stroke-linecap="round"/>')
        for name in names:
            body += row(inner_x, y, inner_width, name, fill, edge,
                        backends if name == "backends" else [])
            y += ROW + GAP
        y += BAND_GAP - GAP
    bottom = y - BAND_GAP
    arrow_x = inner_x + inner_width + 20
    body.append(f'<path d="M {arrow_x} {top} V {bottom - 8}" stroke="#94a3b8" stroke-width="2" '
                f'marker-end="url(#head)"/>')
    height = bottom + MARGIN
    title = text(MARGIN, MARGIN + 12, "A file includes its own layer and the layers below it.",
                 fill="#0f172a", font_size="15")
    style = 'font-family="system-ui, -apple-system, Segoe UI, Helvetica, Arial, sans-serif"'
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}" {style} font-size="15" role="img" aria-label="The layers of Tessera">',
        "<!-- Written by tools/draw_layers.py; change tools/layers.py and run it again. -->",
        '<defs><marker id="head" viewBox="0 0 10 10" refX="5" refY="5" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M 0 0 L 10 5 L 0 10 z" fill="#94a3b8"/></marker>'
        "</defs>",
        f'<rect width="{WIDTH}" height="{height}" rx="10" fill="#ffffff"/>',
        title, *body, "</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=layers.repository())
    arguments = parser.parse_args()
    picture = arguments.root / PICTURE
    drawn = draw(arguments.root)
    if not arguments.check:
        picture.parent.mkdir(exist_ok=True)
        picture.write_text(drawn, encoding="utf-8")
    elif not picture.exists() or picture.read_text(encoding="utf-8") != drawn:
        sys.exit(f"{PICTURE} does not show the tree as it is; run tools/draw_layers.py")


if __name__ == "__main__":
    main()
