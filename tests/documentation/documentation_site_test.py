#!/usr/bin/env python3
"""The documentation site builds without a warning, its links have targets, it loads nothing from the network, and its
tables name what the code has.

usage: documentation_site_test.py MKDOCS HELP_TEXTS [API_MODEL]
"""

import html.parser
import os
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

import pages

MKDOCS = None
INPUTS = []
SKIPPED = 77
BOUND_S = 120


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loaded = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
        if tag == "a" and values.get("href"):
            self.links.append(values["href"])
        elif values.get("src") or (tag == "link" and values.get("rel") == "stylesheet"):
            self.loaded.append(values.get("src") or values["href"])


class DocumentationSite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix="ringside-site.")
        cls.addClassCleanup(cls.scratch.cleanup)
        folder = cls.scratch.name
        assemble = os.path.join(pages.DOCS, "site", "assemble.py")
        cls.said = ""
        for command in ([sys.executable, assemble, folder, *INPUTS],
                        [MKDOCS, "build", "--strict", "--config-file", os.path.join(folder, "mkdocs.yml")]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BOUND_S,
                                  check=False, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "LC_ALL": "C.UTF-8"})
            cls.said += done.stdout
            if done.returncode != 0:
                raise AssertionError(f"{command} failed\n{cls.said}")
        cls.html = os.path.join(folder, "html")
        cls.pages = {}
        for where, _, names in os.walk(cls.html):
            for name in names:
                if name.endswith(".html"):
                    path = os.path.join(where, name)
                    with open(path, encoding="utf-8") as file:
                        cls.pages[os.path.relpath(path, cls.html)] = Page(file.read())

    def test_builds_without_warnings(self):
        self.assertNotIn("WARNING", self.said)
        self.assertNotIn("not included in the", self.said)
        for page in pages.pages():
            self.assertIn(page.removesuffix(".md") + ".html", self.pages)

    def test_links_and_anchors_exist(self):
        checked = 0
        for name, page in self.pages.items():
            if name in ("404.html", "search.html"):  # these have links from the root of a server
                continue
            for link in page.links:
                target = urllib.parse.urlparse(link)
                if target.scheme:
                    continue
                checked += 1
                path = os.path.normpath(os.path.join(os.path.dirname(name), urllib.parse.unquote(target.path))) \
                    if target.path else name
                path = "index.html" if path == "." else path
                self.assertTrue(os.path.exists(os.path.join(self.html, path)), f"{name}: {link} leads nowhere")
                if target.fragment and path in self.pages:
                    self.assertIn(urllib.parse.unquote(target.fragment), self.pages[path].anchors, f"{name}: {link}")
        self.assertGreater(checked, 100)

    def test_nothing_is_loaded_from_the_network(self):
        for name, page in self.pages.items():
            self.assertEqual([one for one in page.loaded if urllib.parse.urlparse(one).netloc], [], name)
        for where, _, names in os.walk(self.html):
            for name in names:
                if name.endswith(".css"):
                    with open(os.path.join(where, name), encoding="utf-8", errors="replace") as file:
                        self.assertIsNone(re.search(r"(url\(|@import)\s*['\"]?https?:", file.read()), name)

    def test_the_programs_options_are_on_their_pages(self):
        for program, option in (("consumerd", "--rotate-bytes"), ("ringcat", "--where"), ("ringctl", "--of-level"), ("ringrun", "--keep"),
                                ("ringstat", "--watch-exit")):
            with open(os.path.join(self.html, "reference", program + ".html"), encoding="utf-8") as file:
                self.assertIn(option, file.read())

    def test_the_calls_are_on_their_pages(self):
        for page, call in (("cpp-api.html", "ringside::preallocate"), ("c-api.html", "rs_preallocate")):
            with open(os.path.join(self.html, "reference", page), encoding="utf-8") as file:
                self.assertEqual(call in file.read(), len(INPUTS) > 1, page)


class Tables(unittest.TestCase):
    def test_environment_variables_are_those_of_the_library(self):
        documented = pages.first_column("reference/environment.md", "## The library")
        read = re.findall(r'"(RINGSIDE_[A-Z_]+)"', pages.text_of("libagent/process/environment.cpp"))
        self.assertEqual(sorted(documented), sorted(set(read)))

    def test_hook_variables_are_those_of_consumerd(self):
        documented = pages.first_column("reference/environment.md", "## Hooks of triggers")
        set_for_hooks = re.findall(r'"(RINGSIDE_[A-Z]+)(?:=|")', pages.sources("consumerd"))
        self.assertEqual(sorted(documented), sorted(set(set_for_hooks) - {"RINGSIDE_CONSUMERD"}))

    def test_metrics_are_those_of_consumerd(self):
        documented = [name for heading in ("## consumerd itself", "## Triggers", "## Sessions", "## Services")
                      for name in pages.first_column("reference/metrics.md", heading)]
        self.assertEqual(len(documented), len(set(documented)))
        served = set(re.findall(r'"((?:ringside|process)_[a-z_]+)"', pages.sources("consumerd")))
        self.assertEqual(sorted(documented), sorted(served))

    def test_causes_of_loss_are_those_of_ringcat(self):
        documented = pages.first_column("operating/troubleshooting.md", "## Causes of loss")
        names = re.findall(r'\{LossCause::k\w+, "([a-z_]+)"', pages.text_of("trace-format/lines/loss_text.cpp"))
        self.assertEqual(sorted(documented), sorted(set(names) - {"several", "unknown"}))

    def test_messages_exist(self):
        for heading, folder in (("## Messages of the service", "libagent"), ("## Messages of consumerd", "consumerd")):
            literals = pages.literals(pages.sources(folder))
            for message in pages.first_column("operating/troubleshooting.md", heading):
                with self.subTest(message):
                    self.assertTrue(any(message in literal for literal in literals),
                                    f"no message of {folder} contains {message!r}; correct docs/operating/troubleshooting.md")


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    _, MKDOCS, *INPUTS = sys.argv
    del sys.argv[1:]
    lacking = [path for path in INPUTS if not os.path.exists(path)]
    if lacking:
        print(f"skipped: {' '.join(lacking)} not built; ninja builds it with the programs")
        sys.exit(SKIPPED)
    unittest.main(verbosity=2)
