"""A pod as a manifest describes it, run by a test in the place of a kubelet: containers in namespaces of their own, with one
tmpfs and one memory cgroup."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import yaml
from container_tools import tool
from memory_cgroup import MemoryCgroup
from traced_processes import BOUND_S, program, wait_until

FOLDER = os.path.dirname(os.path.abspath(__file__))
FIRST_HOST_ID = 1_000_000_000
UNITS = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


def bytes_of(quantity):
    return int(quantity[:-2]) * UNITS[quantity[-2:]]


class Container:
    def __init__(self, process, pid_file):
        self.process = process
        wait_until(lambda: os.path.exists(pid_file) or not process.running(), "the container's first process")
        if not os.path.exists(pid_file):
            raise AssertionError(f"no container: {process.stderr()}")
        with open(pid_file, encoding="ascii") as file:
            self.pid = int(file.read())

    def send(self, number):
        os.kill(self.pid, number)

    def namespace(self, name):
        return os.readlink(f"/proc/{self.pid}/ns/{name}")

    def status(self):
        """Lines of /proc/PID/status by their names, once the program itself runs."""
        wait_until(lambda: "python" not in os.readlink(f"/proc/{self.pid}/exe"), "the container's program")
        with open(f"/proc/{self.pid}/status", encoding="ascii") as file:
            return dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)

    def get(self, path, port):
        """The status of an HTTP request to the container's loopback address; 0 if nothing answers."""
        script = ("import sys, urllib.error, urllib.request\n"
                  "try: print(urllib.request.urlopen(sys.argv[1], timeout=2).status)\n"
                  "except urllib.error.HTTPError as error: print(error.code)\n"
                  "except OSError: print(0)\n")
        done = subprocess.run(["nsenter", f"--net=/proc/{self.pid}/ns/net", sys.executable, "-c", script,
                               f"http://127.0.0.1:{port}{path}"], stdout=subprocess.PIPE, timeout=BOUND_S, check=True)
        return int(done.stdout)


class Pod:
    """A context manager, of a Deployment in a file and of a test's bed."""

    def __init__(self, bed, manifest, shm_bytes=None):
        with open(manifest, encoding="utf-8") as file:
            self.spec = yaml.safe_load(file)["spec"]["template"]["spec"]
        self.bed, self.numbers = bed, iter(range(100))
        self.containers = {each["name"]: each for each in self.spec["initContainers"] + self.spec["containers"]}
        self.group = self.spec["securityContext"]["fsGroup"]
        self.shm = os.path.join(bed.work_dir, "volumes", "ringside")
        self.programs = os.path.join(bed.work_dir, "programs")
        self.traces = bed.output_dir
        self.shm_bytes = shm_bytes or bytes_of(self.volume("ringside")["sizeLimit"])
        self.memory = MemoryCgroup(f"ringside-test-{os.getpid()}", sum(
            bytes_of(each["resources"]["limits"]["memory"]) for each in self.containers.values()))

    def volume(self, name):
        return next(each["emptyDir"] for each in self.spec["volumes"] if each["name"] == name)

    def __enter__(self):
        os.chmod(self.bed.work_dir, 0o755)
        os.makedirs(self.shm)
        # Modes and groups as those of a kubelet.
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.shm_bytes}", "tmpfs", self.shm], check=True)
        for path in (self.shm, self.traces):
            os.chown(path, FIRST_HOST_ID, FIRST_HOST_ID + self.group)
            os.chmod(path, 0o2777)
        os.mkdir(self.programs)
        for name in ("workload", "consumerd"):
            shutil.copy(program(name), os.path.join(self.programs, name))
        build = os.path.dirname(os.path.dirname(os.path.dirname(program("workload"))))
        shutil.copy(os.path.join(build, "libagent", "libringside.so.1"), self.programs)
        subprocess.run(["chmod", "-R", "a+rX", self.programs], check=True)
        return self

    def __exit__(self, *_):
        for process in self.bed.processes:
            process.kill()
        subprocess.run(["umount", "--lazy", self.shm], check=True)
        wait_until(self.cgroup_is_gone, "the memory cgroup to be empty")

    def cgroup_is_gone(self):
        path = self.memory.path
        if path:
            self.memory.close()
        if path and os.path.exists(path):
            self.memory.path = path
            return False
        return True

    def start(self, name, command, piped=False, image_root=None):
        """Starts a container of the manifest: an image's program, or one of this build with the libraries of this machine. `command`
        comes before the manifest's arguments; with the empty string at its end, instead of them."""
        described, number = self.containers[name], next(self.numbers)
        context = described["securityContext"]
        assert context["readOnlyRootFilesystem"] and context["capabilities"] == {"drop": ["ALL"]}
        root, pid_file = (os.path.join(self.bed.work_dir, f"{name}-{number}.{what}") for what in ("root", "pid"))
        os.mkdir(root)
        directories = {"ringside": self.shm, "traces": self.traces}
        mounts = {each["mountPath"]: directories[each["name"]] for each in described["volumeMounts"]}
        environment = {each["name"]: each["value"] for each in described.get("env", ())}
        if image_root:
            programs, folder = {"/usr": os.path.join(image_root, "usr")}, "/usr/bin"
        else:
            programs, folder = {"/usr": "/usr", "/programs": self.programs}, "/programs"
        arguments = [f"{folder}/{command[0]}", *command[1:], *described.get("args", ())]
        if "" in command:
            arguments = arguments[:arguments.index("")]
        spec = {
            "root": root, "mounts": {**mounts, **programs}, "writable": list(mounts), "command": arguments,
            "environment": {**environment, "LD_LIBRARY_PATH": "/programs"}, "user": context["runAsUser"],
            "group": context["runAsGroup"], "groups": [self.group], "first_host_id": FIRST_HOST_ID,
            "seccomp": tool("docker-seccomp.json"), "cgroups": self.memory.process_files(), "pid_file": pid_file}
        process = self.bed.start([sys.executable, os.path.join(FOLDER, "container.py"), json.dumps(spec)],
                                 stdin=subprocess.PIPE if piped else None)
        return Container(process, pid_file)

    def start_consumer(self, image_root=None):
        """Waits for the liveness probe: a consumerd that ends at once fails the test here."""
        consumer = self.start("consumerd", ["consumerd"], image_root=image_root)
        wait_until(lambda: self.probe(consumer) == 200 or not consumer.process.running(), "the liveness probe")
        if not consumer.process.running():
            raise AssertionError(f"consumerd ended: {consumer.process.stderr()}")
        return consumer

    def probe(self, consumer, path=None):
        """The answer to the liveness probe, or for another path at its port."""
        described = self.containers["consumerd"]
        request = described["livenessProbe"]["httpGet"]
        port = next(each["containerPort"] for each in described["ports"] if each["name"] == request["port"])
        return consumer.get(path or request["path"], port)

    def stop(self, container, grace_s):
        """SIGTERM, and SIGKILL after the grace period. Returns the exit status."""
        container.send(signal.SIGTERM)
        deadline = time.monotonic() + grace_s
        while container.process.running() and time.monotonic() < deadline:
            time.sleep(0.01)
        if container.process.running():
            container.send(signal.SIGKILL)
        return container.process.wait()
