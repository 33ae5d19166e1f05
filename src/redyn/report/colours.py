"""One colour per joint, the same in every picture."""

from __future__ import annotations

import colorsys

INK, FAINT, PATH, FORCE = "#1f2933", "#9aa5b1", "#d1495b", "#2f9e44"
COLOURS = ("#1b6ca8", "#d1495b", "#2e933c", "#e08e0b", "#6f2dbd", "#0f8b8d", "#8d5524")
OTHERS = ("#c2377b", "#3a86c8", "#52606d", "#8a9a00", "#d9730d", "#0a7f5a")  # for curves other than joints'
GOLDEN = 0.6180339887  # golden ratio, as a fraction of the hue circle: successive hues stay far apart


def joint_colour(i: int) -> str:
    """Colour of the joint with index i from 0, as #rrggbb; joints beyond the list get further hues.

    >>> joint_colour(0), joint_colour(7), joint_colour(8)
    ('#1b6ca8', '#73ad38', '#ad3895')
    """
    if i < len(COLOURS):
        return COLOURS[i]
    k = i - len(COLOURS)
    lightness = (0.45, 0.35, 0.55)[k // 8 % 3]
    red, green, blue = colorsys.hls_to_rgb((0.25 + k * GOLDEN) % 1.0, lightness, 0.51)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
