#!/usr/bin/env python3
"""Extracts the comments of each call and type from the public headers, with Doxygen.

usage: api_model.py DOXYGEN OUTPUT HEADER...
    writes {"calls": [...], "types": [...]} to OUTPUT, as JSON. A warning of Doxygen is an error.

A call is a function, or a macro whose name does not end with an underscore, that has a comment.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

SETTINGS = """
QUIET = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = "RS_EXPORT=" "__attribute__(x)=" "__cplusplus=202002L"
AUTOLINK_SUPPORT = NO
WARN_IF_UNDOCUMENTED = NO
"""


def plain(element):
    return re.sub(r"\s+", " ", "".join(element.itertext())).strip() if element is not None else ""


def paragraphs(element):
    """[{"text": ...} or {"code": ...}] of a description, without its lists and sections."""
    out = []
    for para in element.findall("para") if element is not None else []:
        text = para.text or ""
        for child in para:
            if child.tag in ("verbatim", "preformatted"):
                out.append({"text": text})
                out.append({"code": (child.text or "").rstrip("\n")})
                text = ""
            elif child.tag not in ("parameterlist", "simplesect"):
                text += "`" + plain(child) + "`" if child.tag == "computeroutput" else plain(child)
            text += child.tail or ""
        out.append({"text": text})
    cleaned = [one if "code" in one else {"text": re.sub(r"\s+", " ", one["text"]).strip()} for one in out]
    return [one for one in cleaned if one.get("text") or one.get("code")]


def description(member):
    return paragraphs(member.find("briefdescription")) + paragraphs(member.find("detaileddescription"))


def titled(member):
    """{"Thread safety": text, "Return value": text} of the sections of a comment."""
    found = {}
    for section in member.find("detaileddescription").iter("simplesect"):
        title = "Return value" if section.get("kind") == "return" else plain(section.find("title"))
        found[title] = " ".join(plain(para) for para in section.findall("para"))
    return found


def parameters(member):
    return [[plain(item.find("parameternamelist/parametername")).rstrip("_"), plain(item.find("parameterdescription"))]
            for item in member.find("detaileddescription").iter("parameteritem")]


def synopsis(member, scope):
    name = scope + plain(member.find("name"))
    if member.get("kind") == "define":
        return f"{name}({', '.join(plain(one).rstrip('_') for one in member.iter('defname'))});"
    result = plain(member.find("type")).replace("RS_EXPORT", "").replace(" *", "*").strip()
    arguments = plain(member.find("argsstring")).replace(",...", ", ...").replace(" *", "* ").replace(" &", "& ")
    return f"{result} {name}{arguments};"


def call(member, scope):
    sections = titled(member)
    return {"name": scope + plain(member.find("name")), "header": os.path.basename(member.find("location").get("file")),
            "kind": "macro" if member.get("kind") == "define" else "function", "synopsis": synopsis(member, scope),
            "description": description(member), "parameters": parameters(member),
            "returns": sections.get("Return value", ""), "thread_safety": sections.get("Thread safety", "")}


def members_of(compound, scope):
    for member in compound.iter("memberdef"):
        name = plain(member.find("name"))
        if description(member) and not name.endswith("_"):
            if member.get("kind") in ("function", "define"):
                yield "calls", call(member, scope)
            elif member.get("kind") == "enum":
                yield "types", {"name": ("" if scope else "enum ") + scope + name,
                                "header": os.path.basename(member.find("location").get("file")),
                                "description": description(member),
                                "members": [[plain(one.find("name")), joined(one)] for one in member.iter("enumvalue")]}


def joined(member):
    return " ".join(one.get("text", "") for one in description(member))


def structure(compound):
    name = plain(compound.find("compoundname"))
    return {"name": name if "::" in name else "struct " + name,
            "header": os.path.basename(compound.find("location").get("file")), "description": description(compound),
            "members": [[f"{plain(one.find('type')).replace(' *', '*')} {plain(one.find('name'))}", joined(one)]
                        for one in compound.iter("memberdef")
                        if one.get("kind") == "variable" and one.get("prot") == "public"]}


def model(folder):
    found = {"calls": [], "types": []}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".xml") or name in ("index.xml", "Doxyfile.xml"):
            continue
        compound = ElementTree.parse(os.path.join(folder, name)).find("compounddef")
        kind = compound.get("kind")
        if kind in ("file", "namespace"):
            scope = plain(compound.find("compoundname")) + "::" if kind == "namespace" else ""
            for part, item in members_of(compound, scope):
                found[part].append(item)
        elif kind in ("struct", "class") and description(compound):
            found["types"].append(structure(compound))
    return found


def main():
    doxygen, output, *headers = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="ringside-api.") as folder:
        inputs = " ".join(f'"{os.path.abspath(header)}"' for header in headers)
        settings = f'{SETTINGS}INPUT = {inputs}\nOUTPUT_DIRECTORY = "{folder}"\n'
        done = subprocess.run([doxygen, "-"], input=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=120, check=False)
        if done.returncode != 0 or done.stdout.strip():
            sys.exit(f"doxygen: status {done.returncode}\n{done.stdout}")
        found = model(os.path.join(folder, "xml"))
    with open(output, "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
