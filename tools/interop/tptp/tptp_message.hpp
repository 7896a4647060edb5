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

// Since 1970, or before.
struct Time {
  bool negative = false;
  std::uint64_t seconds = 0;
  std::uint32_t nanoseconds = 0;

  static Time of_nanoseconds(std::int64_t ns) { return of_ticks(ns, 1'000'000'000); }
  // Truncated. `hz` is not 0.
  static Time of_ticks(std::int64_t ticks, std::uint64_t hz);

  static Time of_unix_ns(std::uint64_t unix_ns) {
    return {false, unix_ns / 1'000'000'000, static_cast<std::uint32_t>(unix_ns % 1'000'000'000)};
  }

  // The nearest that there is.
  std::int64_t nearest_ns() const;
  std::uint64_t nearest_unix_ns() const;
};

// Memory is reused by whoever fills it: one for all messages of a trace.
struct Message {
  const MessageType* type = nullptr;
  std::uint64_t offset = 0;       // in the file
  std::uint32_t bytes = 0;        // in the file, header included; 0: not known
  std::uint32_t extra_bytes = 0;  // behind the attributes

  // By the type's attributes; the others are not touched. Texts are UTF-8.
  std::array<std::int64_t, kMostAttributes> numbers{};
  std::array<std::string_view, kMostAttributes> texts{};
  // Of types with frames, as many of one as of the other.
  std::vector<std::string_view> frame_methods;
  std::vector<std::int64_t> frame_lines;

  Time time;  // of types with one; the number at its place is what the file says, in its unit

  // All attributes at their defaults.
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
  kUnknown,  // passed over: no message of the table has that id, or name
  kBad,      // passed over: its attributes are not what its type says
  kEnd,      // see MessageReader::outcome()
};

// What was passed over.
struct Passed {
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::uint16_t id = 0;
  std::string_view tag;   // of XML
  std::string_view what;  // of kBad: why
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

  // After kUnknown and kBad.
  const Passed& passed() const { return passed_; }
  // After kEnd. Refused: there was no message, and is no trace of this format.
  const ReadOutcome& outcome() const { return outcome_; }

 protected:
  Passed passed_;
  ReadOutcome outcome_;
};

}  // namespace ringside::tool::tptp
