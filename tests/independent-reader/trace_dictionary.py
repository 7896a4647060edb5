"""Entries of DICTIONARY blocks: statements with their fields, and names of enumerations."""

import struct
from dataclasses import dataclass, field

KIND_SITE, KIND_ENUM_TABLE, KIND_WIDE_SITE = 1, 2, 3
MIN_ENTRY_BYTES, MAX_ENTRY_BYTES = 16, 1 << 20
MAX_FIELDS = {KIND_SITE: 64, KIND_WIDE_SITE: 512}
FIELD_CONSTANT = 1
ARRAY = 0x80

TYPE_NAMES = ("none", "bool", "char", "i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64",
              "u128", "f32", "f64", "f80", "pointer", "string", "bytes", "enum")
FIXED_BYTES = {"bool": 1, "char": 1, "i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4,
               "f32": 4, "i64": 8, "u64": 8, "f64": 8, "pointer": 8, "enum": 8, "f80": 10,
               "i128": 16, "u128": 16}
SIGNED = {"i8", "i16", "i32", "i64", "i128", "enum"}
LEVELS = ("NONE", "TRACE", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL")


class Unsound(Exception):
    """Bytes that no writer of this format produces."""


@dataclass
class Field:
    name: str
    type: str  # one of TYPE_NAMES; for an array, the element's type
    array: bool
    flags: int
    enum_table_id: int
    constant: bytes

    @property
    def is_constant(self):
        return bool(self.flags & FIELD_CONSTANT)


@dataclass
class Site:
    id: int
    line: int
    keywords: int
    kind: int
    level: int
    format_style: int
    flags: int
    name: str = ""
    category: str = ""
    format: bytes = b""
    file: str = ""
    function: str = ""
    fields: list = field(default_factory=list)

    def recorded_fields(self):
        return [f for f in self.fields if not f.is_constant]


class Dictionary:
    """The content of a section's dictionary blocks; the first entry for an id counts."""

    def __init__(self):
        self.sites, self.enum_tables = {}, {}
        self.unsound_entries = 0

    def add_block(self, payload):
        at = 0
        while at < len(payload):
            if len(payload) - at < MIN_ENTRY_BYTES:
                raise Unsound("bytes after the last entry")
            size, kind = struct.unpack_from("<IH", payload, at)
            if (size < MIN_ENTRY_BYTES or size % 8 or size > MAX_ENTRY_BYTES
                    or size > len(payload) - at):
                raise Unsound(f"an entry of {size} bytes")
            entry = payload[at:at + size]
            at += size
            try:
                if kind in MAX_FIELDS:
                    site = _site(kind, entry)
                    self.sites.setdefault(site.id, site)
                elif kind == KIND_ENUM_TABLE:
                    number, names = _enum_table(entry)
                    self.enum_tables.setdefault(number, names)
            except Unsound:
                self.unsound_entries += 1


class _Texts:
    """The texts at the end of an entry, one after the other."""

    def __init__(self, entry, at):
        if at > len(entry):
            raise Unsound("an entry too short for its fields")
        self.entry, self.at = entry, at

    def take(self, count):
        if count > len(self.entry) - self.at:
            raise Unsound("a text that ends after its entry")
        self.at += count
        return self.entry[self.at - count:self.at]

    def take_text(self, count):
        return self.take(count).decode("utf-8", "surrogateescape")


def _site(entry_kind, entry):
    if len(entry) < 48:
        raise Unsound("a site of under 48 bytes")
    (field_count, number, line, keywords, kind, level, style, flags, name_bytes, category_bytes,
     format_bytes, file_bytes, function_bytes) = struct.unpack_from("<HIIQBBBBIIIII", entry, 6)
    if field_count > MAX_FIELDS[entry_kind]:
        raise Unsound(f"{field_count} fields")
    site = Site(number, line, keywords, kind, level, style, flags)
    texts = _Texts(entry, 48 + 16 * field_count)
    site.name = texts.take_text(name_bytes)
    site.category = texts.take_text(category_bytes)
    site.format = texts.take(format_bytes)
    site.file = texts.take_text(file_bytes)
    site.function = texts.take_text(function_bytes)
    for index in range(field_count):
        code, field_flags, field_name_bytes, constant_bytes, enum_table_id = struct.unpack_from(
            "<BBHII", entry, 48 + 16 * index)
        if not 1 <= code & ~ARRAY < len(TYPE_NAMES):
            raise Unsound(f"a field of type {code}")
        name = texts.take_text(field_name_bytes)
        constant = texts.take(constant_bytes)
        site.fields.append(Field(name, TYPE_NAMES[code & ~ARRAY], bool(code & ARRAY), field_flags,
                                 enum_table_id, constant))
    return site


def _enum_table(entry):
    value_count, number = struct.unpack_from("<HI", entry, 6)
    texts = _Texts(entry, 16 + 16 * value_count)
    names = {}
    for index in range(value_count):
        value, name_bytes = struct.unpack_from("<qI", entry, 16 + 16 * index)
        names.setdefault(value, texts.take_text(name_bytes))
    return number, names
