#!/usr/bin/env python3
"""The pages of docs/ about containers and Kubernetes consist of what the other tests of this folder run: excerpts of the manifests,
existing files, and commands of Helm that Helm accepts."""

import os
import re
import shlex
import subprocess
import tempfile
import textwrap
import unittest

import pod_rules
import yaml
from container_tools import missing, tool
from traced_processes import BOUND_S

SOURCE = os.environ["RINGSIDE_TEST_SOURCE"]
PAGES = ("docs/how-to/containers.md", "docs/how-to/kubernetes.md")
FILES = ("packaging/kubernetes/sidecar.yaml", "tests/containers/service-chart/Chart.yaml",
         "tests/containers/service-chart/templates/deployment.yaml")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text_of(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def blocks(language):
    return [text for page in PAGES for tag, text in BLOCK.findall(text_of(page)) if tag == language]


def is_excerpt(block, text):
    """Whether these lines stand in a row in the text, with any indentation of the whole."""
    wanted, lines = block.rstrip("\n").split("\n"), text.split("\n")
    return any(textwrap.dedent("\n".join(lines[start:start + len(wanted)])) == block.rstrip("\n")
               for start in range(len(lines) - len(wanted) + 1))


def commands(name):
    return [shlex.split(line) for text in blocks("sh") for line in text.splitlines() if line.startswith(name)]


class ContainerPages(unittest.TestCase):
    def test_blocks_are_excerpts_of_what_is_tested(self):
        found = blocks("yaml")
        self.assertGreater(len(found), 6)
        for block in found:
            with self.subTest(block):
                self.assertTrue(any(is_excerpt(block, text_of(path)) for path in FILES))
        self.assertFalse(is_excerpt("a: 1\nb: 3\n", "a: 1\nb: 2"))

    def test_files_of_commands_exist(self):
        names = [word for words in commands("") for word in words if word.startswith("packaging/")]
        self.assertGreater(len(names), 6)
        for name in names:
            with self.subTest(name):
                self.assertTrue(os.path.exists(os.path.join(SOURCE, name)))
                self.assertTrue("." in os.path.basename(name) or os.path.isdir(os.path.join(SOURCE, name)) or name.endswith("Containerfile"))

    def test_lines_of_tmpfiles_are_those_of_the_manifest(self):
        first = blocks("text")[0].splitlines()[0]
        self.assertIn(f"#   {first}\n", text_of("packaging/kubernetes/daemonset.yaml"))
        # With the sticky bit, and of the user and the group of consumerd.
        ((_, pod),) = pod_rules.pods_of(yaml.safe_load_all(text_of("packaging/kubernetes/daemonset.yaml")))
        user = pod["containers"][0]["securityContext"]["runAsUser"]
        (group,) = pod["securityContext"]["supplementalGroups"]
        self.assertEqual(first, f"d {pod['volumes'][0]['hostPath']['path']} 3770 {user} {group}")

    def test_the_volume_of_docker_is_that_of_compose(self):
        (created,) = [words for words in commands("docker volume create")]
        (options,) = [word for word in created if word.startswith("o=")]
        self.assertEqual(options[2:], re.search(r'o: "(.*)"', text_of("packaging/container/compose.yaml"))[1])

    @unittest.skipIf(missing("helm", "Helm"), missing("helm", "Helm"))
    def test_helm_accepts_its_commands(self):
        found = [line for text in blocks("sh") for line in text.splitlines() if line.startswith("helm ")]
        self.assertGreater(len(found), 1)
        for line in found:
            with self.subTest(line), tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
                # By the shell, as a reader runs it. Without a cluster, `install` is `template`.
                script = 'helm() { "$HELM_OF_TEST" "$@"; }; ' + line.replace("helm install", "helm template")
                done = subprocess.run(["bash", "-ec", script], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                      timeout=BOUND_S, check=False, env={**os.environ, "HOME": folder, "HELM_OF_TEST": tool("helm")})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("kind: DaemonSet", done.stdout)
                if users := re.search("allowUid={(.*?)}", line):
                    self.assertIn(f"allow-uid = [{users[1]}]", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
