#!/usr/bin/env python3
"""Writes an OCI archive with one layer. The settings are those of the last stage of a Containerfile. The same input gives the same bytes.

usage: oci_archive.py CONTAINERFILE ROOT ARCHIVE
SOURCE_DATE_EPOCH: time of the image and its files, default 0"""

import datetime
import gzip
import hashlib
import io
import json
import os
import platform
import re
import shlex
import sys
import tarfile

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
EPOCH_S = int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def last_stage(path):
    """[(instruction, its text)]"""
    with open(path, encoding="utf-8") as file:
        lines = [line.split(None, 1) for line in file if re.match("[A-Z]+ ", line)]
    start = max(index for index, (name, _) in enumerate(lines) if name == "FROM")
    return [(name, text.strip()) for name, text in lines[start + 1:]]


def image_settings(instructions):
    config, owners = {"Labels": {}, "ExposedPorts": {}, "WorkingDir": "/"}, {}
    for name, text in instructions:
        if name == "LABEL":
            key, value = shlex.split(text)[0].split("=", 1)
            config["Labels"][key] = value
        elif name == "EXPOSE":
            config["ExposedPorts"][text + "/tcp"] = {}
        elif name in ("ENTRYPOINT", "CMD"):
            config[name.capitalize()] = json.loads(text)
        elif name == "USER":
            config["User"] = text
        elif name == "STOPSIGNAL":
            config["StopSignal"] = text
        elif name == "COPY":
            *options, _, target = text.split()
            owner = next(option.split("=")[1] for option in options if option.startswith("--chown="))
            owners[target.strip("/")] = tuple(int(number) for number in owner.split(":"))
        else:
            sys.exit(f"oci_archive: unknown instruction {name}; add it")
    return config, owners


def layer_of(root, owners):
    """A tar file with the folders that are copied, in the order of their names."""
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for top in sorted(owners):
            def described(entry, top=top):
                entry.uid, entry.gid = owners[top]
                entry.uname = entry.gname = ""
                entry.mtime = EPOCH_S
                return entry
            tar.add(os.path.join(root, top), arcname=top, filter=described)
    return content.getvalue()


class Archive:
    def __init__(self):
        self.files = {"oci-layout": json.dumps({"imageLayoutVersion": "1.0.0"}).encode()}

    def add(self, content, media_type):
        """Adds a blob and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.files[f"blobs/sha256/{digest}"] = content
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(content)}

    def write(self, path):
        with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as tar:
            for name in sorted(self.files):
                entry = tarfile.TarInfo(name)
                entry.size, entry.mtime = len(self.files[name]), EPOCH_S
                tar.addfile(entry, io.BytesIO(self.files[name]))


def main(containerfile, root, path):
    config, owners = image_settings(last_stage(containerfile))
    archive = Archive()
    layer = layer_of(root, owners)
    created = datetime.datetime.fromtimestamp(EPOCH_S, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    image = {"created": created, "architecture": ARCHITECTURES[platform.machine()], "os": "linux", "config": config,
             "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
             "history": [{"created": created, "created_by": "packaging/container/build-image.sh"}]}
    manifest = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
                "config": archive.add(json.dumps(image).encode(), "application/vnd.oci.image.config.v1+json"),
                "layers": [archive.add(gzip.compress(layer, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")]}
    described = archive.add(json.dumps(manifest).encode(), manifest["mediaType"])
    described["annotations"] = {"org.opencontainers.image.ref.name": "localhost/consumerd:latest"}
    archive.files["index.json"] = json.dumps({"schemaVersion": 2, "manifests": [described]}).encode()
    archive.write(path)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
