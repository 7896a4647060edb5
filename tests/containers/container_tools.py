"""What packaging/install-container-tools.sh installs."""

import os

DIRECTORIES = [os.environ.get("RINGSIDE_CONTAINER_TOOLS_DIR"), "/usr/local/lib/ringside-test-containers",
               os.path.expanduser("~/.cache/ringside-test-containers")]


def tool(name):
    """The path of a file or folder; None if it is not installed."""
    for directory in filter(None, DIRECTORIES):
        path = os.path.join(directory, name)
        if os.path.exists(path):
            return path
    return None


def missing(name, what):
    """The reason for skipping a test; '' if it can run."""
    return "" if tool(name) else f"{what} is missing; packaging/install-container-tools.sh installs it"
