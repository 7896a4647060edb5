"""The fields that a context adds to records: packed once, when the context begins."""

import struct

from .values import BYTES, TEXT, WORDS, encoded, typed


class Signature:
    """The names and types of a context's fields. Equal ones are the same object, so that a cache compares it fast."""

    __slots__ = ("names", "codes", "pack", "texts")
    _known = {}
    _by_types = {}
    _MOST = 4096

    def __init__(self, names, codes):
        self.names = names
        self.codes = codes
        self.pack = struct.Struct("=" + "".join(WORDS[code] for code in codes)).pack
        self.texts = tuple(index for index, code in enumerate(codes) if code in (TEXT, BYTES))

    @classmethod
    def of_types(cls, fields):
        """For fields whose values are stored as they are; None: of() finds out."""
        return cls._by_types.get((*fields, *map(type, fields.values())))

    @classmethod
    def of(cls, fields, codes, is_stored):
        """`is_stored`: the values are stored as they are."""
        key = (tuple(fields), tuple(codes))
        found = cls._known.get(key)
        if found is None:
            found = cls(*key)
            if len(cls._known) < cls._MOST:
                cls._known[key] = found
        if is_stored and len(cls._by_types) < cls._MOST:
            cls._by_types[(*fields, *map(type, fields.values()))] = found
        return found


class Scope:
    """The fields that are in force. Immutable."""

    __slots__ = ("fields", "outer", "signature", "words", "tail")

    def __init__(self, fields, outer=None):
        self.fields = fields
        # The scope that is in force after this one; None: that without fields.
        self.outer = outer
        self.signature = Signature.of_types(fields)
        try:
            if self.signature is not None:
                self._pack([*fields.values()])
                return
        except struct.error:
            pass  # an int needs more than 64 bits
        pairs = [typed(value) for value in fields.values()]
        values = [value for _, value in pairs]
        is_stored = all(value is stored for value, stored in zip(fields.values(), values))
        self.signature = Signature.of(fields, [code for code, _ in pairs], is_stored)
        self._pack(values)

    def _pack(self, values):
        tail = b""
        for index in self.signature.texts:
            text = encoded(values[index])
            values[index] = len(text)
            tail += text
        self.words = self.signature.pack(*values)
        self.tail = tail

    def without(self, names):
        """The fields that a record does not have itself."""
        return Scope({name: value for name, value in self.fields.items() if name not in names})


EMPTY = Scope({})
