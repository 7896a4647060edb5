"""Where the elements of a page are."""

# An element within one that scrolls or clips cannot make the page wider.
SCRIPT = """
const box = (element) => { const {left, top, right, bottom} = element.getBoundingClientRect(); return [left, top, right, bottom].map((each) => each + 0); };
const isShown = (element) => element.getClientRects().length > 0 && element.closest('.visually-hidden, .outside') === null;
const isClipped = (element) => { for (let at = element.parentElement; at !== null; at = at.parentElement) if (getComputedStyle(at).overflowX !== 'visible') return true; return false; };
return {
  panels: [...document.querySelectorAll('section.panel')].map((panel) => [panel.id, box(panel), panel.innerText.trim().length]),
  wide: [...document.querySelectorAll('body *')].filter((each) => isShown(each) && (box(each)[2] > innerWidth + 0.5 || box(each)[0] < -0.5) && !isClipped(each)).map((each) => each.outerHTML.slice(0, 200)),
  cut: [...document.querySelectorAll('.scroll, .waterfall, .detail')].filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.closest('section').id),
  width: document.documentElement.scrollWidth,
};
"""


class Layout:
    """Of the page that a browser has open."""

    def __init__(self, window):
        found = window.run(SCRIPT)
        self.panels = found["panels"]  # (id, [left, top, right, bottom], characters)
        self.wide = found["wide"]  # elements that reach beyond the page
        self.cut = found["cut"]  # panels with a table that is wider than its place
        self.width = found["width"]

    def assert_it_holds(self, case, width):
        """Each panel has something, fits the page, and is below the one before."""
        for name, (left, top, right, bottom), characters in self.panels:
            case.assertTrue(0 <= left < right <= width, f"{name} is wider than the page")
            case.assertGreater(bottom - top, 40, f"{name} is empty")
            case.assertGreater(characters, 20, f"{name} is empty")
        for (name, above, _), (other, below, _) in zip(self.panels, self.panels[1:]):
            case.assertLessEqual(above[3], below[1], f"{name} and {other} overlap")
        case.assertEqual(self.wide, [])
        case.assertLessEqual(self.width, width)
