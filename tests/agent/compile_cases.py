"""Statements that must compile, statements that must not, and the compiler's message for each of these."""

CPP_PROLOGUE = """
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iomanip>
#include <string>
#include <string_view>
#include <vector>
#include <memory>
#include "libagent/include/ringside/adapt.hpp"
#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/netlogger.h"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/span.hpp"
#include "libagent/include/ringside/stream.hpp"
#include "libagent/include/ringside/streamed.hpp"
enum Plain { kOne };
enum class Scoped { kOne };
enum class Small : std::uint8_t { kOne };
struct Constants { static const int kNoDefinition = 1; static constexpr int kInline = 2; };
struct [[gnu::packed]] Packed { char first; int value; };
struct Thing { int value; };
enum class Shown { kOne };
std::ostream& operator<<(std::ostream& out, Shown shown);
struct Holder { Thing thing; };
RS_ADAPT(Holder, thing)
struct Point { int x, y; };
RS_ADAPT(Point, x, y)
struct Wide { Point a, b, c, d, e, f, g, h; };
RS_ADAPT(Wide, a, b, c, d, e, f, g, h)
struct Row { Wide a, b, c, d, e, f, g, h; }; RS_ADAPT(Row, a, b, c, d, e, f, g, h)
struct Node { int value; std::unique_ptr<Node> next; };
RS_ADAPT(Node, value, next)
struct Endless { Endless next() const; };
RS_ADAPT(Endless, next())
enum class Remote { kFar = 100'000 };
RS_ENUM_NAMES(Remote, kFar)
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
          [[maybe_unused]] const Point& point, [[maybe_unused]] const Holder& holder, [[maybe_unused]] const Wide& broad, [[maybe_unused]] const Row& row,
          [[maybe_unused]] const Node& node, [[maybe_unused]] const Endless& endless, [[maybe_unused]] const std::vector<std::vector<int>>& rows,
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
    'RS_INFO("%s", u8"text"); RS_FMT(INFO, "{}", u8"text");',
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
    'RS_STREAM(INFO) << "text"; RS_STREAM(WARNING); RS_STREAM(ERROR) << i << u << l << ll << z << j << i128;',
    'RS_STREAM(INFO) << c << s << b << d << f << ld << text << mutable_text << bytes << str << view << path;',
    'RS_STREAM(INFO) << p << ip << nullptr << plain << scoped << small << packed.value << shared << bits.bit;',
    'RS_STREAM(INFO) << Constants::kNoDefinition << (b ? "yes" : "no!") << (b ? "one" : "three");',
    'if (b) RS_STREAM(INFO) << "then"; else RS_STREAM(INFO) << "else";',
    'if (b) RS_STREAM(INFO) << "then";',
    'switch (i) { case 1: RS_STREAM(INFO) << "one"; break; default: RS_STREAM(INFO) << "other"; }',
    'RS_STREAM(INFO) << ringside::streamed(Shown::kOne) << +i << (i & 1);',
    'RS_FMT(INFO, "{}", std::vector<Point>()); RS_EVENT(INFO, "e", std::unique_ptr<Point>());',
    'RS_STREAM(INFO) << point << numbers << small << std::make_unique<int>(i) << std::vector<Point>();',
    'RS_IF(b, RS_STREAM(INFO) << "gate " << i);',
    '[&](auto value) { RS_STREAM(INFO) << "lambda " << value; }(l);',
    'RS_FMT(INFO, "none"); RS_FMT(INFO, "{{}}"); RS_FMT(INFO, "");',
    'RS_FMT(INFO, "{} {} {} {} {} {} {}", i, u, l, ll, z, j, i128);',
    'RS_FMT(INFO, "{} {} {} {} {} {}", c, s, b, d, f, ld);',
    'RS_FMT(INFO, "{} {} {} {} {} {}", text, mutable_text, bytes, str, view, path);',
    'RS_FMT(INFO, "{} {} {} {}", p, ip, nullptr, wide);',
    'RS_FMT(INFO, "{} {} {} {}", plain, scoped, small, bits.bit);',
    'RS_FMT(INFO, "{:*^+#012x} {:.3f} {:>9.2} {:s} {:c} {:d}", i, d, str, b, c, c);',
    'RS_FMT(INFO, "{1} {0:{2}.{2}}", d, text, i);',
    'RS_FMT(INFO, "{user} paid {amount:.2f}", RS_NAMED("user", str), RS_NAMED("amount", d));',
    'RS_FMT(INFO, "{str} {0}", str); RS_FMT(INFO, "{i:d} {d}", RS_ARG(i), RS_ARG( d )); RS_FMT(INFO, "named only", RS_NAMED("a", i), RS_NAMED("b", i));',
    'RS_FMT(INFO, "{n}", RS_NAMED("n", std::pair<int, int>(1, 2).first));',
    'RS_HISTOGRAM("h", d); RS_HISTOGRAM("h", RS_ARG(i), text, RS_NAMED("u", u)); RS_HISTOGRAM("h", b); RS_HISTOGRAM("h", 7); RS_EVERY_N(2, RS_HISTOGRAM("h", f));',
    'RS_FMT_TRACE("x"); RS_FMT_DEBUG("x"); RS_FMT_NOTICE("{}", i); RS_FMT_WARNING("x"); RS_FMT_CRITICAL("x");',
    'RS_INFO("%s %-8s %.3s %d", scoped, small, scoped, scoped);',
    'RS_FMT(INFO, "{} {:>8} {:d} {:#x}", scoped, small, scoped, scoped);',
    'RS_FMT(INFO, "{} {::x} {:n}", numbers, numbers, numbers);',
    'RS_FMT(INFO, "{0} {x} {1:d} {0}", point, RS_NAMED("x", i)); RS_FMT(INFO, "{point}", point);',
    'const int three[3] = {1, 2, 3}; RS_FMT(INFO, "{}", three); RS_INFO("%p", three);',
    'RS_EVENT(INFO, "none"); RS_EVENT(CRITICAL, "two " "literals", i);',
    'RS_EVENT(INFO, "e", RS_ARG(i), RS_NAMED("b", d), str, view, path, text, p, wide, i128, ld);',
    "RS_EVENT(INFO, \"e\", 1, -2L, 0x1FU, 1'000, 1.5F, true, 'c', \"text\", RS_NAMED(\"n\", 5), RS_ARG(6));",
    'RS_EVENT(INFO, "e", scoped, plain, small, Remote::kFar, point, broad, numbers, bits.bit);',
    'if (b) RS_EVENT(INFO, "then"); else RS_EVENT(INFO, "else", i);',
    '[&](auto value) { RS_EVENT(INFO, "e", value); }(point);',
    'RS_NETLOGGER_WRITE("event.name", "Const1=3 Const2=Hello", "Var1=%d Var2=%f Var3=%s", i, d, text);',
    'RS_NETLOGGER_WRITE("two " "literals", "a=\\"two words\\" b=", "");',
    'if (b) RS_NETLOGGER_WRITE("event", "", " a=%lc  b=%-8.3Lf ", wc, ld); else RS_INFO("else");',
]

# C++17 has no lambdas in unevaluated operands.
CPP20_GOOD = [
    'RS_INFO("%d", [i] { return i + 1; }());',
]

INTEGER = "it_takes_an_integer__write_s_for_text_f_for_floating_point_p_for_pointers"
TEXT = "it_takes_text__write_d_for_integers_ls_for_wide_text"
NO_ARGUMENT = "this_conversion_has_no_argument"
NO_CONVERSION = "this_argument_has_no_conversion"
NO_PLACEHOLDER = "this_argument_has_no_placeholder__remove_it_or_name_it_with_RS_NAMED"
SIZE_IS_INT = "the_width_or_precision_takes_an_int"
PRESENTATION = "the_presentation_type_is_for_other_values__remove_it"
SIGN = "a_sign_is_for_signed_numbers__remove_it"
NO_NAME = "it_names_neither_a_position_nor_an_argument__write_two_braces_for_one"
UNSUPPORTED = "Ringside_cannot_record_this_type__list_its_members_with_RS_ADAPT_or_specialise_ringside_Fields"
TOO_MANY_FIELDS = "there_are_more_than_255_fields__each_part_of_an_argument_counts"
UNKNOWN = "there_is_no_such_conversion__write_two_percent_signs_for_one"
LENGTH = "the_conversion_cannot_have_this_length_modifier"
ENDS = "the_format_ends_inside_a_conversion__write_two_percent_signs_for_one"
WRITES = "percent_n_writes_to_memory"
POSITIONAL = "positional_arguments_are_not_supported__pass_them_in_the_order_of_the_text"
PAIR = "must have the form name=value"
CONVERSION = "the value of a NetLogger variable must be exactly one conversion"

class Refusal:
    """What the compiler says of a statement: Refused<Because::..., conversion, byte, argument, type>."""

    def __init__(self, because, conversion, byte, argument, kind=None):
        self.because = because
        self.conversion = conversion
        self.byte = byte
        self.argument = argument
        self.kind = kind  # only if the compilers write it alike


CPP_BAD = [
    ('RS_INFO("%d", d);', Refusal(INTEGER, "d", 0, 1, "double")),
    ('RS_INFO("%hd", l);', Refusal("it_takes_an_integer_of_another_size__change_the_length_modifier", "d", 0, 1)),
    ('RS_INFO("%d", i128);', Refusal("it_takes_no_128_bit_integer__use_RS_FMT", "d", 0, 1, "__int128")),
    ('RS_INFO("%s", plain);', Refusal(TEXT, "s", 0, 1, "Plain")),
    ('RS_INFO("%s", numbers);', Refusal(TEXT, "s", 0, 1)),
    ('RS_INFO("%d", str);', Refusal(INTEGER, "d", 0, 1)),
    ('RS_INFO("%*d", scoped, i);', Refusal(SIZE_IS_INT, "*", 0, 1, "Scoped")),
    ('RS_INFO("%d", text);', Refusal(INTEGER, "d", 0, 1, "const char*")),
    ('RS_INFO("%d", p);', Refusal(INTEGER, "d", 0, 1, "void*")),
    ('RS_INFO("%f", i);', Refusal("it_takes_a_double__write_d_for_integers", "f", 0, 1, "int")),
    ('RS_INFO("%f", ld);', Refusal("it_takes_a_double__write_L_for_a_long_double", "f", 0, 1, "long double")),
    ('RS_INFO("%Lf", d);', Refusal("it_takes_a_long_double__remove_the_L", "f", 0, 1, "double")),
    ('RS_INFO("%s", i);', Refusal(TEXT, "s", 0, 1, "int")),
    ('RS_INFO("%s", c);', Refusal(TEXT, "s", 0, 1, "char")),
    ('RS_INFO("%s", p);', Refusal(TEXT, "s", 0, 1, "void*")),
    ('RS_INFO("%s", nullptr);', Refusal(TEXT, "s", 0, 1, "std::nullptr_t")),
    ('RS_INFO("%s", wide);', Refusal(TEXT, "s", 0, 1, "const wchar_t*")),
    ('RS_INFO("%ls", text);', Refusal("it_takes_wide_text__write_s_for_other_text", "s", 0, 1, "const char*")),
    ('RS_INFO("%c", l);', Refusal("it_takes_a_character_or_an_int", "c", 0, 1)),
    ('RS_INFO("%c", text);', Refusal("it_takes_a_character_or_an_int", "c", 0, 1, "const char*")),
    ('RS_INFO("%p", i);', Refusal("it_takes_a_pointer", "p", 0, 1, "int")),
    ('RS_INFO("%p", str);', Refusal("it_takes_a_pointer", "p", 0, 1)),
    ('RS_INFO("%d", thing);', Refusal(INTEGER, "d", 0, 1, "Thing")),
    ('RS_INFO("%*d", l, i);', Refusal(SIZE_IS_INT, "*", 0, 1)),
    ('RS_INFO("%.*s", z, text);', Refusal(SIZE_IS_INT, "*", 0, 1)),
    ('RS_FMT(INFO, "{");', Refusal(NO_NAME, "", 1, 0, "void")),
    ('RS_FMT(INFO, "}", i);', Refusal("a_brace_is_not_opened__write_two_for_one", "", 0, 0, "void")),
    ('RS_FMT(INFO, "{", i);', Refusal(NO_NAME, "", 1, 0, "void")),
    ('RS_FMT(INFO, "{:d", i);', Refusal("a_brace_is_not_closed__write_two_for_one", "", 3, 0, "void")),
    ('RS_FMT(INFO, "{}");', Refusal("this_placeholder_has_no_argument", "", 0, 1, "void")),
    ('RS_FMT(INFO, "{} {}", i);', Refusal("this_placeholder_has_no_argument", "", 3, 2, "void")),
    ('RS_FMT(INFO, "{}", i, u);', Refusal(NO_PLACEHOLDER, "", 0, 2, "unsigned int")),
    ('RS_FMT(INFO, "{2}", i, u);', Refusal("this_placeholder_has_no_argument", "", 0, 3, "void")),
    ('RS_FMT(INFO, "{} {0}", i);', Refusal("positions_and_automatic_numbers_are_mixed__write_one_of_them", "", 4, 0, "void")),
    ('RS_FMT(INFO, "{user}", i);', Refusal("no_argument_has_this_name__write_RS_NAMED", "", 0, 0, "void")),
    ('RS_FMT(INFO, "{:y}", i);', Refusal("the_specification_is_invalid", "", 2, 0, "void")),
    ('RS_FMT(INFO, "{:s}", i);', Refusal(PRESENTATION, "s", 0, 1, "int")),
    ('RS_FMT(INFO, "{:d}", d);', Refusal(PRESENTATION, "d", 0, 1, "double")),
    ('RS_FMT(INFO, "{:x}", str);', Refusal(PRESENTATION, "x", 0, 1)),
    ('RS_FMT(INFO, "{:f}", text);', Refusal(PRESENTATION, "f", 0, 1, "const char*")),
    ('RS_FMT(INFO, "{:+}", u);', Refusal(SIGN, "", 0, 1, "unsigned int")),
    ('RS_FMT(INFO, "{:+}", str);', Refusal(SIGN, "", 0, 1)),
    ('RS_FMT(INFO, "{:#}", text);', Refusal("alternate_form_and_zeros_are_for_numbers__remove_them", "", 0, 1, "const char*")),
    ('RS_FMT(INFO, "{:.3}", i);', Refusal("a_precision_is_for_text_and_floating_point__remove_it", "", 0, 1, "int")),
    ('RS_FMT(INFO, "{:.}", d);', Refusal("the_precision_is_missing_after_the_point", "", 3, 0, "void")),
    ('RS_FMT(INFO, "{:{}}", i, d);', Refusal("the_width_or_precision_takes_an_integer", "", 0, 2, "double")),
    ('RS_FMT(INFO, "{:5000}", i);', Refusal("the_width_or_precision_exceeds_4095", "", 2, 0, "void")),
    ('RS_FMT(INFO, "{:{<9}", i);', Refusal("a_brace_cannot_be_a_fill_character", "", 2, 0, "void")),
    ('RS_FMT(INFO, "{}", thing);', Refusal(UNSUPPORTED, "", 0, 1, "Thing")),
    ('RS_FMT(INFO, "{} {}", i, holder);', Refusal(UNSUPPORTED, "", 0, 2, "Holder")),
    ('RS_FMT(INFO, "{}", std::unique_ptr<Thing>());', Refusal(UNSUPPORTED, "", 0, 1)),
    ('RS_FMT(INFO, "{:>8}", point);', Refusal("a_value_with_parts_takes_no_specification__remove_it", "", 0, 1, "Point")),
    ('RS_FMT(INFO, "{:{}}", i, point);', Refusal("the_width_or_precision_takes_an_integer", "", 0, 2, "Point")),
    ('RS_FMT(INFO, "{:>8}", numbers);',
     Refusal("the_specification_of_an_array_is_invalid__write_two_colons_before_that_of_its_elements", "", 2, 0, "void")),
    ('RS_FMT(INFO, "{} {}", row, row);', Refusal(TOO_MANY_FIELDS, "", 0, 0, "void")),
    ('RS_FMT(INFO, "' + "{0}" * 5 + '", row);', Refusal("there_are_more_than_512_placeholders", "", 12, 1, "Row")),
    ('RS_EVENT(INFO, "e", thing);', Refusal(UNSUPPORTED, "", 0, 1, "Thing")),
    ('RS_EVENT(INFO, "e", i, holder);', Refusal(UNSUPPORTED, "", 0, 2, "Holder")),
    ('RS_EVENT(INFO, "e", node);', Refusal(UNSUPPORTED, "", 0, 1, "Node")),
    ('RS_EVENT(INFO, "e", rows);', Refusal(UNSUPPORTED, "", 0, 1)),
    ('RS_EVENT(INFO, "e", std::make_unique<int[]>(3));', Refusal(UNSUPPORTED, "", 0, 1)),
    ('RS_EVENT(INFO, "e", endless);', Refusal("its_parts_are_nested_deeper_than_8_levels", "", 0, 0)),
    ('RS_EVENT(INFO, "e", row, row);', Refusal(TOO_MANY_FIELDS, "", 0, 0, "void")),
    ('RS_EVENT(INFO, "", i);', Refusal("an_event_needs_a_name", "", 0, 0, "void")),
    ('RS_HISTOGRAM("h", text);', Refusal("the_first_value_of_a_histogram_is_its_sample__a_number", "", 0, 1)),
    ('RS_EVENT(INFO, text, i);', ""),
    ('RS_EVENT(INFO);', ""),
    ('RS_FMT(INFO, "a\\0b");', Refusal("the_format_contains_a_NUL_character", "", 1, 0, "void")),
    ('RS_INFO("%d");', Refusal(NO_ARGUMENT, "d", 0, 1, "void")),
    ('RS_INFO("%d %d", i);', Refusal(NO_ARGUMENT, "d", 3, 2, "void")),
    ('RS_INFO("%d", i, i);', Refusal(NO_CONVERSION, "", 0, 2, "int")),
    ('RS_INFO("none", i);', Refusal(NO_CONVERSION, "", 0, 1, "int")),
    ('RS_INFO("%*d", i);', Refusal(NO_ARGUMENT, "d", 0, 2, "void")),
    ('RS_INFO("100%%", i);', Refusal(NO_CONVERSION, "", 0, 1, "int")),
    ('RS_INFO("%n", &i);', Refusal(WRITES, "n", 0, 0, "void")),
    ('RS_INFO("%hhn", &i);', Refusal(WRITES, "n", 0, 0, "void")),
    ('RS_INFO("%m");', Refusal("percent_m_is_not_supported__pass_strerror_of_errno_to_percent_s", "m", 0, 0, "void")),
    ('RS_INFO("%1$d", i);', Refusal(POSITIONAL, "", 0, 0, "void")),
    ('RS_INFO("%*1$d", i, i);', Refusal(POSITIONAL, "", 0, 0, "void")),
    ('RS_INFO("%y", i);', Refusal(UNKNOWN, "y", 0, 0, "void")),
    ('RS_INFO("%-%d", i);', Refusal(UNKNOWN, "%", 0, 0, "void")),
    ('RS_INFO("%hs", text);', Refusal(LENGTH, "s", 0, 0, "void")),
    ('RS_INFO("%lp", p);', Refusal(LENGTH, "p", 0, 0, "void")),
    ('RS_INFO("%Ld", ll);', Refusal(LENGTH, "d", 0, 0, "void")),
    ('RS_INFO("%hf", d);', Refusal(LENGTH, "f", 0, 0, "void")),
    ('RS_INFO("ends in %", i);', Refusal(ENDS, "", 8, 0, "void")),
    ('RS_INFO("ends in %l", i);', Refusal(ENDS, "", 8, 0, "void")),
    ('RS_INFO("%5000d", i);', Refusal("the_width_exceeds_4095", "", 0, 0, "void")),
    ('RS_INFO("%.5000d", i);', Refusal("the_precision_exceeds_4095", "d", 0, 0, "void")),
    ('RS_INFO("' + "%d" * 256 + '"' + ", i" * 256 + ");", Refusal("there_are_more_than_255_arguments__each_star_counts", "d", 510, 0, "void")),
    ('RS_STREAM(INFO) << "x" << thing;', "cannot record an operand of this type"),
    ('RS_STREAM(INFO) << holder << "x";', "cannot record an operand of this type"),
    ('RS_STREAM(INFO) << endless;', "cannot record an operand of this type"),
    ('RS_STREAM(INFO) << Shown::kOne;', "cannot record an operand of this type"),
    ('RS_STREAM(INFO) << wc;', "cannot record an operand of this type"),
    ('RS_STREAM(INFO) << i << std::endl;', "takes neither manipulators nor functions"),
    ('RS_STREAM(INFO) << std::setw(8) << i;', "takes neither manipulators nor functions"),
    ('RS_STREAM(INFO) << std::hex << i;', "takes neither manipulators nor functions"),
    ('RS_INFO(text);', ""),
    ('RS_INFO(text, i);', ""),
    ('RS_INFO(str.c_str());', ""),
    ('static const char kFormat[] = "%d"; RS_INFO(kFormat, i);', ""),
    ('RS_INFO();', ""),
    ('RS_INFO(L"%d", i);', ""),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d", d);', Refusal(INTEGER, "d", 2, 1, "double")),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d");', Refusal(NO_ARGUMENT, "d", 2, 1, "void")),
    ('RS_NETLOGGER_WRITE("event", "", "a=%n", &i);', Refusal(WRITES, "n", 2, 0, "void")),
    ('RS_NETLOGGER_WRITE("event", "", "a=%");', Refusal(ENDS, "", 2, 0, "void")),
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
    ('RS_NETLOGGER_WRITE("event", "' + "a=1 " * 256 + '", "");', "more than 255 constants"),
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
enum __attribute__((packed)) small { TWO };
struct bits {
  unsigned type : 3;
  int offset : 5;
  bool is_set : 1;
  unsigned char octet : 4;
  unsigned word : 32;
  enum plain plain : 2;
  const char* name;
};
"""

C_PARAMETERS = """(int i, unsigned u, long l, long long ll, size_t z, double d, float f, long double ld,
          char c, short s, bool b, const char* text, char* mutable_text, const wchar_t* wide,
          void* p, int* ip, struct thing thing, enum plain plain, struct bits* bits, enum small small)"""
C_USES = """
  (void)i; (void)u; (void)l; (void)ll; (void)z; (void)d; (void)f; (void)ld; (void)c; (void)s;
  (void)b; (void)text; (void)mutable_text; (void)wide; (void)p; (void)ip; (void)thing; (void)plain;
  (void)bits; (void)small;
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
    'RS_INFO("%u %d %d %u", bits->type, bits->offset, bits->is_set, bits->octet);',
    'RS_INFO("%u %x %d %u %s", bits->word, bits->type, small, bits->plain, bits->name);',
    'RS_INFO("%s %p %p", bits ? "set" : "null", (void*)bits, NULL);',
    'const volatile int unstable = i; RS_INFO("%d", unstable);',
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
    ('RS_INFO("' + "%d" * 256 + '"' + ", i" * 256 + ");", ("more than 255 arguments in one statement",)),
    ('RS_INFO("' + "%d" * 287 + '"' + ", i" * 287 + ");", ("more than 255 arguments in one statement",)),
    ('RS_INFO("%y", i);', FORMAT),
    ('RS_INFO("ends in %");', FORMAT),
    ('RS_INFO("%n", ip);', ("_Generic", "compatible")),
    *((f'RS_INFO("%d", {name});', ("_Generic", "compatible")) for name in ("thing", "ip")),
    *((f"RS_INFO({arguments});", ("expected",)) for arguments in ("text", "text, i")),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d", d);', FORMAT),
    ('RS_NETLOGGER_WRITE("event", "", "a=%d");', FORMAT),
    ('RS_NETLOGGER_WRITE("event", "", "a=%n", ip);', ("_Generic", "compatible")),
    ('RS_NETLOGGER_WRITE(text, "", "a=%d", i);', ("expected",)),
    ('RS_NETLOGGER_WRITE("event", text, "a=%d", i);', ("expected",)),
    ('RS_NETLOGGER_WRITE("event", "", text);', ("expected",)),
]
