#pragma once
// A message of the TPTP format, of either form.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/read_outcome.hpp"
#include "tools/interop/tptp/tptp_message_table.hpp"

namespace ringside::tool::tptp {

// Relative to 1970; can be negative.
struct Time {
  bool negative = false;
  std::uint64_t seconds = 0;
  std::uint32_t nanoseconds = 0;

  static Time of_nanoseconds(std::int64_t ns) { return of_ticks(ns, 1'000'000'000); }
  // Truncated. `hz` must not be 0.
  static Time of_ticks(std::int64_t ticks, std::uint64_t hz);

  static Time of_unix_ns(std::uint64_t unix_ns) {
    return {false, unix_ns / 1'000'000'000, static_cast<std::uint32_t>(unix_ns % 1'000'000'000)};
  }

  // The nearest representable value.
  std::int64_t nearest_ns() const;
  std::uint64_t nearest_unix_ns() const;
};

// Memory is reused: use one object for all messages of a trace.
struct Message {
  const MessageType* type = nullptr;
  std::uint64_t offset = 0;       // in the file
  std::uint32_t bytes = 0;        // in the file, header included; 0: unknown
  std::uint32_t extra_bytes = 0;  // after the attributes

  // By the type's attributes; the others are not changed. Texts are UTF-8.
  std::array<std::int64_t, kMostAttributes> numbers{};
  std::array<std::string_view, kMostAttributes> texts{};
  // For types with frames; both have the same number of elements.
  std::vector<std::string_view> frame_methods;
  std::vector<std::int64_t> frame_lines;

  Time time;  // for types with a time; the number in its place is the file's number, in the file's
              // unit

  // Sets all attributes to their defaults.
  void start(const MessageType& of_type) {
    type = &of_type;
    offset = 0;
    bytes = extra_bytes = 0;
    numbers.fill(0);
    texts.fill({});
    frame_methods.clear();
    frame_lines.clear();
    time = {};
  }
  // In nanoseconds, if the type has a time.
  void set_time(std::uint64_t unix_ns) {
    if (type->time == MessageType::kNone) return;
    time = Time::of_unix_ns(unix_ns);
    numbers[type->time] = time.nearest_ns();
  }
};

enum class Step : std::uint8_t {
  kMessage,
  kUnknown,  // skipped: no message of the table has that id or name
  kBad,      // skipped: its attributes do not match its type
  kEnd,      // see MessageReader::outcome()
};

// A message that was skipped.
struct Passed {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint16_t id = 0;
  std::string_view tag;   // of XML
  std::string_view what;  // for kBad: the reason
};

// Reads a trace of one form from front to back.
class MessageReader {
 public:
  MessageReader() = default;
  virtual ~MessageReader() = default;
  MessageReader(const MessageReader&) = delete;
  MessageReader& operator=(const MessageReader&) = delete;

  // `message` is valid until the next call.
  virtual Step next(Message& message) = 0;

  // Valid after kUnknown and kBad.
  const Passed& passed() const { return passed_; }
  // Valid after kEnd. Refused: there was no message, so it is not a trace of this format.
  const ReadOutcome& outcome() const { return outcome_; }

 protected:
  Passed passed_;
  ReadOutcome outcome_;
};

}  // namespace ringside::tool::tptp
