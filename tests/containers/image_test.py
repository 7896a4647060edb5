#!/usr/bin/env python3
"""The image of packaging/container/Containerfile, built without a container engine: small, static, without a shell; it works in the place
of consumerd in the pod of packaging/kubernetes/sidecar.yaml. RINGSIDE_TEST_IMAGE_BUILD names a folder to build in, which stays."""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import unittest

import yaml
from checked_output import print_and_check
from container_pages_test import commands
from container_tools import missing
from engine import Engine
from pod import FIRST_HOST_ID, Pod
from progress_file import ProgressFile
from traced_processes import TestBed, program

SOURCE = os.environ["RINGSIDE_TEST_SOURCE"]
CONTAINER = os.path.join(SOURCE, "packaging", "container")
MANIFEST = os.path.join(SOURCE, "packaging", "kubernetes", "sidecar.yaml")
BUILD_BOUND_S = 2400
PROGRAMS = ("consumerd", "ringctl")
MOST_BYTES = 15_000_000


def have_source_packages():
    """Whether apt-get has where to read source packages from, and what compiles them is installed."""
    return all(map(shutil.which, ("apt-get", "dpkg-source", "make")))


@unittest.skipIf(os.geteuid() != 0, "needs root to change the root directory and to become the users of the image")
@unittest.skipUnless(have_source_packages(), "packaging/install-build-deps.sh --static installs what is missing")
class Image(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="ringside-test-")
        cls.addClassCleanup(folder.cleanup)
        os.chmod(folder.name, 0o755)
        build = os.environ.get("RINGSIDE_TEST_IMAGE_BUILD") or os.path.join(folder.name, "build")
        cls.archive = os.path.join(folder.name, "consumerd.tar")
        done = subprocess.run([os.path.join(CONTAINER, "build-image.sh"), build, cls.archive], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=BUILD_BOUND_S, check=False)
        if done.returncode != 0 and "static-libraries: apt-get" in done.stdout:
            raise unittest.SkipTest(f"no source packages: {done.stdout[-500:]}")
        assert done.returncode == 0, done.stdout[-5000:]
        cls.root = os.path.join(folder.name, "root")
        cls.folder = folder.name
        cls.engine = Engine(folder.name)
        cls.read_archive()

    @classmethod
    def read_archive(cls):
        """Follows the digests, as an engine does, and unpacks the layer."""
        with tarfile.open(cls.archive) as tar:
            files = {entry.name: tar.extractfile(entry).read() for entry in tar}

        def blob(descriptor):
            content = files["blobs/" + descriptor["digest"].replace(":", "/")]
            assert len(content) == descriptor["size"]
            assert hashlib.sha256(content).hexdigest() == descriptor["digest"].split(":")[1]
            return content
        (described,) = json.loads(files["index.json"])["manifests"]
        manifest = json.loads(blob(described))
        cls.image = json.loads(blob(manifest["config"]))
        (layer,) = manifest["layers"]
        cls.layer_bytes = len(blob(layer))
        path = os.path.join(cls.folder, "layer.tar.gz")
        with open(path, "wb") as file:
            file.write(blob(layer))
        with tarfile.open(path) as tar:
            cls.entries = {entry.name: entry for entry in tar}
            tar.extractall(cls.root)

    def test_is_smaller_than_15_mb(self):
        unpacked = sum(entry.size for entry in self.entries.values())
        print(f"unpacked {unpacked / 1e6:.1f} MB, to download {self.layer_bytes / 1e6:.1f} MB")
        self.assertLess(unpacked, MOST_BYTES)

    def test_has_two_static_programs_and_no_shell(self):
        files = {name for name, entry in self.entries.items() if entry.isfile()}
        self.assertEqual({name for name in files if not name.startswith("usr/share/doc/")}, {f"usr/bin/{name}" for name in PROGRAMS})
        self.assertIn("usr/share/doc/ringside/copyright", files)
        self.assertEqual({name for name, entry in self.entries.items() if not entry.isfile() and not entry.isdir()}, set())
        for name in PROGRAMS:
            headers = subprocess.run(["readelf", "--wide", "--program-headers", "--dynamic", os.path.join(self.root, "usr/bin", name)],
                                     stdout=subprocess.PIPE, text=True, timeout=60, check=True).stdout
            self.assertNotIn("INTERP", headers)
            self.assertNotIn("(NEEDED)", headers)
            self.assertIn("(RELA)", headers)  # position-independent

    def test_no_file_gives_rights(self):
        for name, entry in self.entries.items():
            with self.subTest(name):
                self.assertEqual(entry.mode & 0o6022, 0)
                owner = 65532 if name in ("traces", "ringside") else 0
                self.assertEqual((entry.uid, entry.gid), (owner, owner))

    def test_is_not_run_as_root(self):
        config = self.image["config"]
        self.assertEqual(config["User"], "65532:65532")
        self.assertEqual((config["Entrypoint"], config["Cmd"]), (["/usr/bin/consumerd"], ["--output=/traces", "--shm-dir=/ringside"]))
        self.assertEqual((config["StopSignal"], list(config["ExposedPorts"])), ("SIGTERM", ["9465/tcp"]))

    def test_programs_run_without_any_other_file(self):
        for name in PROGRAMS:
            done = subprocess.run(["chroot", self.root, f"/usr/bin/{name}", "--version"], stdout=subprocess.PIPE, timeout=60, check=True)
            self.assertIn(b"0.1.0", done.stdout)

    @unittest.skipIf(missing("docker-seccomp.json", "Docker's seccomp profile"), "Docker's seccomp profile is missing")
    def test_serves_the_pod_and_its_health_check_succeeds(self):
        with TestBed() as bed, Pod(bed, MANIFEST) as pod:
            consumer = pod.start_consumer(image_root=self.root)
            pod.containers["service"]["env"].append({"name": "RINGSIDE_OVERFLOW", "value": "block"})
            progress = ProgressFile(os.path.join(pod.shm, "progress"))
            os.chmod(progress.path, 0o666)
            service = pod.start("service", ["workload", "--records", "30000", "--progress", "/ringside/progress"], piped=True)
            self.assertEqual(service.process.wait(), 0, service.process.stderr())
            with open(os.path.join(CONTAINER, "compose.yaml"), encoding="utf-8") as file:
                _, check, *arguments = yaml.safe_load(file)["services"]["consumerd"]["healthcheck"]["test"]
            self.assertEqual(os.path.dirname(check), "/usr/bin")
            doctor = pod.start("consumerd", [os.path.basename(check), *arguments, ""], image_root=self.root)
            self.assertEqual(doctor.process.wait(), 0, doctor.process.stdout())
            self.assertEqual(pod.stop(consumer, 60), 0, consumer.process.stderr())
            output = print_and_check(*bed.traces())
            self.assertEqual((output.records, output.lost, progress.total()), (30000, 0, 30000))
            self.assertEqual({os.stat(path).st_uid for path in bed.traces()}, {FIRST_HOST_ID + 65532})

    @unittest.skipUnless(shutil.which("buildah"), "buildah is missing")
    def test_buildah_makes_the_same_image_of_the_last_stage(self):
        pulled = self.engine.buildah("pull", "--quiet", f"oci-archive:{self.archive}").split()[-1]
        with open(os.path.join(CONTAINER, "Containerfile"), encoding="utf-8") as file:
            last_stage = file.read().split("\nFROM ")[-1]
        context = os.path.join(self.folder, "context")
        os.mkdir(context)
        with open(os.path.join(context, "Containerfile"), "w", encoding="utf-8") as file:
            # The stage before compiles what this folder has.
            file.write("FROM " + last_stage.replace("--from=build ", "").replace("/root-of-image/", ""))
        built = self.engine.buildah("bud", "--quiet", "--isolation=chroot", f"--file={context}/Containerfile", self.root).split()[-1]
        described = [json.loads(self.engine.buildah("inspect", "--type=image", each))["OCIv1"] for each in (pulled, built)]
        settings = [{name: value for name, value in each["config"].items() if name not in ("Labels", "Env", "WorkingDir")} for each in described]
        self.assertEqual(settings[0], settings[1])
        labels = [each["config"]["Labels"] for each in described]
        self.assertEqual(labels[0], {name: value for name, value in labels[1].items() if name.startswith("org.opencontainers.")})
        self.assertEqual(*[each["architecture"] for each in described])

    @unittest.skipUnless(shutil.which("podman") and shutil.which("runc"), "podman or runc is missing")
    def test_the_documented_commands_of_docker_work_with_podman(self):
        engine = self.engine
        image = engine.podman("pull", "--quiet", f"oci-archive:{self.archive}")
        engine.podman("tag", image, "localhost/consumerd:latest")
        engine.require_containers("consumerd")
        library = os.path.join(os.path.dirname(program("workload")), "..", "..", "libagent", "libringside.so.1")
        engine.build_from_program(self.folder, "my-service", program("workload"), library, ("--threads", "3", "--records", "30000"))
        documented = [words[1:] for words in commands("docker volume create") + commands("docker run")]
        self.assertEqual([words[-1] for words in documented], ["ringside", "10001", "my-service"])
        # podman 4.3 takes the size of a tmpfs volume for a quota of its own.
        documented[0] = [word.replace("size=64m,", "") for word in documented[0]]
        try:
            _, consumer, service = [engine.podman(*words) for words in documented]
            self.assertEqual(engine.podman("wait", service), "0", engine.podman("logs", service))
            engine.podman("stop", "--time=60", consumer)
            self.assertEqual(engine.podman("inspect", "--format={{.State.ExitCode}}", consumer), "0", engine.podman("logs", consumer))
            self.assertIn("refused=0", engine.podman("logs", service))
            traces = engine.podman("volume", "inspect", "--format={{.Mountpoint}}", "traces")
            output = print_and_check(*(os.path.join(traces, name) for name in sorted(os.listdir(traces))))
            self.assertEqual((output.records, output.lost, output.lost_without_thread), (90_000, 0, 0))
        finally:
            engine.podman("rm", "--all", "--force")
            engine.podman("volume", "rm", "--all", "--force")


if __name__ == "__main__":
    unittest.main(verbosity=2)
