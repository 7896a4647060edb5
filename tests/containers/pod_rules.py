"""Rules of this project for the pods of packaging/kubernetes."""

import re
import subprocess
import tempfile

from traced_processes import BOUND_S, program


def pods_of(documents):
    """[(kind, specification of the pod)] of workloads."""
    return [(each["kind"], each["spec"]["template"]["spec"]) for each in documents if each["kind"] in ("Deployment", "DaemonSet")]


def consumers_of(pod):
    return [each for each in pod.get("initContainers", []) + pod["containers"] if each["name"] == "consumerd"]


def faults(pod):
    """What is wrong with a pod beside the schema: names that refer to nothing, missing limits and probes, shared pid namespaces."""
    volumes = {each["name"] for each in pod["volumes"]}
    found = []
    if pod.get("shareProcessNamespace") is not False:
        found.append("the pid namespace must not be shared")
    for container in pod.get("initContainers", []) + pod["containers"]:
        name = container["name"]
        found += [f"{name}: no volume {mount['name']}" for mount in container["volumeMounts"] if mount["name"] not in volumes]
        if "memory" not in container["resources"]["limits"]:
            found.append(f"{name}: no limit of memory")
        if container["securityContext"].get("readOnlyRootFilesystem") is not True:
            found.append(f"{name}: the root file system must be read-only")
    for container in consumers_of(pod):
        ports = {port["name"]: port["containerPort"] for port in container["ports"]}
        # A sidecar without a trace must not keep its service from starting or from traffic.
        is_sidecar = container.get("restartPolicy") == "Always"
        probes = {"startupProbe": None if is_sidecar else "/healthz", "readinessProbe": None if is_sidecar else "/readyz",
                  "livenessProbe": "/healthz"}
        for probe, path in probes.items():
            request = container.get(probe, {}).get("httpGet", {})
            if request.get("path") != path or path and request["port"] not in ports:
                found.append(f"consumerd: {probe} must ask for {path}, at a named port")
    if not consumers_of(pod):
        found.append("no container consumerd")
    return found


def check_of_consumerd(text, *arguments):
    """What consumerd --check-config says about a configuration file (None: no file) with arguments; '' if they are valid.
    The directories of the container become one of this machine."""
    with tempfile.TemporaryDirectory(prefix="ringside-test-") as folder:
        here = re.compile(r"/(traces|ringside|etc/ringside)\b(?!/)")
        command = [here.sub(folder, argument) for argument in arguments]
        if text is not None:
            with open(f"{folder}/consumerd.toml", "w", encoding="utf-8") as file:
                file.write(here.sub(folder, text))
            command = [f"--config={folder}/consumerd.toml"]
        done = subprocess.run([program("consumerd"), *command, "--check-config"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, timeout=BOUND_S, check=False)
        return "" if done.returncode == 0 else done.stdout or "refused"
