#!/usr/bin/env python3
"""Generates a man page of section 3 for each call in the model that api_model.py writes.

usage: api_man_pages.py MODEL OUTPUT_FOLDER VERSION
The pages have the date of SOURCE_DATE_EPOCH, or none if it is not set. Macros of one level refer to the page of RS_LOG.
"""

import datetime
import json
import os
import re
import shutil
import sys

from man_pages import escaped

LEVEL_MACRO = re.compile(r"(RS_LOG|RS_FMT) at level \w+\.")


def text_of(item):
    return " ".join(one.get("text", "") for one in item["description"])


def base_of(call):
    """The macro of which this one is the form for one level; empty for others."""
    found = LEVEL_MACRO.fullmatch(text_of(call))
    return found[1] if found else ""


def headers_of(name, calls):
    """Both headers if C and C++ have a macro with the same name; the C++ header of NetLogger includes the C header."""
    found = sorted({call["header"] for call in calls if call["name"] == name})
    return [f"#include <ringside/{header}>" for header in found]


def types_of(call, types):
    """The types that the synopsis names, directly or in one of its types, in the order of their first use."""
    names = {one["name"]: one for one in types}
    found, texts = [], [call["synopsis"] + " ".join(text for _, text in call["parameters"])]
    while texts:
        text = texts.pop(0)
        for name, one in names.items():
            short = name.split("::")[-1]
            if one not in found and re.search(rf"(?<![\w]){re.escape(short)}(?![\w(])", text) \
                    and ("::" in name) == ("::" in call["name"]):
                found.append(one)
                texts.append(" ".join(member for member, _ in one["members"]))
    return found


def description_of(item):
    out = []
    for one in item["description"]:
        if "code" in one:
            out += [".PP", ".RS 4", ".nf", *map(escaped, one["code"].split("\n")), ".fi", ".RE"]
        else:
            out += [".PP", escaped(one["text"].replace("`", ""))]
    return out[1:]


def definitions(pairs):
    return [line for name, text in pairs for line in (".TP", f"\\fB{escaped(name)}\\fR", escaped(text.replace("`", "")) or "\\&")]


def page(call, model, version, date):
    calls, types = model["calls"], types_of(call, model["types"])
    aliases = [one for one in calls if base_of(one) == call["name"] and one["header"] == call["header"]]
    names = ", ".join(escaped(one["name"]) for one in [call, *aliases])
    summary = re.split(r"[.:](?:\s|$)", text_of(call))[0]
    out = [f'.TH {call["name"].upper()} 3 "{date}" "Ringside {version}" "Ringside"',
           ".SH NAME", f"{names} \\- {escaped(summary[0].lower() + summary[1:])}",
           ".SH LIBRARY", "libringside (\\fIpkg\\-config \\-\\-cflags \\-\\-libs ringside\\fR)",
           ".SH SYNOPSIS", ".nf", *(f"\\fB{escaped(line)}\\fR" for line in headers_of(call["name"], calls)), ".sp",
           *(f"\\fB{escaped(one['synopsis'])}\\fR" for one in [call, *aliases]), ".fi",
           ".SH DESCRIPTION", *description_of(call)]
    if call["parameters"]:
        out += [".SH PARAMETERS", *definitions(call["parameters"])]
    for one in types:
        out += [f'.SS "{escaped(one["name"])}"', *description_of(one), *definitions(one["members"])]
    out += [".SH RETURN VALUE", escaped(call["returns"]), ".SH THREAD SAFETY", escaped(call["thread_safety"])]
    others = sorted({one["name"] for one in calls if one["name"] != call["name"] and not base_of(one)
                     and ("::" in one["name"]) == ("::" in call["name"])})
    out += [".SH SEE ALSO", ",\n".join([f"\\fB{escaped(name)}\\fR(3)" for name in others]
                                       + [f"\\fB{name}\\fR(1)" for name in ("consumerd", "ringcat", "ringctl")])]
    return "\n".join(out) + "\n"


def main():
    source, folder, version = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        model = json.load(file)
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    date = datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%d") if epoch else ""
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    # If both C and C++ have the macro, the text is that of the C header, which comes last.
    for call in sorted(model["calls"], key=lambda one: one["header"], reverse=True):
        text = f".so man3/{base_of(call)}.3\n" if base_of(call) else page(call, model, version, date)
        with open(os.path.join(folder, call["name"] + ".3"), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
