#!/usr/bin/env python3
"""packaging/kubernetes/*.yaml and packaging/container/compose.yaml follow the published schemas and what Ringside needs."""

import copy
import glob
import json
import os
import re
import unittest

import jsonschema
import yaml
from container_tools import missing, tool
from kubernetes_types import KubernetesTypes
import pod_rules
import pod_security

PACKAGING = os.path.join(os.environ["RINGSIDE_TEST_SOURCE"], "packaging")
MANIFESTS = sorted(glob.glob(os.path.join(PACKAGING, "kubernetes", "*.yaml")))


def documents(path):
    with open(path, encoding="utf-8") as file:
        return list(yaml.safe_load_all(file))


def sidecar():
    (deployment,) = documents(os.path.join(PACKAGING, "kubernetes", "sidecar.yaml"))
    return deployment


def pod_of(workload):
    return workload["spec"]["template"]["spec"]


@unittest.skipIf(missing("kubernetes", "the types of Kubernetes' API"), missing("kubernetes", "the types of Kubernetes' API"))
class Schema(unittest.TestCase):
    def test_manifests_follow_the_types_of_the_api(self):
        types = KubernetesTypes()
        self.assertEqual([os.path.basename(path) for path in MANIFESTS], ["daemonset.yaml", "sidecar.yaml"])
        for path in MANIFESTS:
            for document in documents(path):
                with self.subTest(os.path.basename(path), kind=document["kind"]):
                    self.assertEqual(types.faults(document), [])

    def test_faults_are_noticed(self):
        types = KubernetesTypes()

        def faults_after(change):
            changed = sidecar()
            change(pod_of(changed))
            return types.faults(changed)

        container = "Deployment.spec.template.spec.initContainers.0"
        changes = {
            f"{container}.restartPolic: unknown": lambda pod: pod["initContainers"][0].update(restartPolic="Always"),
            f"{container}.name: missing": lambda pod: pod["initContainers"][0].pop("name"),
            f"{container}.livenessProbe.httpGet.port: missing":
                lambda pod: pod["initContainers"][0]["livenessProbe"]["httpGet"].pop("port"),
            f"{container}.securityContext.runAsUser: 'x' is not of type number":
                lambda pod: pod["initContainers"][0]["securityContext"].update(runAsUser="x"),
            f"{container}.resources.limits.memory: '1 GB' is not a quantity":
                lambda pod: pod["initContainers"][0]["resources"]["limits"].update(memory="1 GB"),
            "Deployment.spec.template.spec.volumes.0.emptyDir: not a mapping": lambda pod: pod["volumes"][0].update(emptyDir="x"),
            "Deployment.spec.template.spec.containers: not a list": lambda pod: pod.update(containers={}),
        }
        for fault, change in changes.items():
            with self.subTest(fault):
                self.assertEqual(faults_after(change), [fault])


class Pods(unittest.TestCase):
    def test_pods_have_limits_probes_and_their_own_pid_namespaces(self):
        for path in MANIFESTS:
            with self.subTest(os.path.basename(path)):
                ((_, pod),) = pod_rules.pods_of(documents(path))
                self.assertEqual(pod_rules.faults(pod), [])

    def test_the_sidecar_satisfies_the_restricted_standard(self):
        self.assertEqual(pod_security.faults(pod_of(sidecar())), [])

    def test_the_daemonset_violates_it_with_host_paths_alone(self):
        ((_, pod),) = pod_rules.pods_of(documents(os.path.join(PACKAGING, "kubernetes", "daemonset.yaml")))
        self.assertEqual(pod_security.faults(pod), ["volume ringside: hostPath", "volume traces: hostPath"])

    def test_violations_of_the_standard_are_noticed(self):
        changes = [lambda pod: pod["securityContext"].pop("runAsNonRoot"), lambda pod: pod["securityContext"].pop("seccompProfile"),
                   lambda pod: pod.update(hostPID=True),
                   lambda pod: pod["containers"][0]["securityContext"].pop("allowPrivilegeEscalation"),
                   lambda pod: pod["containers"][0]["securityContext"]["capabilities"].update(drop=["NET_RAW"])]
        for change in changes:
            pod = copy.deepcopy(pod_of(sidecar()))
            change(pod)
            self.assertEqual(len(pod_security.faults(pod)), 1)

    def test_consumerd_is_a_native_sidecar_with_segments_in_memory(self):
        pod = pod_of(sidecar())
        (consumer,) = pod["initContainers"]
        self.assertEqual(consumer["restartPolicy"], "Always")
        volumes = {each["name"]: each for each in pod["volumes"]}
        self.assertEqual(volumes["ringside"]["emptyDir"]["medium"], "Memory")
        (service,) = pod["containers"]
        user = service["securityContext"]["runAsUser"]
        self.assertNotEqual(user, consumer["securityContext"]["runAsUser"])
        self.assertIn(f"--allow-uid={user}", consumer["args"])
        variables = {each["name"]: each["value"] for each in service["env"]}
        self.assertEqual(variables["RINGSIDE_GROUP"], str(pod["securityContext"]["fsGroup"]))

    def test_traces_have_room_beside_those_that_are_kept(self):
        pod = pod_of(sidecar())
        self.assertEqual(pod_rules.fault_of_traces(pod, "traces"), "")
        pod["initContainers"][0]["args"].append("--keep-bytes=4G")
        self.assertIn("4Gi is less than", pod_rules.fault_of_traces(pod, "traces"))

    def test_consumerd_accepts_its_arguments_and_configuration(self):
        for path in MANIFESTS:
            with self.subTest(os.path.basename(path)):
                found = documents(path)
                texts = [each["data"]["consumerd.toml"] for each in found if each["kind"] == "ConfigMap"]
                ((_, pod),) = pod_rules.pods_of(found)
                (consumer,) = pod_rules.consumers_of(pod)
                self.assertEqual(pod_rules.check_of_consumerd(texts[0] if texts else None, *consumer["args"]), "")
        self.assertIn("rotate-byte", pod_rules.check_of_consumerd('output = "/traces"\nrotate-byte = "1M"\n'))


class Compose(unittest.TestCase):
    def setUp(self):
        (self.file,) = documents(os.path.join(PACKAGING, "container", "compose.yaml"))

    @unittest.skipIf(missing("compose-spec.json", "the Compose Specification"), missing("compose-spec.json", "the Compose Specification"))
    def test_follows_the_compose_specification(self):
        with open(tool("compose-spec.json"), encoding="utf-8") as file:
            validator = jsonschema.Draft7Validator(json.load(file))
        self.assertEqual([error.message for error in validator.iter_errors(self.file)], [])
        self.file["services"]["consumerd"]["restartt"] = "always"
        self.assertEqual(len(list(validator.iter_errors(self.file))), 1)

    def test_services_are_restricted_and_share_the_segments(self):
        volume = self.file["volumes"]["ringside"]["driver_opts"]
        self.assertEqual((volume["type"], volume["device"]), ("tmpfs", "tmpfs"))
        group = re.search(r"gid=(\d+)", volume["o"])[1]
        # The sticky bit: a service can remove only its own segments, and the owner, consumerd, all.
        user = self.file["services"]["consumerd"]["user"].split(":")[0]
        self.assertLessEqual({"mode=3770", f"uid={user}"}, set(volume["o"].split(",")))
        for name, service in self.file["services"].items():
            with self.subTest(name):
                self.assertTrue(service["read_only"])
                self.assertEqual(service["cap_drop"], ["ALL"])
                self.assertEqual(service["security_opt"], ["no-new-privileges:true"])
                self.assertNotEqual(service["user"].split(":")[0], "0")
                self.assertEqual(service["group_add"], [group])
                self.assertIn("mem_limit", service)
                self.assertIn("ringside:/ringside", service["volumes"])
        self.assertEqual(self.file["services"]["service"]["environment"]["RINGSIDE_GROUP"], group)

    def test_consumerd_is_stopped_last_and_accepts_its_arguments(self):
        services = self.file["services"]
        self.assertEqual(services["service"]["depends_on"], ["consumerd"])
        self.assertIn(f"--allow-uid={services['service']['user'].split(':')[0]}", services["consumerd"]["command"])
        self.assertEqual(pod_rules.check_of_consumerd(None, *services["consumerd"]["command"]), "")


if __name__ == "__main__":
    unittest.main(verbosity=2)
