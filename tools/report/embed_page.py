#!/usr/bin/env python3
"""Makes one HTML file of the page's modules, styles and libraries, and a C++ source with its text.

usage: embed_page.py PAGE_DIR OUTPUT

Modules (page/*.js) are ECMAScript modules that import each other by `import { a, b } from "./x.js";` and export by
`export function`, `export class` or `export const`. They become functions of one script, in the order of their
dependencies, so that a page can be opened from a disk, where browsers load no modules. The policy of the page names the
hashes of its scripts: no other script is executed.
"""

import base64
import hashlib
import os
import re
import sys

LIBRARIES = ["preact-htm.js", "fzstd.js", "uplot.js"]
ENTRY = "main.js"
IMPORT = re.compile(r'^import \{([^}]*)\} from "\./([a-z_]+\.js)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (async function|function\*?|class|const) ([A-Za-z_$][\w$]*)", re.MULTILINE)
MARKS = ("<!--report-policy-->", "<!--report-style-->", "<!--report-scripts-->")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as file:
        return file.read()


def order_of(folder, name, done, active=()):
    """The texts of a module and those that it needs, each after what it needs."""
    if name in active:
        sys.exit(f"embed_page: {name} imports itself by way of {', '.join(active)}")
    if name in done:
        return
    text = read(folder, name)
    for found in IMPORT.finditer(text):
        order_of(folder, found[2], done, (*active, name))
    done[name] = text


def variable(name):
    return "module_" + name.removesuffix(".js")


def as_function(name, text):
    """A module as a function that returns what it exports."""
    body = IMPORT.sub(lambda found: f"const {{{found[1].replace(' as ', ': ')}}} = {variable(found[2])};\n", text)
    exported = [found[2] for found in EXPORT.finditer(body)]
    body = EXPORT.sub(r"\1 \2", body)
    rest = re.search(r"^\s*(import|export)\b.*", body, re.MULTILINE)
    if rest:
        sys.exit(f"embed_page: {name}: not understood: {rest[0].strip()}")
    return f"const {variable(name)} = (() => {{\n{body}return {{{', '.join(exported)}}};\n}})();\n"


def source_of(text):
    """As a Content-Security-Policy names a script or a style by its hash."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page_of(folder):
    modules = {}
    order_of(folder, ENTRY, modules)
    own = '"use strict";\n' + "".join(as_function(name, text) for name, text in modules.items())
    scripts = [read(folder, "vendor", name) for name in LIBRARIES] + [own]
    style = read(folder, "vendor", "uplot.css") + read(folder, "page.css")
    for text in scripts:
        if "</script" in text.lower() or "<!--" in text:
            sys.exit("embed_page: a script contains </script or <!--, which would end it")
    policy = (f"default-src 'none'; script-src {' '.join(map(source_of, scripts))}; style-src {source_of(style)}; img-src data:; "
              "base-uri 'none'; form-action 'none'")
    page = read(folder, "page.html")
    for mark, text in zip(MARKS, (policy, style, "".join(f"<script>{text}</script>\n" for text in scripts))):
        if page.count(mark) != 1:
            sys.exit(f"embed_page: page.html must contain {mark} once")
        page = page.replace(mark, text)
    return page


def main():
    folder, output = sys.argv[1:]
    data = page_of(folder).encode()
    lines = [", ".join(str(byte) for byte in data[at:at + 32]) for at in range(0, len(data), 32)]
    with open(output, "w", encoding="utf-8") as file:
        file.write('#include "tools/report/page_text.hpp"\n\nnamespace ringside::tool {\nnamespace {\n\n'
                   "constexpr unsigned char kPage[] = {\n" + ",\n".join(lines) + "};\n\n}  // namespace\n\n"
                   "std::string_view page_text() {\n  return {reinterpret_cast<const char*>(kPage), sizeof(kPage)};\n}\n\n"
                   "}  // namespace ringside::tool\n")


if __name__ == "__main__":
    main()
