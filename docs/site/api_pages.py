"""Markdown from the model of the public headers that packaging/manual/api_model.py writes."""

import json

from help_pages import block, cell


def prose(item):
    out = []
    for one in item["description"]:
        out += block(one["code"].split("\n"), "c") if "code" in one else [one["text"], ""]
    return out


def table(title, pairs):
    rows = [f"| <code>{cell(name)}</code> | {cell(text.replace('`', ''))} |" for name, text in pairs]
    return [f"| {title} | |", "| --- | --- |", *rows, ""] if pairs else []


def page(header, model):
    """Calls and types of a header; the types of abi.h belong to the C header."""
    headers = (header, "abi.h") if header == "ringside.h" else (header,)
    calls = [one for one in model["calls"] if one["header"] == header]
    types = [one for one in model["types"] if one["header"] in headers]
    if not calls and not types:
        raise KeyError(header)
    out = []
    for call in calls:
        out += [f"### {cell(call['name'])}", "", *block([call["synopsis"]], "c"), *prose(call),
                *table("parameter", call["parameters"])]
        if call["returns"]:
            out += ["Return value: " + cell(call["returns"]), ""]
        if call["thread_safety"]:
            out += ["Thread safety: " + cell(call["thread_safety"]), ""]
    for one in types:
        out += [f"### {cell(one['name'])}", "", *prose(one), *table("member", one["members"])]
    return "\n".join(out)


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)
