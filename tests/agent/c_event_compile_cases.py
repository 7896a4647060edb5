"""Events, spans, counters and histograms in C: those that must compile, and those that must not, with a phrase of each compiler's message."""

HEADERS = '#include "libagent/include/ringside/event.h"\n#include "libagent/include/ringside/span.h"\n'

GOOD = [
    'RS_EVENT(INFO, "event");',
    'RS_EVENT(INFO, "two " "literals", i, u, l, ll, z, d, f, ld, c, s, b);',
    'RS_EVENT(TRACE, "e", text, mutable_text, wide, p, (void*)ip, plain, small, "literal", __FILE__, __func__);',
    'RS_EVENT(ERROR, "e", bits->type, bits->offset, bits->is_set, bits->octet, bits->word, bits->plain, bits->name);',
    'RS_EVENT(INFO, "e", RS_ARG(i), RS_NAMED("name", i + 1), RS_NAMED("literal", "value"), RS_NAMED("pair", ((void)i, u)));',
    'RS_EVENT(INFO, "e", RS_BYTES(text, z), RS_NAMED("none", RS_BYTES(NULL, 0)));',
    'char local[8] = "x"; static const char kept[] = "x"; RS_EVENT(INFO, "e", local, kept, b ? "yes" : "no", text + 1);',
    'if (b) RS_EVENT(INFO, "then"); else RS_EVENT(INFO, "else", i);',
    'RS_EVERY_N(2, RS_WITH_CATEGORY("c", RS_EVENT(INFO, "e", RS_NAMED("i", ++i), "text")));',
    'RS_EVENT(INFO, "e"' + ", i" * 31 + ', "text");',
    'RS_COUNTER("c", i, RS_NAMED("name", d)); RS_MARK("m"); RS_MARK("m", text); RS_HISTOGRAM("h", RS_ARG(d), text); RS_HISTOGRAM("h", bits->type);',
    'RS_BEGIN_SPAN(INFO, one, "s"); RS_BEGIN_SPAN(DEBUG, two, "s", i, text, RS_NAMED("venue", "XETR")); RS_END_SPAN(two); RS_CANCEL_SPAN(one);',
    'RS_BEGIN_SPAN(ERROR, span, "s", bits->type, bits->is_set, ld, c, s, b, (void*)ip, small); if (b) RS_END_SPAN(span); else RS_CANCEL_SPAN(span);',
    'RS_BEGIN_OPEN_SPAN(INFO, one, "s"); RS_BEGIN_OPEN_SPAN(DEBUG, two, "s", i, text, RS_NAMED("venue", "XETR")); RS_END_OPEN_SPAN(two); RS_END_OPEN_SPAN(one);',
]

NO_TYPE = ("_Generic", "compatible")
BAD = [
    ('RS_EVENT(INFO, "");', ("an event requires a name",)),
    ('RS_EVENT(INFO, text);', ("expected",)),
    ('RS_HISTOGRAM("h");', ("the first value of a histogram is its sample, a number",)),
    ('RS_HISTOGRAM("h", text, i);', ("the first value of a histogram is its sample, a number",)),
    ('RS_BEGIN_SPAN(INFO, span, "");', ("a span requires a name",)),
    ('RS_BEGIN_SPAN(INFO, span, "s", RS_BYTES(text, z));', ("a span has numbers and texts",)),
    ('RS_BEGIN_SPAN(INFO, span, "s"' + ", text" * 15 + ');', ("the values of a span take too many bytes",)),
    ('RS_BEGIN_OPEN_SPAN(INFO, span, "s"); RS_CANCEL_SPAN(span);', ("open",)),
    ('RS_BEGIN_OPEN_SPAN(INFO, span, "s"); RS_END_SPAN(span);', ("open",)),
    ('RS_EVENT(LOUD, "e");', ("RS_LEVEL_LOUD",)),
    ('RS_EVENT(INFO, "e", thing);', NO_TYPE),
    ('RS_EVENT(INFO, "e", ip);', NO_TYPE),
    ('RS_EVENT(INFO, "e", RS_NAMED("bits", bits));', NO_TYPE),
    ('RS_EVENT(INFO, "e"' + ", i" * 256 + ");", ("more than 255 arguments in one statement",)),
    ('RS_INFO("%d", RS_BYTES(text, z));', ("Wformat", "-Werror=format")),
]
