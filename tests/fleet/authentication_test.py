#!/usr/bin/env python3
"""ringship connects to a NATS server that wants TLS, client certificates, passwords, nkeys or credentials files; what is wrong
is refused, with a message that names what to check."""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../end-to-end"))
from free_port import free_port  # noqa: E402
from nats_client import NatsClient  # noqa: E402
from retroactive_pull_test import tell  # noqa: E402
from traced_processes import BOUND_S, TestBed, program, wait_until  # noqa: E402

OPERATOR, ACCOUNT, USER, SEED = 14 << 3, 0, 20 << 3, 18 << 3  # the first bytes of nkeys


def openssl(*arguments, **how):
    return subprocess.run(["openssl", *arguments], capture_output=True, timeout=BOUND_S, check=True, **how).stdout


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def base32(data):
    return base64.b32encode(data + crc16(data).to_bytes(2, "little")).decode().rstrip("=")


def base64url(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


class Nkey:
    """A key pair of ed25519, as NATS writes it."""

    def __init__(self, folder, name, kind):
        self.path, self.name = os.path.join(folder, name + ".key"), name
        openssl("genpkey", "-algorithm", "ed25519", "-out", self.path)
        raw = openssl("pkey", "-in", self.path, "-outform", "DER")[-32:]
        self.seed = base32(bytes([SEED | kind >> 5, (kind & 31) << 3]) + raw)
        self.public = base32(bytes([kind]) + openssl("pkey", "-in", self.path, "-pubout", "-outform", "DER")[-32:])

    def sign(self, subject, claims, **more):
        """A JWT of the subject's key."""
        body = {"jti": subject.name, "iat": int(time.time()), "iss": self.public, "name": subject.name, "sub": subject.public,
                "nats": {**claims, "version": 2}, **more}
        text = ".".join(base64url(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ed25519-nkey"}, body))
        path = self.path + ".text"
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return text + "." + base64url(openssl("pkeyutl", "-sign", "-rawin", "-inkey", self.path, "-in", path))


PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/how-to/fleet.md")


class Certificates:
    """A CA of its own, and certificates that it has signed."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.ca = self.path(name, "pem")
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-days", "2",
                "-keyout", self.path(name, "key"), "-out", self.ca)

    def path(self, name, suffix):
        return os.path.join(self.folder, f"{self.name}-{name}.{suffix}")

    def sign(self, name, alternative):
        """The paths of a certificate and its key."""
        request, extensions = self.path(name, "csr"), self.path(name, "ext")
        certificate, key = self.path(name, "pem"), self.path(name, "key")
        with open(extensions, "w", encoding="ascii") as file:
            file.write(f"subjectAltName={alternative}\n")
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}", "-keyout", key,
                "-out", request)
        openssl("x509", "-req", "-in", request, "-CA", self.ca, "-CAkey", self.path(self.name, "key"), "-CAcreateserial", "-days",
                "2", "-extfile", extensions, "-out", certificate)
        return certificate, key


class Authentication(unittest.TestCase):
    def setUp(self):
        self.bed = TestBed()
        self.addCleanup(self.bed.close)
        self.folder = self.bed.work_dir

    def start_server(self, settings):
        self.address = f"127.0.0.1:{free_port()}"
        path = os.path.join(self.folder, "server.conf")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'listen: "{self.address}"\njetstream {{ store_dir: "{self.folder}/store" }}\n{settings}\n')
        self.server = self.bed.start([program("nats_server"), "-c", path])
        wait_until(lambda: "Server is ready" in self.server.stderr() or not self.server.running(), "nats-server")
        self.assertTrue(self.server.running(), self.server.stderr())

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def init(self, url, *arguments):
        done = subprocess.run([program("ringship"), "init", "--server", url, *arguments], capture_output=True, text=True,
                              timeout=BOUND_S, check=False)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def accept(self, url, *arguments):
        self.assertEqual(self.init(url, *arguments), (0, ""))

    def refuse(self, words, url, *arguments):
        status, said = self.init(url, *arguments)
        self.assertEqual((status, said.count("\n")), (3, 1), said)
        for word in ("cannot connect to", *words):
            self.assertIn(word, said)
        return said

    def test_tls(self):
        ours, others = Certificates(self.folder, "ours"), Certificates(self.folder, "others")
        certificate, key = ours.sign("server", "IP:127.0.0.1")
        self.start_server(f'tls {{ cert_file: "{certificate}", key_file: "{key}" }}')
        self.accept(f"tls://{self.address}", "--tls-ca", ours.ca)
        self.accept(f"nats://{self.address}", "--tls-ca", ours.ca)
        check = ["--tls-ca"]
        self.refuse(check, f"tls://{self.address}")
        self.refuse(check, f"nats://{self.address}")
        self.refuse(check, f"tls://{self.address}", "--tls-ca", others.ca)

    def test_server_with_the_certificate_of_another_name_is_refused(self):
        ours = Certificates(self.folder, "ours")
        certificate, key = ours.sign("server", "IP:127.0.0.2,DNS:other.example")
        self.start_server(f'tls {{ cert_file: "{certificate}", key_file: "{key}" }}')
        self.refuse(["--tls-ca"], f"tls://{self.address}", "--tls-ca", ours.ca)

    def test_server_without_tls_is_refused(self):
        self.start_server("")
        self.refuse(["--tls-ca"], f"tls://{self.address}")

    def test_client_certificates(self):
        ours, others = Certificates(self.folder, "ours"), Certificates(self.folder, "others")
        certificate, key = ours.sign("server", "IP:127.0.0.1")
        self.start_server(f'tls {{ cert_file: "{certificate}", key_file: "{key}", ca_file: "{ours.ca}", verify: true }}')
        own, own_key = ours.sign("client", "DNS:client")
        other, other_key = others.sign("client", "DNS:client")
        url = f"tls://{self.address}"
        self.accept(url, "--tls-ca", ours.ca, "--tls-cert", own, "--tls-key", own_key)
        self.refuse(["--tls-cert"], url, "--tls-ca", ours.ca)
        self.refuse(["--tls-cert"], url, "--tls-ca", ours.ca, "--tls-cert", other, "--tls-key", other_key)
        status, said = self.init(url, "--tls-ca", ours.ca, "--tls-cert", own, "--tls-key", other_key)
        self.assertEqual((status, said.count("\n")), (3, 1))
        self.assertIn("cannot set the client certificate", said)

    def test_passwords(self):
        self.start_server("authorization { users: [ { user: ship, password: secret } ] }")
        self.accept(f"nats://ship:secret@{self.address}")
        for user in ("ship:wrong@", "other:secret@", ""):
            said = self.refuse(["check the user and password of --server"], f"nats://{user}{self.address}")
            self.assertNotIn("wrong", said)
            self.assertNotIn("secret", said)

    def test_nkeys(self):
        known, unknown = Nkey(self.folder, "known", USER), Nkey(self.folder, "unknown", USER)
        self.start_server(f"authorization {{ users: [ {{ nkey: {known.public} }} ] }}")
        self.accept(f"nats://{self.address}", "--nkey", self.write("known.seed", known.seed + "\n"))
        self.refuse(["--nkey"], f"nats://{self.address}", "--nkey", self.write("unknown.seed", unknown.seed + "\n"))

    def test_credentials_files(self):
        operator, account = Nkey(self.folder, "operator", OPERATOR), Nkey(self.folder, "account", ACCOUNT)
        system, other, user = (Nkey(self.folder, "system", ACCOUNT), Nkey(self.folder, "other", ACCOUNT), Nkey(self.folder, "user", USER))
        limits = dict.fromkeys(["subs", "data", "payload", "imports", "exports", "conn", "leaf", "mem_storage", "disk_storage",
                                "streams", "consumer"], -1)
        jwts = {key.public: operator.sign(key, {"type": "account", "limits": {**limits, "wildcards": True}})
                for key in (account, system)}
        # The system account stores nothing.
        jwts[system.public] = operator.sign(system, {"type": "account", "limits": {
            **{name: -1 for name in ("subs", "data", "payload", "imports", "exports", "conn", "leaf")}, "wildcards": True}})
        preloaded = "\n".join(f"{key}: {jwt}" for key, jwt in jwts.items())
        self.start_server(f"operator: {operator.sign(operator, {'type': 'operator'})}\nsystem_account: {system.public}\n"
                          f"resolver: MEMORY\nresolver_preload {{ {preloaded} }}")

        def credentials(name, issuer, seed=user.seed, **more):
            jwt = issuer.sign(user, {"type": "user", "pub": {}, "sub": {}, "subs": -1, "data": -1, "payload": -1}, **more)
            return self.write(name, f"-----BEGIN NATS USER JWT-----\n{jwt}\n------END NATS USER JWT------\n\n"
                              f"-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n")

        url = f"nats://{self.address}"
        self.accept(url, "--creds", credentials("right.creds", account))
        self.refuse(["--creds"], url)
        self.refuse(["--creds"], url, "--creds", credentials("expired.creds", account, exp=int(time.time()) - 3600))
        self.refuse(["--creds"], url, "--creds", credentials("foreign.creds", other))
        self.refuse(["--creds"], url, "--creds", credentials("seed.creds", account, seed=Nkey(self.folder, "second", USER).seed))
        self.refuse(["--creds"], url, "--creds", self.write("empty.creds", "\n"))

    def run_as(self, user, *command):
        """(exit status, standard output, standard error). The password is that of the page."""
        name, *options = command
        url = f"nats://{user}:{self.passwords[user]}@{self.address}"
        address = {"ringcat": [url], "ringstat": ["--fleet", url]}.get(name, ["--server", url])
        done = subprocess.run([program(name), *options, *address], capture_output=True, text=True, timeout=BOUND_S, check=False)
        return done.returncode, done.stdout, done.stderr

    def start_server_of_the_page(self, host):
        """With the users of the page; host7 is that host."""
        with open(PAGE, encoding="utf-8") as file:
            settings = re.search(r"(?ms)^<!-- file secured.conf -->\n```text\n(.*?)^```$", file.read())[1]
        self.passwords = dict(re.findall(r'user: (\w+), password: "([^"]+)"', settings))
        self.assertEqual(set(self.passwords), {"operator", "host7"})
        without_store, replaced = re.subn(r"(?m)^jetstream: .*\n", "", settings)
        self.assertEqual(replaced, 1)
        # Small messages: large blocks need rs.body.>.
        self.start_server(re.sub(r"\.host7\b", "." + host, without_store) + "max_payload: 4096\n")
        self.assertEqual(self.run_as("operator", "ringship", "init"), (0, "", ""))

    def start_host(self, *options):
        return self.bed.start([program("ringship"), "--server", f"nats://host7:{self.passwords['host7']}@{self.address}", "--state",
                               os.path.join(self.folder, "state"), *options, "--shm-dir", self.bed.shm_dir, self.bed.output_dir])

    def test_the_permissions_of_the_page_are_enough_for_a_host(self):
        self.start_server_of_the_page(re.sub(r"[^\w-]", "_", socket.gethostname()))
        self.bed.start_service("--records", 200_000, service="lossy", overflow="drop", ring_bytes=65536).wait()
        self.bed.run_consumer_once()
        shipped = self.start_host("--once")
        self.assertEqual(shipped.wait(), 0, shipped.stderr())
        self.assertEqual(shipped.stderr().count("\n"), 1, shipped.stderr())
        # Without its cursors, it has to look up what is stored.
        shutil.rmtree(os.path.join(self.folder, "state"))
        again = self.start_host("--once")
        self.assertEqual((again.wait(), again.stderr().count("\n")), (0, 1), again.stderr())
        originals = subprocess.run([program("ringcat"), self.bed.output_dir], capture_output=True, text=True, timeout=BOUND_S, check=True).stdout
        self.assertIn("LOST", originals)
        status, fleet, _ = self.run_as("operator", "ringcat")
        self.assertEqual((status, sorted(fleet.splitlines())), (0, sorted(originals.splitlines())))
        status, shown, _ = self.run_as("operator", "ringstat", "--once", "--json")
        self.assertEqual([host["host"] for host in json.loads(shown)["hosts"]], [socket.gethostname()])
        login = {"user": "operator", "pass": self.passwords["operator"]}
        with NatsClient(int(self.address.split(":")[1]), **login) as client:
            messages = client.request("$JS.API.STREAM.INFO.RS_EXTENTS", b"")["state"]["messages"]
            subjects = {client.stored("RS_EXTENTS", 1 + number)[0].rsplit(".", 1)[0] for number in range(messages)}
            self.assertIn("rs.body", subjects)
            self.assertRegex(client.stored("RS_LOSSES", 1)[0], r"^rs\.loss\.default\.")
            purged = client.request("$JS.API.STREAM.PURGE.KV_rs_dictionaries", b"")
            self.assertGreater(purged["purged"], 0)
        # It has to answer a sink that misses the dictionaries, and a snapshot.
        recorder = self.bed.start([program("answering_service")], stdin=subprocess.PIPE, pipe_stdout=True,
                                  environment={"RINGSIDE_SHM_DIR": self.bed.shm_dir, "RINGSIDE_SERVICE": "gate1", "RINGSIDE_OVERFLOW": "overwrite"})
        tell(recorder, "-", 100)
        host = self.start_host()
        status, printed, said = self.run_as("operator", "ringctl", "fleet", "snapshot", "--service", "gate*", "--id", "one")
        self.assertEqual((status, said), (0, ""), host.stderr())
        self.assertIn(": 100 records of 1 process", printed)
        sunk = os.path.join(self.folder, "sunk")
        status, _, said = self.run_as("operator", "ringsink", "--output", sunk, "--until-idle-s", "5")
        self.assertEqual(status, 0, said)
        self.assertIn("asking the host for them", said)
        kept = subprocess.run([program("ringcat"), os.path.join(sunk, socket.gethostname())], capture_output=True, text=True, timeout=BOUND_S,
                              check=True).stdout
        self.assertEqual(sorted(kept.splitlines()), sorted(originals.splitlines()), host.stderr())

    def test_a_host_cannot_send_traces_of_another_host(self):
        self.start_server_of_the_page("another")
        self.bed.start_service("--records", 10).wait()
        self.bed.run_consumer_once()
        host = self.start_host()
        wait_until(lambda: host.stderr().endswith("\n") or not host.running(), "the reason")
        self.assertRegex(host.stderr(), r"no answer of the server in \d+ ms; .*[Pp]ermissions.*; correct its permissions; trying again\n")
        status, printed, said = self.run_as("operator", "ringcat")
        self.assertEqual((status, printed), (3, ""), said)


if __name__ == "__main__":
    unittest.main(verbosity=2)
