"""Rules of this project for the pods of packaging/kubernetes."""

import re
import subprocess
import tempfile
import tomllib

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
        if "ephemeral-storage" in container["resources"]["limits"]:
            found.append(f"{name}: its limit of ephemeral-storage would be one of the whole pod")
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


def bytes_of(size):
    """Of 64Mi as in Kubernetes, or 64M as in consumerd."""
    number, unit = re.fullmatch(r"(\d+)([KMG]?)i?", size).groups()
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit]


def fault_of_traces(pod, volume, text=None):
    """What is wrong with the room of the sidecar's traces; '' if nothing is. Its settings are arguments or a text of TOML."""
    (consumer,) = consumers_of(pod)
    settings = tomllib.loads(text) if text else dict(each[2:].split("=", 1) for each in consumer["args"] if "=" in each)
    # The service can have three processes, each with an open file. One file is being packed.
    needed = bytes_of(settings["keep-bytes"]) + 4 * bytes_of(settings["rotate-bytes"]) + bytes_of("64Mi")
    (room,) = [each["emptyDir"]["sizeLimit"] for each in pod["volumes"] if each["name"] == volume]
    if bytes_of(room) < needed:
        return f"{room} is less than {needed} bytes"
    requested = consumer["resources"]["requests"]["ephemeral-storage"]
    return "" if requested == room else f"the request of ephemeral-storage is {requested}, not {room}"


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
