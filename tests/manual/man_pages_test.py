#!/usr/bin/env python3
"""Man pages compared with --help: the same options and subcommands, as a reader of the rendered page sees them."""

import functools
import json
import os
import re
import shlex
import shutil
import tempfile
import unittest

import programs

PAGES = os.path.join(programs.MANUAL, "man1")


def path_of(command):
    return os.path.join(PAGES, command.replace(" ", "-") + ".1")


@functools.cache
def rendered(command):
    return re.sub(".\b", "", programs.run(["mandoc", "-T", "utf8", "-O", "width=200", path_of(command)]).stdout)


def sections(text):
    """{"OPTIONS": text, ...} of a rendered page."""
    parts = re.split(r"^([A-Z][A-Z ]+)$", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


class ManPages(unittest.TestCase):
    def test_each_command_has_a_page_and_no_other_has(self):
        expected = sorted(os.path.basename(path_of(command)) for command in programs.commands())
        self.assertGreater(len(expected), 20)
        self.assertEqual(sorted(os.listdir(PAGES)), expected)

    def test_pages_have_the_options_of_the_help_and_no_others(self):
        for command in programs.commands():
            with self.subTest(command):
                listed = sections(rendered(command))["OPTIONS"]
                names = re.findall(r"^ {5,7}(-.*)$", listed, re.MULTILINE)
                in_page = {name for line in names for name in re.findall(r"(?<![\w-])--?[a-z][a-z-]*", line)}
                in_help = programs.options(programs.said(command))
                self.assertIn("--help", in_help)
                self.assertEqual(in_page, in_help)

    def test_pages_have_the_subcommands_of_the_help(self):
        for program in programs.PATHS:
            with self.subTest(program):
                listed = sections(rendered(program)).get("SUBCOMMANDS", "")
                self.assertEqual(re.findall(r"^ {5,7}(\w+)\b", listed, re.MULTILINE), programs.subcommands(program))

    def test_every_word_of_the_help_is_in_the_page(self):
        for command in programs.commands():
            with self.subTest(command):
                text = programs.said(command).replace("Exit status:", "").replace("Usage:", "")
                text = re.sub(r"^(Options|Positionals|Subcommands.*):$", "", text, flags=re.MULTILINE)
                page = rendered(command).split()
                lacking = {word.rstrip(":") for word in text.split()} - {word.rstrip(":") for word in page}
                self.assertEqual(lacking, set())

    def test_the_help_fits_a_terminal_of_80_columns(self):
        for command in programs.commands():
            with self.subTest(command):
                self.assertEqual([line for line in programs.said(command).splitlines() if len(line) > 80], [])

    def test_pages_have_what_a_reader_looks_for(self):
        for command in programs.commands():
            with self.subTest(command):
                found = sections(rendered(command))
                wanted = ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"]
                wanted += ["EXAMPLES"] if " " not in command else []
                self.assertEqual([title for title in wanted if title not in found], [])

    def test_references_lead_to_pages(self):
        for command in programs.commands():
            with self.subTest(command):
                names = re.findall(r"([a-z-]+)\(1\)", sections(rendered(command))["SEE ALSO"])
                self.assertGreater(len(names), 2)
                self.assertEqual([name for name in names if not os.path.exists(os.path.join(PAGES, name + ".1"))], [])

    def test_pages_are_clean(self):
        done = programs.run(["mandoc", "-T", "lint", "-W", "warning", *map(path_of, programs.commands())])
        # A build without SOURCE_DATE_EPOCH has no date on purpose.
        complaints = [line for line in done.stdout.splitlines() if "missing date" not in line]
        self.assertEqual(complaints, [])

    def test_examples_are_valid_usage(self):
        with tempfile.TemporaryDirectory(prefix="ringside-manual.") as folder:
            for name in ("shm", "logs"):
                os.mkdir(os.path.join(folder, name))
            shutil.copytree(os.environ["RINGSIDE_TEST_GOLDEN"], os.path.join(folder, "traces"))
            with open(os.path.join(folder, "consumerd.toml"), "w", encoding="utf-8") as file:
                file.write('output = "traces"\n')
            os.symlink("/bin/true", os.path.join(folder, "service"))
            for program, path in programs.PATHS.items():
                lines = re.findall(rf"^ +({program} ?.*)$", sections(rendered(program))["EXAMPLES"], re.MULTILINE)
                self.assertGreater(len(lines), 2)
                for line in lines:
                    with self.subTest(line):
                        # A program that runs until it is stopped does not refuse the command either. Services of other
                        # tests are not touched.
                        command = ["timeout", "0.5", path, *shlex.split(line)[1:]]
                        command += [] if program in ("ringcat", "ringship", "ringsink") or "ringctl fleet" in line else ["--shm-dir", os.path.join(folder, "shm")]
                        done = programs.run(command, cwd=folder)
                        self.assertNotIn(done.returncode, (2, 125, 126, 127), done.stdout)

    def test_pages_and_completions_are_installed_in_the_standard_folders(self):
        done = programs.run(["meson", "introspect", "--installed", os.environ["RINGSIDE_TEST_BUILD"]])
        targets = json.loads(done.stdout)
        ends = [("man1", "/man/man1")]
        for program in programs.PATHS:
            ends += [(program, "/bash-completion/completions/" + program),
                     ("_" + program, "/zsh/site-functions/_" + program),
                     (program + ".fish", "/fish/vendor_completions.d/" + program + ".fish")]
        for name, end in ends:
            self.assertTrue(targets[os.path.join(programs.MANUAL, name)].endswith(end), name)


if __name__ == "__main__":
    if shutil.which("mandoc") is None:
        raise SystemExit("mandoc is missing; packaging/install-build-deps.sh installs it")
    unittest.main(verbosity=2)
