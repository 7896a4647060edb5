// Arguments that a service should not pass, in each style: the record has a defined content, and
// the records beside it are unaffected. The texts without an end are at the end of a page that no
// other follows, so that a byte too many ends the process.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>
#include <wchar.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "libagent/include/ringside/adapt.hpp"
#include "libagent/include/ringside/event.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/stream.hpp"
#include "tests/agent/c_statements.h"
#include "tests/agent/process_test.hpp"
#include "tests/agent/segment_reader.hpp"

namespace ringside::test {
namespace {

using Values = std::vector<std::string>;

// The values that `log` records, between two other records.
Values recorded(const std::function<void()>& log) {
  const std::string text = "a text";
  RS_INFO("before %d %s", 1, text);
  log();
  RS_FMT(INFO, "after {} {}", text, 2);
  const std::vector<Record> data = own_segment().data(own_segment().my_ring());
  EXPECT_GE(data.size(), 3U);
  if (data.size() < 3) return {};
  EXPECT_EQ(data[data.size() - 3].values, (Values{"i32 1", "string a text"}));
  EXPECT_EQ(data.back().values, (Values{"string a text", "i32 2"}));
  return data[data.size() - 2].values;
}

// Memory that ends with a page.
template <class T>
class AtPageEnd {
 public:
  AtPageEnd() : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    void* const pages =
        mmap(nullptr, 2 * page_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || munmap(static_cast<char*>(pages) + page_, page_) != 0) std::abort();
    pages_ = static_cast<char*>(pages);
    value_ = new (pages_ + page_ - sizeof(T)) T{};
  }
  ~AtPageEnd() { munmap(pages_, page_); }
  AtPageEnd(const AtPageEnd&) = delete;
  AtPageEnd& operator=(const AtPageEnd&) = delete;

  T& operator*() const { return *value_; }

 private:
  std::size_t page_;
  char* pages_;
  T* value_;
};

struct Label {
  char text[4];
};
RS_ADAPT(Label, text)
struct Rows {
  char texts[2][3];
};
RS_ADAPT(Rows, texts)

enum class Side : std::uint8_t { buy = 1 };
enum class Wide : std::uint64_t { one = 1 };

// A view that claims bytes at no address.
struct Faulty {
  using traits_type = void;
  static const char* data() { return nullptr; }
  static std::size_t size() { return 5; }
};

PROCESS_TEST(BadInput, NullPointers) {
  const char* volatile unknown = nullptr;
  const char* const text = unknown;
  const wchar_t* const wide = nullptr;
  EXPECT_EQ(recorded([&] { RS_INFO("%s %.3s %ls %p", text, text, wide, nullptr); }),
            (Values{"string (null)", "string ", "string (null)", "pointer 0"}));
  EXPECT_EQ(recorded([&] { RS_FMT(INFO, "{} {}", text, Faulty()); }),
            (Values{"string (null)", "string "}));
  const char* const texts[] = {text, "x"};
  EXPECT_EQ(recorded([&] {
              RS_EVENT(INFO, "null", text, wide, texts, std::unique_ptr<int>(),
                       std::unique_ptr<Label>(), std::span<const std::byte>());
            }),
            (Values{"string (null)", "string (null)", "[string (null), string x]", "[]", "[]",
                    "bytes "}));
  EXPECT_EQ(recorded([&] { RS_STREAM(INFO) << text << Faulty() << nullptr; }),
            (Values{"string (null)", "string ", "pointer 0"}));
  EXPECT_EQ(recorded([&] { c_log_null(text); }),
            (Values{"string (null)", "string ", "string (null)"}));
}

PROCESS_TEST(BadInput, TextsWithoutAnEnd) {
  const AtPageEnd<Label> label;
  std::memcpy((*label).text, "abcd", 4);
  const char* const text = (*label).text;
  const AtPageEnd<std::array<wchar_t, 2>> wide;
  *wide = {L'x', L'y'};
  EXPECT_EQ(recorded([&] { RS_INFO("%.4s %.*s %.2ls", text, 2, text, (*wide).data()); }),
            (Values{"string abcd", "i32 2", "string ab", "string xy"}));
  const std::string_view view(text, 4);
  EXPECT_EQ(recorded([&] { RS_FMT(INFO, "{} {}", view, *label); }),
            (Values{"string abcd", "string abcd"}));
  const AtPageEnd<Rows> rows;
  std::memcpy(&*rows, "abcdef", 6);
  EXPECT_EQ(recorded([&] {
              RS_EVENT(INFO, "no end", *label, *rows, std::span(&*label, 1),
                       std::as_bytes(std::span(text, 4)));
            }),
            (Values{"string abcd", "[string abc, string def]", "[string abcd]", "bytes abcd"}));
  EXPECT_EQ(recorded([&] { RS_STREAM(INFO) << (*label).text << view; }),
            (Values{"string abcd", "string abcd"}));
  EXPECT_EQ(recorded([&] { c_log_texts_without_end(text + 1); }),
            (Values{"string bcd", "i32 2", "string bc"}));
}

// Stored as they are: the tools show the bytes.
PROCESS_TEST(BadInput, InvalidUtf8) {
  const std::string text = "\xff\xc0\x80 \xed\xa0\x80 \xf4\x90";
  const std::string stored = "string " + text;
  // Not code points: one above all, and half of a pair.
  const wchar_t wide[] = {static_cast<wchar_t>(0x110000), static_cast<wchar_t>(0xD800), 0};
  EXPECT_EQ(recorded([&] { RS_INFO("%s %ls %lc", text, &wide[0], wint_t{0xDFFF}); }),
            (Values{stored, "string \xef\xbf\xbd\xef\xbf\xbd", "string \xef\xbf\xbd"}));
  EXPECT_EQ(recorded([&] { RS_FMT(INFO, "{}", text); }), (Values{stored}));
  EXPECT_EQ(recorded([&] { RS_EVENT(INFO, "invalid", text, std::vector{text}); }),
            (Values{stored, "[" + stored + "]"}));
  EXPECT_EQ(recorded([&] { RS_STREAM(INFO) << text; }), (Values{stored}));
  EXPECT_EQ(recorded([&] { c_log_text(text.c_str()); }), (Values{stored}));
}

PROCESS_TEST(BadInput, EnumeratorsWithoutAName) {
  const auto side = static_cast<Side>(77);
  const auto wide = static_cast<Wide>(UINT64_MAX);
  EXPECT_EQ(recorded([&] { RS_INFO("%s %d", side, side); }), (Values{"enum 77", "i32 77"}));
  EXPECT_EQ(recorded([&] { RS_FMT(INFO, "{}", side); }), (Values{"enum 77"}));
  EXPECT_EQ(recorded([&] { RS_EVENT(INFO, "unnamed", side, std::array{side}); }),
            (Values{"enum 77", "[u8 77]"}));
  EXPECT_EQ(recorded([&] { RS_FMT(INFO, "{}", wide); }), (Values{"enum -1"}));
}

// The compiler refuses one level, and one field, more: compile_cases.py.
PROCESS_TEST(BadInput, TheDeepestNestingAndTheMostFields) {
  const auto nested = [](auto value) { return std::pair(1, value); };
  const auto deep = nested(nested(nested(nested(nested(nested(nested(nested(2))))))));
  EXPECT_EQ(
      recorded([&] { RS_EVENT(INFO, "deep", deep); }),
      (Values{"i32 1", "i32 1", "i32 1", "i32 1", "i32 1", "i32 1", "i32 1", "i32 1", "i32 2"}));
  const auto eight = std::pair(nested(nested(nested(4))), nested(nested(nested(5))));
  const std::pair thirty_two(std::pair(eight, eight), std::pair(eight, eight));
  EXPECT_EQ(recorded([&] { RS_FMT(INFO, "{}", thirty_two); }).size(), 32U);
  EXPECT_EQ(recorded([&] { RS_EVENT(INFO, "most", thirty_two); }).size(), 32U);
  EXPECT_EQ(recorded(c_log_thirty_two).size(), 32U);
}

}  // namespace
}  // namespace ringside::test
