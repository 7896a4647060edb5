#!/usr/bin/env python3
"""The Helm chart of packaging/kubernetes/chart, rendered by Helm itself: alone, and as a dependency of a service's chart."""

import os
import shutil
import subprocess
import tempfile
import unittest

import yaml
from container_tools import missing, tool
from kubernetes_types import KubernetesTypes
import pod_rules
import pod_security
from traced_processes import BOUND_S

SOURCE = os.environ["RINGSIDE_TEST_SOURCE"]
CHART = os.path.join(SOURCE, "packaging", "kubernetes", "chart")
REASON = missing("helm", "Helm") or missing("kubernetes", "the types of Kubernetes' API")


@unittest.skipIf(REASON, REASON)
class Chart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def helm(self, *arguments):
        return subprocess.run([tool("helm"), *arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=BOUND_S, check=False, env={**os.environ, "HOME": self.folder})

    def rendered(self, chart, *arguments):
        """The objects by their kinds."""
        done = self.helm("template", "example", chart, "--namespace=tracing", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [each for each in yaml.safe_load_all(done.stdout) if each]
        types = KubernetesTypes()
        self.assertEqual([fault for each in found for fault in types.faults(each)], [])
        return {each["kind"]: each for each in found}

    def values(self, text):
        path = os.path.join(self.folder, "values.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return f"--values={path}"

    def service_chart(self):
        path = os.path.join(self.folder, "service")
        if os.path.exists(path):
            return path
        shutil.copytree(os.path.join(SOURCE, "tests", "containers", "service-chart"), path)
        shutil.copytree(CHART, os.path.join(path, "charts", "ringside"))
        return path

    def test_helm_finds_nothing_to_criticise(self):
        for chart in (CHART, self.service_chart()):
            done = self.helm("lint", "--strict", chart)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_daemonset_is_valid(self):
        objects = self.rendered(CHART)
        self.assertEqual(sorted(objects), ["ConfigMap", "DaemonSet"])
        ((_, pod),) = pod_rules.pods_of(objects.values())
        self.assertEqual(pod_rules.faults(pod), [])
        self.assertEqual(pod_security.faults(pod), ["volume ringside: hostPath", "volume ringside-traces: hostPath"])
        self.assertEqual(pod["volumes"][2]["configMap"]["name"], objects["ConfigMap"]["metadata"]["name"])
        self.assertEqual(pod_rules.check_of_consumerd(objects["ConfigMap"]["data"]["consumerd.toml"]), "")

    def test_the_daemonset_is_that_of_the_manifest(self):
        with open(os.path.join(SOURCE, "packaging", "kubernetes", "daemonset.yaml"), encoding="utf-8") as file:
            ((_, manifest),) = pod_rules.pods_of(yaml.safe_load_all(file))
        ((_, pod),) = pod_rules.pods_of(self.rendered(CHART).values())
        for name in ("image", "args", "ports", "startupProbe", "readinessProbe", "livenessProbe", "resources", "securityContext"):
            self.assertEqual(pod["containers"][0][name], manifest["containers"][0][name], name)
        for name in ("securityContext", "tolerations", "terminationGracePeriodSeconds", "priorityClassName"):
            self.assertEqual(pod[name], manifest[name], name)

    def test_the_notes_name_the_directories_of_the_node(self):
        done = self.helm("install", "example", CHART, "--dry-run=client", "--set=user=7,group=8")
        self.assertIn("/run/ringside (in memory, owner 7, group 8, mode 3770) and /var/lib/ringside (owner 7)", done.stdout, done.stderr)

    def test_values_reach_the_objects(self):
        objects = self.rendered(CHART, self.values("""
image: {repository: example.com/consumerd, tag: "7"}
allowUid: [1000, 1001]
metricsPort: 9000
group: 70000
configuration:
  keep-files: 3
  sample:
    - {service: "md*", of-level: debug, keep-one-in: 100}
  redact:
    - {field: [password, "card*"]}
daemonSet: {segments: /run/segments, nodeSelector: {disk: ssd}, tolerations: []}
"""))
        text = objects["ConfigMap"]["data"]["consumerd.toml"]
        for line in ('metrics = "0.0.0.0:9000"', "allow-uid = [1000,1001]", "keep-files = 3", "[[sample]]", 'field = ["password","card*"]'):
            self.assertIn(line, text.splitlines())
        self.assertEqual(pod_rules.check_of_consumerd(text), "")
        ((_, pod),) = pod_rules.pods_of(objects.values())
        self.assertEqual(pod["containers"][0]["image"], "example.com/consumerd:7")
        self.assertEqual(pod["containers"][0]["ports"][0]["containerPort"], 9000)
        self.assertEqual((pod["securityContext"]["supplementalGroups"], pod["nodeSelector"]), ([70000], {"disk": "ssd"}))
        self.assertNotIn("tolerations", pod)
        self.assertEqual(pod["volumes"][0]["hostPath"]["path"], "/run/segments")

    def test_metrics_have_another_address(self):
        text = self.rendered(CHART, self.values('metricsAddress: "[::]"\n'))["ConfigMap"]["data"]["consumerd.toml"]
        self.assertIn('metrics = "[::]:9465"', text.splitlines())
        self.assertEqual(pod_rules.check_of_consumerd(text), "")

    def test_a_changed_configuration_replaces_the_pods(self):
        def annotations(*arguments):
            return self.rendered(CHART, *arguments)["DaemonSet"]["spec"]["template"]["metadata"]["annotations"]
        self.assertEqual(annotations(), annotations())
        self.assertNotEqual(annotations(), annotations("--set=configuration.keep-files=3"))

    def test_a_changed_configuration_replaces_the_pods_of_a_service(self):
        def annotations(*arguments):
            return self.rendered(self.service_chart(), *arguments)["Deployment"]["spec"]["template"]["metadata"]["annotations"]
        before, after = annotations(), annotations("--set=ringside.configuration.keep-files=3")
        self.assertEqual(before, annotations())
        self.assertNotEqual(before.pop("ringside/configuration"), after.pop("ringside/configuration"))
        self.assertEqual(before, {"prometheus.io/scrape": "true", "prometheus.io/port": "9465"})
        self.assertEqual(annotations("--set=ringside.metricsPort=9000")["prometheus.io/port"], "9000")

    def test_wrong_values_are_refused(self):
        for setting in ("allowUid=x", "daemonset.enabled=false", "configuration.output=/elsewhere", "sidecar.segmentsSize=64MB",
                        "metricsAddress="):
            with self.subTest(setting):
                done = self.helm("template", "example", CHART, f"--set={setting}")
                self.assertNotEqual(done.returncode, 0)
                self.assertIn("schema", done.stderr)

    def test_a_service_gets_its_sidecar(self):
        objects = self.rendered(self.service_chart())
        self.assertEqual(sorted(objects), ["ConfigMap", "Deployment"])
        ((_, pod),) = pod_rules.pods_of(objects.values())
        self.assertEqual((pod_rules.faults(pod), pod_security.faults(pod)), ([], []))
        (consumer,) = pod["initContainers"]
        self.assertEqual((consumer["name"], consumer["restartPolicy"]), ("consumerd", "Always"))
        text = objects["ConfigMap"]["data"]["consumerd.toml"]
        self.assertEqual(pod_rules.fault_of_traces(pod, "ringside-traces", text), "")
        self.assertEqual(pod["volumes"][0]["emptyDir"], {"medium": "Memory", "sizeLimit": "64Mi"})
        self.assertEqual({each["name"]: each["value"] for each in pod["containers"][0]["env"]},
                         {"RINGSIDE_SHM_DIR": "/ringside", "RINGSIDE_MODE": "0660", "RINGSIDE_GROUP": "65530"})
        self.assertEqual(pod_rules.check_of_consumerd(text), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
