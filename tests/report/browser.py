"""Debian's Chromium without a window, as the tests of pages use it."""

import json
import shutil
import tempfile
import time

CHROMIUM, DRIVER = "/usr/bin/chromium", "/usr/bin/chromedriver"
# Chromium's own connections are not those of the page.
SWITCHES = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--force-device-scale-factor=1", "--hide-scrollbars"]


def missing():
    """What has to be installed; empty: nothing."""
    try:
        import selenium  # pylint: disable=import-outside-toplevel,unused-import
    except ImportError:
        return "python3-selenium"
    return ", ".join(name for name in ("chromium", "chromedriver") if shutil.which(name) is None)


class Browser:
    """A browser with one page. Use it in a `with` statement."""

    def __init__(self, width=1280, height=1000, switches=()):
        self.size = (width, height)
        self.switches = switches

    def __enter__(self):
        from selenium import webdriver  # pylint: disable=import-outside-toplevel
        from selenium.webdriver.chrome.service import Service  # pylint: disable=import-outside-toplevel
        self.profile = tempfile.mkdtemp(prefix="ringside-test-browser-")
        options = webdriver.ChromeOptions()
        options.binary_location = CHROMIUM
        for switch in (*SWITCHES, *self.switches, f"--user-data-dir={self.profile}", f"--window-size={self.size[0]},{self.size[1]}"):
            options.add_argument(switch)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(DRIVER), options=options)
        # The window's size includes a frame, and has a least width: the page gets this one.
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": self.size[0], "height": self.size[1], "deviceScaleFactor": 1, "mobile": False})
        self.driver.set_page_load_timeout(120)
        return self

    def __exit__(self, *_):
        self.driver.quit()
        shutil.rmtree(self.profile, True)

    def open(self, path, fragment=""):
        self.visit(f"file://{path}" + (f"#{fragment}" if fragment else ""))

    def visit(self, address):
        self.driver.get("about:blank")
        self.log("performance")  # what was before is not of this page
        self.driver.get(address)
        self.wait_until_made()

    def wait_until_made(self, bound_s=60):
        """A report makes the panels that are not visible first after it has been painted."""
        end = time.monotonic() + bound_s
        while self.run("return document.querySelector('[aria-busy]') !== null"):
            if time.monotonic() > end:
                raise AssertionError(f"the page has not made its panels within {bound_s} s")
            time.sleep(0.01)

    def log(self, kind):
        return self.driver.get_log(kind)

    def complaints(self):
        """What the console says: errors of scripts, and what the page's policy has refused."""
        return [entry["message"] for entry in self.log("browser") if entry["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """The addresses that the page has requested since open()."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settle(self):
        """Waits until what was changed, clicked or scrolled has been drawn."""
        self.driver.execute_async_script("const done = arguments[0], frame = requestAnimationFrame; frame(() => frame(() => frame(() => setTimeout(done))))")

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def texts(self, selector):
        return self.run("return [...document.querySelectorAll(arguments[0])].map((each) => each.textContent)", selector)
