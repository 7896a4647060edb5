"""Objects of Kubernetes, checked against the types of its published API: unknown and missing fields, and types of values. The types are
those that Kubernetes' JavaScript client has generated from the OpenAPI description."""

import os
import re

from container_tools import tool

FIELD = re.compile(r"^    '([^']+)'(\?)?: (.+);$", re.MULTILINE)
QUANTITY = re.compile(r"[0-9]+(\.[0-9]+)?(m|k|M|G|T|Ki|Mi|Gi|Ti)?")
# Types of objects by apiVersion and kind.
KINDS = {("v1", "ConfigMap"): "V1ConfigMap", ("v1", "Namespace"): "V1Namespace", ("v1", "Service"): "V1Service",
         ("apps/v1", "DaemonSet"): "V1DaemonSet", ("apps/v1", "Deployment"): "V1Deployment"}


class KubernetesTypes:
    def __init__(self, directory=None):
        self.directory = directory or tool("kubernetes")
        self.known = {}

    def fields(self, name):
        """{field: (whether it is optional, type)}"""
        if name not in self.known:
            with open(os.path.join(self.directory, name + ".d.ts"), encoding="utf-8") as file:
                self.known[name] = {field: (bool(optional), type_) for field, optional, type_ in
                                    FIELD.findall(re.sub(r"\{\n\s*\[key: string\]: (.+?);\n\s*\}", r"Map<\1>", file.read()))}
        return self.known[name]

    def faults(self, document):
        """What is wrong with an object, a line each."""
        kind = KINDS.get((document.get("apiVersion"), document.get("kind")))
        if kind is None:
            return [f"no object {document.get('apiVersion')} {document.get('kind')} is expected here"]
        return list(self.faults_of(document, kind, document["kind"]))

    def faults_of(self, value, type_, path):
        nested = re.fullmatch(r"(Array|Map)<(.+)>", type_)
        if nested:
            container = list if nested[1] == "Array" else dict
            if not isinstance(value, container):
                yield f"{path}: not {'a list' if container is list else 'a mapping'}"
                return
            for key, each in enumerate(value) if container is list else value.items():
                yield from self.faults_of(each, nested[2], f"{path}.{key}")
        elif type_ in ("string", "boolean", "number", "IntOrString", "string | number", "number | string"):
            yield from self.scalar_faults(value, type_, path)
        elif not isinstance(value, dict):
            yield f"{path}: not a mapping"
        else:
            fields = self.fields(type_)
            yield from (f"{path}.{name}: missing" for name, (optional, _) in fields.items() if not optional and name not in value)
            for name, each in value.items():
                if name not in fields:
                    yield f"{path}.{name}: unknown"
                else:
                    yield from self.faults_of(each, fields[name][1], f"{path}.{name}")

    @staticmethod
    def scalar_faults(value, type_, path):
        is_number = isinstance(value, int) and not isinstance(value, bool)
        valid = {"string": isinstance(value, str), "boolean": isinstance(value, bool), "number": is_number}.get(
            type_, is_number or isinstance(value, str))
        # YAML's numbers are valid quantities.
        if type_ == "string" and is_number and re.search(r"\.(limits|requests)\.", path):
            valid = True
        if not valid:
            yield f"{path}: {value!r} is not of type {type_}"
        elif re.search(r"\.(limits|requests)\.|\.sizeLimit$", path) and not QUANTITY.fullmatch(str(value)):
            yield f"{path}: {value!r} is not a quantity"
