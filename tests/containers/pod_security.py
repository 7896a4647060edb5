"""The pod security standard `restricted` of Kubernetes, for the specification of a pod."""

VOLUMES = {"configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim", "projected", "secret"}
HOST = ("hostNetwork", "hostPID", "hostIPC")


def _of_container(name, container):
    context = container.get("securityContext", {})
    if context.get("allowPrivilegeEscalation") is not False:
        yield f"{name}: allowPrivilegeEscalation must be false"
    if "ALL" not in context.get("capabilities", {}).get("drop", ()):
        yield f"{name}: capabilities must drop ALL"
    if set(context.get("capabilities", {}).get("add", ())) - {"NET_BIND_SERVICE"}:
        yield f"{name}: capabilities are added"
    if context.get("privileged"):
        yield f"{name}: privileged"
    if context.get("runAsUser") == 0:
        yield f"{name}: runs as root"
    if any("hostPort" in port for port in container.get("ports", ())):
        yield f"{name}: hostPort"


def faults(pod):
    """What violates the standard, a line each."""
    found = [f"{name} is set" for name in HOST if pod.get(name)]
    context = pod.get("securityContext", {})
    if context.get("runAsNonRoot") is not True:
        found.append("runAsNonRoot must be true")
    if context.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
        found.append("seccompProfile must be RuntimeDefault")
    for volume in pod.get("volumes", ()):
        if set(volume) - {"name"} - VOLUMES:
            found.append(f"volume {volume['name']}: {(set(volume) - {'name'}).pop()}")
    for container in pod.get("initContainers", []) + pod["containers"]:
        found += _of_container(container["name"], container)
    return found
