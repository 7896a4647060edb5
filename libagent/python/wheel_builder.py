"""Builds the wheel of the package for pip (PEP 517). It needs nothing, so that `pip install` works without a network."""

import base64
import hashlib
import os
import zipfile

NAME, VERSION = "ringside", "0.1.0"
HERE = os.path.dirname(os.path.abspath(__file__))
METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: Log records, events and spans into shared memory, by libringside.so.1
License: Apache-2.0
Requires-Python: >=3.9
"""
WHEEL = """Wheel-Version: 1.0
Generator: wheel_builder
Root-Is-Purelib: true
Tag: py3-none-any
"""


def _row(path, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{path},sha256={digest},{len(data)}\n"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """The name of the wheel, as pip calls it."""
    del config_settings, metadata_directory
    info = f"{NAME}-{VERSION}.dist-info"
    files = {f"{info}/METADATA": METADATA.encode(), f"{info}/WHEEL": WHEEL.encode()}
    for name in sorted(os.listdir(os.path.join(HERE, NAME))):
        if name.endswith(".py"):
            with open(os.path.join(HERE, NAME, name), "rb") as file:
                files[f"{NAME}/{name}"] = file.read()
    record = f"{info}/RECORD"
    rows = "".join(_row(path, data) for path, data in files.items()) + f"{record},,\n"
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in {**files, record: rows.encode()}.items():
            archive.writestr(path, data)
    return wheel
