"""A horizontal bar chart as SVG, readable on light and dark pages."""

from xml.sax.saxutils import escape

COLOURS = ["#2f6fb3", "#6fb1e0", "#b8862b", "#7a9a3a", "#8c5fa8"]
WIDTH, LABEL, FIGURE, BAR, GAP = 760, 210, 70, 16, 18


def bar_chart(title, groups, unit):
    """groups  [(name, [(series, value, low, high)])]; a thin line shows low to high."""
    names = list(dict.fromkeys(s for _, bars in groups for s, *_ in bars))
    colour = {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}
    largest = max((high for _, bars in groups for *_, high in bars), default=1) or 1
    scale = (WIDTH - LABEL - FIGURE) / largest
    parts, y = [], 64
    x = LABEL
    for name in names:
        parts.append(f'<rect x="{x}" y="34" width="11" height="11" fill="{colour[name]}"/>'
                     f'<text x="{x + 16}" y="44">{escape(name)}</text>')
        x += 40 + 7 * len(name)
    for group, bars in groups:
        middle = y + BAR * len(bars) / 2 + 4
        parts.append(f'<text x="{LABEL - 10}" y="{middle:.0f}" text-anchor="end">'
                     f'{escape(group)}</text>')
        for name, value, low, high in bars:
            mid = y + (BAR - 3) / 2
            parts.append(
                f'<rect x="{LABEL}" y="{y}" width="{value * scale:.1f}" height="{BAR - 3}" '
                f'fill="{colour[name]}"/>'
                f'<path d="M{LABEL + low * scale:.1f} {mid}H{LABEL + high * scale:.1f}" '
                f'stroke="#808080" stroke-width="1.5"/>'
                f'<text x="{LABEL + high * scale + 6:.1f}" y="{y + 11}">{value:,.4g}</text>')
            y += BAR
        y += GAP
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y}" '
            f'viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="12">\n'
            '<style>text{fill:#222}@media(prefers-color-scheme:dark){text{fill:#ddd}}</style>\n'
            f'<text x="8" y="20" font-size="14">{escape(title)}, {escape(unit)}</text>\n'
            + "\n".join(parts) + "\n</svg>\n")
