"""Statements with levels, texts and formats of run time, and with gates: those that must compile, and those that must not."""

from compile_cases import INTEGER, Refusal

HEADERS = """
#include "libagent/include/ringside/runtime_format.hpp"
#include "libagent/include/ringside/text.hpp"
"""

GOOD = [
    'RS_WITH_CATEGORY("c", RS_EVERY_N(2, RS_STREAM(INFO) << i)); RS_IF(b, RS_EVENT(INFO, "e", i)); RS_ONCE(RS_WITH_KEYWORDS(4, RS_EVENT(INFO, "e", i)));',
    'RS_EVERY_MS(i, RS_IF(b, RS_TEXT(i, str))); RS_FIRST_N(i, RS_NETLOGGER_WRITE("event", "", "a=%d", i)); RS_WITH_KEYWORDS(4, RS_STREAM(INFO) << text);',
    'RS_LOG(i, "%d", i); RS_LOG(plain, ""); RS_LOG(c, ""); RS_LOG(z, ""); RS_LOG(b, ""); RS_LOG(scoped, "");',
    'RS_LOG(static_cast<enum rs_level>(i), "%s", text); RS_LOG(i > 2 ? RS_LEVEL_INFO : RS_LEVEL_ERROR, "");',
    'if (b) RS_LOG(ringside::Level::info, "then"); else RS_LOG(shared, "else");',
    'const auto log = [i](auto value) { RS_LOG(i, "%d", value); RS_LOG(RS_LEVEL_INFO, "%d", value); }; log(1);',
    'RS_TEXT(RS_LEVEL_INFO, text); RS_TEXT(i, str); RS_TEXT(i, view); RS_TEXT(i, path); RS_TEXT(i, bytes); RS_TEXT(i, mutable_text);',
    'RS_TEXT(RS_LEVEL_INFO, text, i); RS_TEXT(i, text, z); RS_TEXT(i, str + "x"); RS_TEXT(i, "100%"); char local[8] = "x"; RS_TEXT(i, local);',
    'RS_LOG_RUNTIME(i, text, i, d, f, ld, c, s, b, text, str, view, path, p, ip, nullptr, plain, scoped, small, shared, bits.bit, packed.value);',
    'RS_FMT_RUNTIME(RS_LEVEL_INFO, str, i128, RS_NAMED("name", l), RS_ARG(ll), u, z, Constants::kNoDefinition, bytes, mutable_text);',
    'RS_LOG_RUNTIME(RS_LEVEL_INFO, "no argument"); RS_FMT_RUNTIME(i, str + "x", &thing); RS_FMT_RUNTIME(i, view);',
    'if (b) RS_LOG_RUNTIME(i, text); else RS_FMT_RUNTIME(ringside::Level::info, str, i);',
    'RS_EVERY_N(2, RS_WITH_CATEGORY("net", RS_LOG_RUNTIME(i, text, i))); const auto log = [&](auto v) { RS_FMT_RUNTIME(i, text, v); }; log(1);',
    'if (b) RS_TEXT(i, text); else RS_TEXT(RS_LEVEL_ERROR, str);',
]

IS_LEVEL = "the level of a statement is an enum rs_level"
TAKES = "a statement with a format of run time takes numbers, enumerations, pointers and texts"
IS_TEXT = "the text is a std::string, std::string_view"
BAD = [
    ('RS_EVERY_N(i, RS_EVENT(INFO, "e", i));', ""),
    ('RS_EVERY_N(0, RS_STREAM(INFO) << i);', "RS_EVERY_N requires a constant above 0"),
    ('RS_EVERY_N(2, RS_STREAM(INFO)) << i;', ""),
    ('RS_WITH_CATEGORY(text, RS_EVENT(INFO, "e", i));', ""),
    ('RS_LOG(d, "");', IS_LEVEL),
    ('RS_LOG(text, "");', IS_LEVEL),
    ('RS_LOG(i, "%d", d);', Refusal(INTEGER, "d", 0, 1, "double")),
    ('RS_TEXT(text, text);', IS_LEVEL),
    ('RS_TEXT(RS_LEVEL_INFO, i);', IS_TEXT),
    ('RS_TEXT(RS_LEVEL_INFO, wide);', IS_TEXT),
    ('RS_TEXT(RS_LEVEL_INFO, numbers);', IS_TEXT),
    ('RS_TEXT(RS_LEVEL_INFO, ip, 3);', "a text with a length is a pointer to characters"),
    ('RS_TEXT(RS_LEVEL_INFO, str, 3);', ""),
    ('RS_TEXT(RS_LEVEL_INFO);', ""),
    ('RS_LOG_RUNTIME(RS_LEVEL_INFO, i);', IS_TEXT),
    ('RS_LOG_RUNTIME(RS_LEVEL_INFO, text, thing);', TAKES),
    ('RS_FMT_RUNTIME(RS_LEVEL_INFO, text, point);', TAKES),
    ('RS_FMT_RUNTIME(RS_LEVEL_INFO, text, numbers);', TAKES),
    ('RS_FMT_RUNTIME(RS_LEVEL_INFO, text, wide);', TAKES),
    ('RS_LOG_RUNTIME(RS_LEVEL_INFO, text, wc);', TAKES),
    ('static int array[3]; RS_FMT_RUNTIME(RS_LEVEL_INFO, text, array);', TAKES),
    ('RS_LOG_RUNTIME(d, text);', IS_LEVEL),
    ('RS_LOG_RUNTIME(i, text' + ", i" * 255 + ');', "more than 254 arguments"),
]
