"""The files of the source tree, for the tests of its structure."""

import os
import subprocess

SOURCE_SUFFIXES = (".c", ".h", ".cpp", ".hpp")
GENERATED_FOLDERS = ("build", "__pycache__", "ringside-demo")


def _listed_by_git(root):
    """None if the tree is not a checkout, git is missing, or git refuses the owner."""
    try:
        done = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return [name for name in done.stdout.decode().split("\0") if name]


def _found_on_disk(root):
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [f for f in folders if f != ".git" and not f.startswith(GENERATED_FOLDERS)]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in files if name != ".git"]
    return found


def read_tree(root):
    """{path relative to root: text} of every text file, including new files that git does not ignore."""
    names = _listed_by_git(root)
    if names is None:
        names = _found_on_disk(root)
    tree = {}
    for name in sorted(names):
        path = os.path.join(root, name)
        if os.path.islink(path) or not os.path.isfile(path):
            continue  # a file that is deleted but still in the index
        with open(path, "rb") as file:
            content = file.read()
        if b"\0" not in content:
            tree[name.replace(os.sep, "/")] = content.decode("utf-8", errors="replace")
    return tree
