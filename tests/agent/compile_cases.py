"""Statements that must compile, statements that must not, and the compiler's message for each of these."""

CPP_PROLOGUE = """
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>
#include "libagent/include/ringside/format.hpp"
#include "libagent/include/ringside/netlogger.h"
#include "libagent/include/ringside/ringside.hpp"
enum Plain { kOne };
enum class Scoped { kOne };
enum class Small : std::uint8_t { kOne };
struct Constants { static const int kNoDefinition = 1; static constexpr int kInline = 2; };
struct [[gnu::packed]] Packed { char first; int value; };
struct Thing { int value; };
struct Bits { unsigned bit : 3; };
template <class T> void in_template(T value) { RS_INFO("%d", static_cast<int>(value)); }
"""

CPP_PARAMETERS = """([[maybe_unused]] int i, [[maybe_unused]] unsigned u, [[maybe_unused]] long l,
          [[maybe_unused]] long long ll, [[maybe_unused]] std::size_t z,
          [[maybe_unused]] std::intmax_t j, [[maybe_unused]] std::ptrdiff_t t,
          [[maybe_unused]] double d, [[maybe_unused]] float f, [[maybe_unused]] long double ld,
          [[maybe_unused]] char c, [[maybe_unused]] short s, [[maybe_unused]] bool b,
          [[maybe_unused]] const char* text, [[maybe_unused]] char* mutable_text,
          [[maybe_unused]] const wchar_t* wide, [[maybe_unused]] wchar_t wc,
          [[maybe_unused]] void* p, [[maybe_unused]] const int* ip,
          [[maybe_unused]] std::string str, [[maybe_unused]] Thing thing,
          [[maybe_unused]] Plain plain, [[maybe_unused]] Scoped scoped,
          [[maybe_unused]] Small small, [[maybe_unused]] std::string_view view,
          [[maybe_unused]] const std::filesystem::path& path, [[maybe_unused]] Packed packed,
          [[maybe_unused]] volatile int& shared, [[maybe_unused]] const std::vector<int>& numbers,
          [[maybe_unused]] ringside::detail::Int128 i128, [[maybe_unused]] Bits bits, [[maybe_unused]] const unsigned char* bytes)"""

CPP_GOOD = [
    'RS_INFO("no argument");',
    'RS_INFO("100%%");',
    'RS_INFO("");',
    'RS_INFO("two " "literals %d", i);',
    'RS_INFO("%d %i %u %x %X %o", i, i, u, u, u, u);',
    'RS_INFO("%u %d", i, u);',
    'RS_INFO("%d %d %d %d", c, s, b, plain);',
    'RS_INFO("%hhd %hd %hhu %hx", c, s, i, u);',
    'RS_INFO("%ld %lu %lld %llu", l, static_cast<unsigned long>(l), ll, 1ULL);',
    'RS_INFO("%zu %zd %jd %ju %td", z, l, j, static_cast<std::uintmax_t>(j), t);',
    'RS_INFO("%f %e %g %a %F %E %G %A %lf", d, d, d, d, f, f, f, f, d);',
    'RS_INFO("%Lf %Lg", ld, ld);',
    'RS_INFO("%c %lc %lc", c, wc, static_cast<unsigned>(wc));',
    'RS_INFO("%s %s %s %s", text, mutable_text, "literal", bytes);',
    'char local[8] = "x"; RS_INFO("%s", local);',
    'RS_INFO("%.*s %*d %-*.*f", i, text, i, i, i, i, d);',
    'RS_INFO("%ls %S", wide, L"wide");',
    'RS_INFO("%p %p %p %p", p, static_cast<const void*>(ip), ip, nullptr);',
    'RS_INFO("%p", &thing);',
    'RS_INFO("%s", str.c_str());',
    'RS_INFO("%d %d %d %x %u %o", l, ll, z, ll, s, t);',
    'RS_INFO("%ld %ld %lld %zu %jd %td %lx", i, ll, l, u, i, s, b);',
    'RS_INFO("%s %s %s %.3s %.*s", str, view, path, str, i, view);',
    'RS_INFO("%d %u %ld %x", scoped, small, scoped, small);',
    'RS_INFO("%d %d", Constants::kNoDefinition, Constants::kNoDefinition);',
    'RS_INFO("%s %d", str, Constants::kInline);',
    'RS_INFO("%d %d", packed.value, shared);',
    'RS_INFO("%-+ #08.3d", i);',
    'RS_INFO("%u", static_cast<unsigned>(bits.bit));',
    'RS_INFO("%d", bits.bit);',
    'RS_LOG(RS_LEVEL_ERROR, "%d", i);',
    'RS_TRACE("x"); RS_DEBUG("x"); RS_NOTICE("x"); RS_WARNING("x"); RS_ERROR("x"); RS_CRITICAL("x");',
    'in_template(i); in_template(l); in_template(d);',
    '[&](auto value) { RS_INFO("%d", static_cast<int>(value)); }(l);',
    'if (b) RS_INFO("then"); else RS_INFO("else");',
    'switch (i) { case 1: RS_INFO("one"); break; default: RS_INFO("other"); }',
    'RS_INFO("%zu", sizeof(Thing));',
    'RS_INFO("%s", __func__);',
    'RS_FMT(INFO, "none"); RS_FMT(INFO, "{{}}"); RS_FMT(INFO, "");',
    'RS_FMT(INFO, "{} {} {} {} {} {} {}", i, u, l, ll, z, j, i128);',
    'RS_FMT(INFO, "{} {} {} {} {} {}", c, s, b, d, f, ld);',
    'RS_FMT(INFO, "{} {} {} {} {} {}", text, mutable_text, bytes, str, view, path);',
    'RS_FMT(INFO, "{} {} {} {}", p, ip, nullptr, wide);',
    'RS_FMT(INFO, "{} {} {} {}", plain, scoped, small, bits.bit);',
    'RS_FMT(INFO, "{:*^+#012x} {:.3f} {:>9.2} {:s} {:c} {:d}", i, d, str, b, c, c);',
    'RS_FMT(INFO, "{1} {0:{2}.{2}}", d, text, i);',
    'RS_FMT(INFO, "{user} paid {amount:.2f}", RS_NAMED("user", str), RS_NAMED("amount", d));',
    'RS_FMT(INFO, "{str} {0}", str); RS_FMT(INFO, "named only", RS_NAMED("a", i), RS_NAMED("b", i));',
    'RS_FMT(INFO, "{n}", RS_NAMED("n", std::pair<int, int>(1, 2).first));',
    'RS_FMT_TRACE("x"); RS_FMT_DEBUG("x"); RS_FMT_NOTICE("{}", i); RS_FMT_WARNING("x"); RS_FMT_CRITICAL("x");',
    'RS_NETLOGGER_WRITE("event.name", "Const1=3 Const2=Hello", "Var1=%d Var2=%f Var3=%s", i, d, text);',
    'RS_NETLOGGER_WRITE("two " "literals", "a=\\"two words\\" b=", "");',
    'if (b) RS_NETLOGGER_WRITE("event", "", " a=%lc  b=%-8.3Lf ", wc, ld); else RS_INFO("else");',
]

# C++17 has no lambdas in unevaluated operands.
CPP20_GOOD = [
    'RS_INFO("%d", [i] { return i + 1; }());',
]

TYPE = "the type of an argument does not match its conversion in the format"
PLACEHOLDER = "the type of an argument does not match its placeholder"
COUNT = "the number of arguments does not match the format"
UNKNOWN = "unknown conversion in the format"
PAIR = "must have the form name=value"
CONVERSION = "the value of a NetLogger variable must be exactly one conversion"
LENGTH = "invalid length modifier for a conversion in the format"

# There u8 texts have characters of their own.
CPP20_BAD = [
    ('RS_INFO("%s", u8"text");', TYPE),
]

CPP_BAD = [
    ('RS_INFO("%d", d);', TYPE),
    ('RS_INFO("%hd", l);', TYPE),
    ('RS_INFO("%d", i128);', TYPE),
    ('RS_INFO("%s", scoped);', TYPE),
    ('RS_INFO("%s", numbers);', TYPE),
    ('RS_INFO("%d", str);', TYPE),
    ('RS_INFO("%*d", scoped, i);', TYPE),
    ('RS_INFO("%d", text);', TYPE),
    ('RS_INFO("%d", p);', TYPE),
    ('RS_INFO("%f", i);', TYPE),
    ('RS_INFO("%f", ld);', TYPE),
    ('RS_INFO("%Lf", d);', TYPE),
    ('RS_INFO("%s", i);', TYPE),
    ('RS_INFO("%s", c);', TYPE),
    ('RS_INFO("%s", p);', TYPE),
    ('RS_INFO("%s", nullptr);', TYPE),
    ('RS_INFO("%s", wide);', TYPE),
    ('RS_INFO("%ls", text);', TYPE),
    ('RS_INFO("%c", l);', TYPE),
    ('RS_INFO("%c", text);', TYPE),
    ('RS_INFO("%p", i);', TYPE),
    ('RS_INFO("%p", str);', TYPE),
    ('RS_INFO("%d", thing);', TYPE),
    ('RS_INFO("%*d", l, i);', TYPE),
    ('RS_INFO("%.*s", z, text);', TYPE),
    ('RS_FMT(INFO, "{");', "names neither a position nor an argument"),
    ('RS_FMT(INFO, "}", i);', "without '{'"),
    ('RS_FMT(INFO, "{", i);', "names neither a position nor an argument"),
    ('RS_FMT(INFO, "{:d", i);', "does not end"),
    ('RS_FMT(INFO, "{}");', COUNT),
    ('RS_FMT(INFO, "{} {}", i);', COUNT),
    ('RS_FMT(INFO, "{}", i, u);', COUNT),
    ('RS_FMT(INFO, "{2}", i, u);', COUNT),
    ('RS_FMT(INFO, "{} {0}", i);', "positions and automatic numbers"),
    ('RS_FMT(INFO, "{user}", i);', "no argument has the name"),
    ('RS_FMT(INFO, "{:y}", i);', "invalid specification"),
    ('RS_FMT(INFO, "{:s}", i);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:d}", d);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:x}", str);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:f}", text);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:+}", u);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:+}", str);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:#}", text);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:.3}", i);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:.}", d);', "the precision is missing"),
    ('RS_FMT(INFO, "{:{}}", i, d);', PLACEHOLDER),
    ('RS_FMT(INFO, "{:5000}", i);', "above 4095"),
    ('RS_FMT(INFO, "{:{<9}", i);', "cannot be a fill"),
    ('RS_FMT(INFO, "{}", thing);', "cannot record an argument of this type"),
    ('RS_FMT(INFO, "{}", numbers);', "cannot record an argument of this type"),
    ('RS_FMT(INFO, "a\\0b");', "NUL character"),
    ('RS_INFO("%d");', COUNT),
    ('RS_INFO("%d %d", i);', COUNT),
    ('RS_INFO("%d", i, i);', COUNT),
    ('RS_INFO("none", i);', COUNT),
    ('RS_INFO("%*d", i);', COUNT),
    ('RS_INFO("100%%", i);', COUNT),
    ('RS_INFO("%n", &i);', "Ringside refuses %n"),
    ('RS_INFO("%hhn", &i);', "Ringside refuses %n"),
    ('RS_INFO("%m");', "Ringside refuses %m"),
    ('RS_INFO("%1$d", i);', "Ringside refuses positional arguments"),
    ('RS_INFO("%*1$d", i, i);', "Ringside refuses positional arguments"),
    ('RS_INFO("%y", i);', UNKNOWN),
    ('RS_INFO("%-%d", i);', UNKNOWN),
    ('RS_INFO("%hs", text);', LENGTH),
    ('RS_INFO("%lp", p);', LENGTH),
    ('RS_INFO("%Ld", ll);', LENGTH),
    ('RS_INFO("%hf", d);', LENGTH),
    ('RS_INFO("ends in %", i);', "the format ends inside a conversion"),
    ('RS_INFO("ends in %l", i);', "the format ends inside a conversion"),
    ('RS_INFO("%5000d", i);', "field width above 4095"),
    ('RS_INFO("%.5000d", i);', "precision above 4095"),
    ('RS_INFO("' + "%d" * 33 + '"' + ", i" * 33 + ");", "more than 32 arguments"),
    ('RS_INFO(text);', ""),
    ('RS_INFO(text, i);', ""),
    ('RS_INFO(str.c_str());', ""),
    ('static const char kFormat[] = "%d"; RS_INFO(kFormat, i);', ""),
    ('RS_INFO();', ""),
    ('RS_INFO(L"%d", i);', ""),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d", d);', TYPE),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d");', COUNT),
    ('RS_NETLOGGER_WRITE("event", "", "a=%n", &i);', "Ringside refuses %n"),
    ('RS_NETLOGGER_WRITE("event", "", "a=%");', "the format ends inside a conversion"),
    ('RS_NETLOGGER_WRITE("", "", "a=%d", i);', "a NetLogger event needs a name"),
    ('RS_NETLOGGER_WRITE("event", "a", "b=%d", i);', PAIR),
    ('RS_NETLOGGER_WRITE("event", "=a", "b=%d", i);', PAIR),
    ('RS_NETLOGGER_WRITE("event", "a=\\"b\\"c", "");', PAIR),
    ('RS_NETLOGGER_WRITE("event", "", "%d", i);', PAIR),
    ('RS_NETLOGGER_WRITE("event", "a=\\"b", "");', "unterminated quote in a NetLogger constant"),
    ('RS_NETLOGGER_WRITE("event", "", "a=1");', CONVERSION),
    ('RS_NETLOGGER_WRITE("event", "", "a=%%");', CONVERSION),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d,", i);', CONVERSION),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d%d", i, i);', CONVERSION),
    ('RS_NETLOGGER_WRITE("event", "", "a=%*d", i, i);', "takes one argument"),
    ('RS_NETLOGGER_WRITE("event", "' + "a=1 " * 33 + '", "");', "more than 32 constants"),
    ('RS_NETLOGGER_WRITE("event", "' + "a" * 256 + '=1", "");', "longer than 255 bytes"),
    ('RS_NETLOGGER_WRITE(text, "", "a=%d", i);', ""),
    ('RS_NETLOGGER_WRITE("event", text, "a=%d", i);', ""),
    ('RS_NETLOGGER_WRITE("event", "", text);', ""),
]

C_PROLOGUE = """
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "libagent/include/ringside/netlogger.h"
enum plain { ONE };
struct thing { int value; };
"""

C_PARAMETERS = """(int i, unsigned u, long l, long long ll, size_t z, double d, float f, long double ld,
          char c, short s, bool b, const char* text, char* mutable_text, const wchar_t* wide,
          void* p, int* ip, struct thing thing, enum plain plain)"""
C_USES = """
  (void)i; (void)u; (void)l; (void)ll; (void)z; (void)d; (void)f; (void)ld; (void)c; (void)s;
  (void)b; (void)text; (void)mutable_text; (void)wide; (void)p; (void)ip; (void)thing; (void)plain;
"""

C_GOOD = [
    'RS_INFO("no argument");',
    'RS_INFO("100%%");',
    'RS_INFO("two " "literals %d", i);',
    'RS_INFO("%d %i %u %x %X %o", i, i, u, u, u, u);',
    'RS_INFO("%d %d %d %u", c, s, b, plain);',
    'RS_INFO("%hhd %hd", c, s);',
    'RS_INFO("%ld %lu %lld %llu", l, (unsigned long)l, ll, 1ULL);',
    'RS_INFO("%zu %jd %td", z, (intmax_t)l, (ptrdiff_t)l);',
    'RS_INFO("%f %e %g %a %lf", d, d, d, (double)f, d);',
    'RS_INFO("%Lf", ld);',
    'RS_INFO("%c %lc", c, (wint_t)L\'x\');',
    'RS_INFO("%s %s %s", text, mutable_text, "literal");',
    'char local[8] = "x"; RS_INFO("%s", local);',
    'RS_INFO("%.*s %*d", i, text, i, i);',
    'RS_INFO("%ls", wide);',
    'RS_INFO("%ls", (const wchar_t*)L"wide");',
    'RS_INFO("%p %p", p, (void*)ip);',
    'RS_LOG(RS_LEVEL_ERROR, "%d", i);',
    'RS_TRACE("x"); RS_DEBUG("x"); RS_NOTICE("x"); RS_WARNING("x"); RS_ERROR("x"); RS_CRITICAL("x");',
    'if (b) RS_INFO("then"); else RS_INFO("else");',
    'RS_INFO("%s", __func__);',
    'RS_NETLOGGER_WRITE("event.name", "Const1=3 Const2=Hello", "Var1=%d Var2=%f Var3=%s", i, d, text);',
    'if (b) RS_NETLOGGER_WRITE("event", "a=\\"two words\\"", ""); else RS_INFO("");',
    'rs_netlogger_write(rs_netlogger_open(), text, text, "Var1=%d Var2=%f", i, d);',
]

# gcc and clang word their messages differently: one of a case's phrases must appear.
FORMAT = ("Wformat", "-Werror=format")
C_BAD = [
    ('RS_INFO("%d", l);', FORMAT),
    ('RS_INFO("%d", d);', FORMAT),
    ('RS_INFO("%d", text);', FORMAT),
    ('RS_INFO("%ld", i);', FORMAT),
    ('RS_INFO("%lld", l);', FORMAT),
    ('RS_INFO("%zu", u);', FORMAT),
    ('RS_INFO("%f", i);', FORMAT),
    ('RS_INFO("%Lf", d);', FORMAT),
    ('RS_INFO("%s", i);', FORMAT),
    ('RS_INFO("%s", wide);', FORMAT),
    ('RS_INFO("%ls", text);', FORMAT),
    ('RS_INFO("%c", text);', FORMAT),
    ('RS_INFO("%p", i);', FORMAT),
    ('RS_INFO("%hs", text);', FORMAT),
    ('RS_INFO("%*d", l, i);', FORMAT),
    ('RS_INFO("%d");', FORMAT),
    ('RS_INFO("%d %d", i);', FORMAT),
    ('RS_INFO("%d", i, i);', FORMAT),
    ('RS_INFO("none", i);', FORMAT),
    ('RS_INFO("%y", i);', FORMAT),
    ('RS_INFO("ends in %");', FORMAT),
    ('RS_INFO("%n", ip);', ("_Generic", "compatible")),
    ('RS_INFO("%d", thing);', ("_Generic", "compatible")),
    ('RS_INFO("%d", ip);', ("_Generic", "compatible")),
    ('RS_INFO(text);', ("expected",)),
    ('RS_INFO(text, i);', ("expected",)),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d", d);', FORMAT),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d");', FORMAT),
    ('RS_NETLOGGER_WRITE("event", "", "a=%n", ip);', ("_Generic", "compatible")),
    ('RS_NETLOGGER_WRITE(text, "", "a=%d", i);', ("expected",)),
    ('RS_NETLOGGER_WRITE("event", text, "a=%d", i);', ("expected",)),
    ('RS_NETLOGGER_WRITE("event", "", text);', ("expected",)),
]
