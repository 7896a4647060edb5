#!/usr/bin/env python3
"""Pages of a fixed trace look as the stored pictures, wide and narrow, in light and dark; panels do not overlap, and fit the page.

RINGSIDE_TEST_WRITE_PICTURES=1 writes the pictures anew. Look at each of them before you commit it. RINGSIDE_TEST_KEEP=1 keeps the
pages as they are now, in full size, in the directory that the test prints."""

import base64
import os
import subprocess
import unittest

import browser
import pictured_trace
from compared_pictures import CELL, coarse, data_address, differing_cells, picture_of, size_of
from page_layout import Layout
from reported_trace import BOUND_S, TestBed, program, wait_until

PICTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pictures")
SCALE = 3  # pixels of the page for each one of a picture
TOLERANCE = 10  # of 255: how much the mean colour of a cell can differ
MOST_DIFFERING = 0.03  # of the cells of a panel
PANELS = ["health", "statements", "heat", "timeline", "flame", "requests", "records", "triggers", "comparison"]
SIZES = {"wide": 1280, "narrow": 390}
MOST_BYTES = 150_000


@unittest.skipIf(browser.missing(), f"needs {browser.missing()}: packaging/install-build-deps.sh installs it")
class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.bed = TestBed()
        cls.addClassCleanup(cls.bed.close)
        if os.environ.get("RINGSIDE_TEST_KEEP") == "1":
            print(cls.bed.work_dir)
        paths = []
        for name, slower in (("before", 1.0), ("after", 1.6)):
            paths.append(os.path.join(cls.bed.work_dir, f"{name}.ndjson"))
            with open(paths[-1], "w", encoding="utf-8") as file:
                file.write(pictured_trace.lines(name, slower))
        cls.page = os.path.join(cls.bed.work_dir, "report.html")
        done = subprocess.run([program("ringcat"), "report", "-o", cls.page, "--title", "shop on east-1", paths[1], "--against", paths[0]],
                              capture_output=True, text=True, timeout=BOUND_S, check=False)
        assert done.returncode == 0, done.stderr
        cls.window = browser.Browser()
        cls.addClassCleanup(cls.window.__exit__)
        cls.window.__enter__()

    def opened(self, width, scheme):
        """The page with its whole height visible, so that all panels are drawn."""
        command = self.window.driver.execute_cdp_cmd
        command("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        command("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        # A selected request and a selected record show their details.
        self.window.open(self.page, f"request={51:032x}&r=200")
        for _ in range(2):
            height = self.window.run("return Math.ceil(document.getElementById('report').getBoundingClientRect().bottom)")
            command("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            self.window.settle()
        return height

    def taken(self, width, scheme, change=""):
        """(the picture, the layout), after a script has changed the page."""
        height = self.opened(width, scheme)
        self.window.run(change)
        self.last = None
        png = wait_until(self.unchanged_picture, "a page that is not drawn anew")
        layout = Layout(self.window)
        with open(os.path.join(self.bed.work_dir, f"{width}-{scheme}.png"), "wb") as file:
            file.write(base64.b64decode(png))
        return picture_of(self.window, "data:image/png;base64," + png, width // SCALE, height // SCALE), layout

    def unchanged_picture(self):
        """The page as a PNG file in Base64, once it looks as before."""
        before, self.last = self.last, self.window.driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})["data"]
        self.window.settle()
        return self.last if self.last == before else None

    def check_layout(self, layout, width):
        self.assertEqual([name for name, _, _ in layout.panels], PANELS)
        layout.assert_it_holds(self, width)
        self.assertEqual(layout.cut, [], "panels with a table that is wider")

    def bad_panels(self, picture, layout, path):
        """Panels that do not look as in a stored picture, with the share of their cells that differ."""
        with open(path, "rb") as file:
            png = file.read()
        self.assertLess(len(png), MOST_BYTES)
        width, height = size_of(png)
        self.assertEqual(width, picture.width)
        self.assertLessEqual(abs(height - picture.height), 0.01 * height, f"{path}: the page is {height * SCALE} pixels high in the picture, and {picture.height * SCALE} now")
        differing = differing_cells(picture, picture_of(self.window, data_address(png), width, height), TOLERANCE)
        bad = {}
        for name, box, _ in layout.panels:
            left, top, right, bottom = (round(each / SCALE / CELL) for each in box)
            cells = {(x, y) for x in range(left, right) for y in range(top, bottom)}
            share = len(cells & differing) / len(cells)
            if share > MOST_DIFFERING:
                bad[name] = f"{100 * share:.0f} %"
        return bad

    def check(self, size, scheme):
        path = os.path.join(PICTURES, f"{size}-{scheme}.png")
        picture, layout = self.taken(SIZES[size], scheme)
        self.check_layout(layout, SIZES[size])
        self.assertEqual(self.window.complaints(), [])
        if os.environ.get("RINGSIDE_TEST_WRITE_PICTURES"):
            os.makedirs(PICTURES, exist_ok=True)
            coarse(picture).write(path)
        self.assertEqual(self.bad_panels(picture, layout, path), {}, f"cells that differ from {path}")

    def test_panels_without_content_are_found(self):
        picture, layout = self.taken(SIZES["wide"], "light", "for (const each of document.querySelectorAll('.panel > :not(h2)')) each.style.visibility = 'hidden'")
        self.assertEqual(list(self.bad_panels(picture, layout, os.path.join(PICTURES, "wide-light.png"))), PANELS)

    def test_wide_and_light(self):
        self.check("wide", "light")

    def test_wide_and_dark(self):
        self.check("wide", "dark")

    def test_narrow_and_light(self):
        self.check("narrow", "light")

    def test_narrow_and_dark(self):
        self.check("narrow", "dark")


if __name__ == "__main__":
    unittest.main(verbosity=2)
