#!/usr/bin/env python3
"""Writes the LTTng-UST tracepoints of kvd: one for each sequence of argument types.

usage: generate_tracepoints.py kvd_tracepoints.h kvd_tracepoint_calls.hpp
"""

import sys

# Letter -> C type, C++ type, LTTng field. T is text with a length, S is terminated by NUL.
TYPES = {
    "d": ("int32_t", "int", "integer"),
    "u": ("uint32_t", "unsigned", "integer"),
    "q": ("int64_t", "long", "integer"),
    "Q": ("uint64_t", "unsigned long", "integer"),
    "f": ("double", "double", "float"),
    "S": ("const char*", "const char*", "string"),
    "T": ("const char*", "std::string_view", "text"),
}

# The sequences in kvd's statements; a statement with another one does not compile, because its Tracepoint<...> is missing.
SIGNATURES = """
    none d u Q QQ QQQ QQQQ QQQQQ QQu uu uf uQ uQQ udQ dQ Qd QdQ QQff QQQf Suu
    T Tu Tq TQuQ TuSQ TuSQq QQT QQTf QQST QQQS QQQQS
""".split()

C_HEAD = """\
// Written by generate_tracepoints.py.
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER kvd
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./kvd_tracepoints.h"

#if !defined(KVD_TRACEPOINTS_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define KVD_TRACEPOINTS_H

#include <lttng/tracepoint.h>
#include <stddef.h>
#include <stdint.h>

"""

C_TAIL = """\
#endif
#include <lttng/tracepoint-event.h>
"""

CPP_HEAD = """\
// Written by generate_tracepoints.py.
#pragma once

#include <cstdint>
#include <string_view>

#include "kvd_tracepoints.h"

namespace ringside::perf {

// Tracepoint<types...>::fire(statement, values...)
template <class... Values>
struct Tracepoint;

"""


def letters(signature):
    return "" if signature == "none" else signature


def event(signature):
    arguments = ["uint32_t, statement"]
    fields = ["lttng_ust_field_integer(uint32_t, statement, statement)"]
    for i, letter in enumerate(letters(signature)):
        c_type, _, field = TYPES[letter]
        arguments.append(f"{c_type}, a{i}")
        if field == "text":
            arguments.append(f"size_t, n{i}")
            fields.append(f"lttng_ust_field_sequence_text(char, a{i}, a{i}, size_t, n{i})")
        elif field == "string":
            fields.append(f"lttng_ust_field_string(a{i}, a{i})")
        else:
            fields.append(f"lttng_ust_field_{field}({c_type}, a{i}, a{i})")
    return (f"LTTNG_UST_TRACEPOINT_EVENT(kvd, {signature},\n"
            f"  LTTNG_UST_TP_ARGS({', '.join(arguments)}),\n"
            f"  LTTNG_UST_TP_FIELDS(\n    " + "\n    ".join(fields) + "))\n\n")


def call(signature):
    types = [TYPES[letter][1] for letter in letters(signature)]
    parameters = "".join(f", {cpp_type} a{i}" for i, cpp_type in enumerate(types))
    values = "".join(f", a{i}.data(), a{i}.size()" if letter == "T" else f", a{i}"
                     for i, letter in enumerate(letters(signature)))
    return (f"template <>\nstruct Tracepoint<{', '.join(types)}> {{\n"
            f"  static void fire(std::uint32_t statement{parameters}) {{\n"
            f"    lttng_ust_tracepoint(kvd, {signature}, statement{values});\n  }}\n}};\n\n")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "w", encoding="utf-8") as header:
        header.write(C_HEAD + "".join(map(event, SIGNATURES)) + C_TAIL)
    with open(sys.argv[2], "w", encoding="utf-8") as header:
        header.write(CPP_HEAD + "".join(map(call, SIGNATURES)) + "}  // namespace ringside::perf\n")


if __name__ == "__main__":
    main()
