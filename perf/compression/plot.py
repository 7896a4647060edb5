"""Line plots as SVG, with a logarithmic x axis."""
import math

WIDTH, HEIGHT = 860, 420
LEFT, RIGHT, TOP, BOTTOM = 60, 190, 40, 50
COLOURS = ["#888888", "#1b9e77", "#7570b3", "#d95f02", "#e7298a", "#66a61e", "#e6ab02", "#a6761d",
           "#1f78b4", "#b2182b", "#542788", "#01665e", "#bf812d", "#35978f"]


def write_plot(path, title, x_name, y_name, xs, series):
    """`series`: name -> one y for each x."""
    low, high = math.log10(xs[0]), math.log10(xs[-1])
    top = max(max(ys) for ys in series.values()) * 1.05

    def x_at(x):
        return LEFT + (math.log10(x) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y_at(y):
        return HEIGHT - BOTTOM - y / top * (HEIGHT - TOP - BOTTOM)

    def text(x, y, what, anchor="middle", extra=""):
        return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" {extra}>{what}</text>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
             'font-family="sans-serif" font-size="12">',
             f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
             text(LEFT, 22, title, "start", 'font-size="15"'),
             text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 12, x_name),
             text(16, HEIGHT / 2, y_name, "middle", f'transform="rotate(-90 16 {HEIGHT / 2})"')]
    for exponent in range(math.ceil(low), math.floor(high) + 1):
        x = x_at(10 ** exponent)
        parts.append(f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(text(x, HEIGHT - BOTTOM + 16, f"{10 ** exponent:,}"))
    step = 10 ** math.floor(math.log10(top / 4))
    step *= 2 if top / step > 12 else 1
    for i in range(int(top / step) + 1):
        y = y_at(i * step)
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.0f}" y2="{y:.0f}" stroke="#ddd"/>')
        parts.append(text(LEFT - 6, y + 4, f"{i * step:g}", "end"))
    for i, (name, ys) in enumerate(series.items()):
        colour = COLOURS[i % len(COLOURS)]
        dashes = ' stroke-dasharray="5 3"' if "+" in name else ""
        points = " ".join(f"{x_at(x):.1f},{y_at(y):.1f}" for x, y in zip(xs, ys))
        parts.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2"{dashes} points="{points}"/>')
        y = TOP + 10 + 18 * i
        at = WIDTH - RIGHT + 14
        parts.append(f'<line x1="{at}" x2="{at + 24}" y1="{y}" y2="{y}" stroke="{colour}" '
                     f'stroke-width="2"{dashes}/>')
        parts.append(text(at + 30, y + 4, name, "start"))
    parts.append("</svg>")
    path.write_text("\n".join(parts) + "\n")
