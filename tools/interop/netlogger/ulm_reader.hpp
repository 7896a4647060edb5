#pragma once
// The lines of a text of Universal Logger Messages.
//
//   DATE=20010627231045.123456 HOST=dpss1 PROG=ftp LVL=ERROR NL.EVNT=send SIZE=49332 TEXT="two
//   words"
//
// Words NAME=VALUE between blanks. In a value in quotes, \" \\ \n \r \xHH stand for one character;
// elsewhere a backslash is literal. DATE is UTC, with any number of digits of the second.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/netlogger/netlogger_fields.hpp"
#include "tools/interop/netlogger/ulm_date.hpp"
#include "tools/interop/read_outcome.hpp"

namespace ringside::tool::ulm {

inline constexpr std::string_view kDateName = "DATE";
// The nanoseconds that do not fit the six digits of DATE: 1 to 999.
inline constexpr std::string_view kNanosecondsName = "ringside.ns";

// Whether a field of this name describes the statement or its process and has no other use.
bool is_statement_name(std::string_view name);

struct Line {
  std::uint64_t offset = 0;
  std::size_t length = 0;  // with its line end
  std::optional<std::int64_t> unix_ns;
  // In their order, without the time; is_constant is the result of is_statement_name().
  std::vector<netlogger::FieldValue> fields;
};

enum class Step : std::uint8_t {
  kEvent,
  kBad,  // not ULM: why(). The caller skips it
  kCut,  // the last line, without a line end
  kEnd,
};

// Skips lines without words. Memory: the longest line, at most 8 MiB.
class Reader {
 public:
  static constexpr std::size_t kMostLineBytes = std::size_t{8} << 20;
  static constexpr std::size_t kMostWords = 4096;

  explicit Reader(InputBytes& input) : input_(input) {}

  // References in `line` are valid until the next call.
  Step next(Line& line);
  const char* why() const { return why_; }
  std::uint64_t events() const { return events_; }
  std::uint64_t bad() const { return bad_; }
  // The result, once next() has returned kCut or kEnd: a refusal if there were lines and none was
  // ULM.
  ReadOutcome outcome() const;

 private:
  Step take(Line& line);
  Step skip_long_line(Line& line);
  bool parse(std::string_view text, Line& line);
  bool add(std::string_view name, std::string_view value, bool is_quoted, Line& line);
  std::string_view unescaped(std::string_view value);
  bool fail(const char* why) {
    why_ = why;
    return false;
  }

  InputBytes& input_;
  const char* why_ = "";
  std::uint64_t events_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t first_bad_ = 0;  // offset of the first bad line
  const char* first_why_ = "";
  std::optional<std::uint64_t> cut_;
  std::size_t line_bytes_ = 0;
  std::string texts_;             // texts of a line that had backslashes
  std::int64_t nanoseconds_ = 0;  // of kNanosecondsName
  DateReader dates_;
};

}  // namespace ringside::tool::ulm
