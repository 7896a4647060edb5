#!/usr/bin/env python3
"""Writes log calls in brace style with random formats and values, the same in every run: brace_cases.inc is

    make_brace_cases.py brace_cases.inc 320"""

import random
import sys

INTEGERS = {"std::int8_t": (-2**7, 2**7 - 1), "std::uint8_t": (0, 2**8 - 1), "std::int16_t": (-2**15, 2**15 - 1),
            "std::uint16_t": (0, 2**16 - 1), "std::int32_t": (-2**31 + 1, 2**31 - 1), "std::uint32_t": (0, 2**32 - 1),
            "std::int64_t": (-2**63 + 1, 2**63 - 1), "std::uint64_t": (0, 2**64 - 1)}
TEXTS = ["", "a", "order", "größer", "日本", "x" * 40, "{braces}", "%d"]
FILLS = ["", "*", "é", "0", "-", " "]


def literal(dice, kind):
    if kind in INTEGERS:
        low, high = INTEGERS[kind]
        value = dice.choice([low, high, 0, 1, dice.randint(low, high), dice.randint(max(low, -99), min(high, 99))])
        return f"{kind}{{{value}{'U' if low == 0 else ''}{'LL' if abs(value) > 2**31 - 1 else ''}}}"
    if kind == "bool":
        return dice.choice(["true", "false"])
    if kind == "char":
        return "'" + dice.choice("aZ9 +") + "'"
    if kind in ("double", "float"):
        number = dice.choice(["0.0", "1.5", "-2.25", "1e100", "1e-7", "123456.789", repr(dice.uniform(-1e6, 1e6))])
        return f"static_cast<float>({dice.uniform(-1e6, 1e6)!r})" if kind == "float" else number
    text = '"' + dice.choice(TEXTS) + '"'
    return text if kind == "C" else f"{kind}({text})"


def spec(dice, kind, sizes):
    """`sizes`: the numbers of arguments that can be sizes."""
    alignment = dice.choice(FILLS) + dice.choice("<>^") if dice.random() < 0.5 else ""
    text = alignment
    number = kind in INTEGERS or kind in ("double", "float")
    if number and not kind.startswith("std::u") and dice.random() < 0.3:
        text += dice.choice("+- ")
    if number and dice.random() < 0.3:
        text += "#"
    # After an alignment {fmt} 9 writes half of a fill character for it.
    if number and not alignment and dice.random() < 0.3:
        text += "0"
    if dice.random() < 0.5:
        text += "{%d}" % dice.choice(sizes) if sizes and dice.random() < 0.3 else str(dice.randint(1, 30))
    if kind in ("double", "float", "C", "std::string", "std::string_view") and dice.random() < 0.4:
        text += "." + ("{%d}" % dice.choice(sizes) if sizes and dice.random() < 0.3 else str(dice.randint(0, 12)))
    types = {"bool": ["", "s", "d", "x"], "char": ["", "c"], "double": list("aAeEfFgG") + [""], "float": list("eEfFgG") + [""]}
    return text + dice.choice(types.get(kind, list("bBdoxX") + [""] if number else ["", "s"]))


def case(dice):
    kinds = [dice.choice([*INTEGERS, "bool", "char", "double", "float", "C", "std::string", "std::string_view"])
             for _ in range(dice.randint(1, 6))]
    values = [literal(dice, kind) for kind in kinds]
    sizes = []
    if dice.random() < 0.3:
        sizes = [len(values)]
        values.append(str(dice.randint(0, 20)))
        kinds.append("int")
    automatic = not sizes and dice.random() < 0.7
    order = list(range(len(kinds) - len(sizes)))
    if not automatic:
        dice.shuffle(order)
    text = dice.choice(["", "text ", "{{", "ü "])
    for index in order:
        rules = spec(dice, kinds[index], sizes)
        text += "{" + ("" if automatic else str(index)) + (":" + rules if rules or dice.random() < 0.2 else "") + "}"
        text += dice.choice(["", " ", ", ", "}}"])
    if sizes:
        text += "{%d}" % sizes[0]
    return f'CASE("{text}", {", ".join(values)})\n'


def main():
    dice = random.Random("brace cases")
    with open(sys.argv[1], "w", encoding="utf-8") as file:
        file.write("// Written by make_brace_cases.py.\n")
        functions = int(sys.argv[2]) // 20
        for number in range(functions):
            cases = "".join(case(dice) for _ in range(20))
            file.write(f"void log_cases_{number}() {{\n{cases}}}\n")
        file.write("void log_cases() {\n" + "".join(f"log_cases_{i}();\n" for i in range(functions)) + "}\n")


main()
