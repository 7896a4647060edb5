#pragma once
// consumerd's own messages: one line each on standard error, as text or JSON. A message that
// standard error does not take at once is suppressed and counted.

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <string_view>
#include <unistd.h>

#include "consumerd/log/journal.hpp"
#include "consumerd/log/message_output.hpp"

namespace ringside::consumer {

enum class LogFormat { kText, kJson };

// What a message is about, for searching: {"segment", name}. The text says it too.
struct LogField {
  std::string_view name;
  std::string_view value;
};
using LogFields = std::initializer_list<LogField>;

class Log {
 public:
  explicit Log(bool verbose = false, LogFormat format = LogFormat::kText, int fd = STDERR_FILENO)
      : verbose_(verbose), format_(format), in_journal_(leads_to_journal(fd)), output_(fd) {}

  // A problem that needs an operator.
  void error(std::string_view text, LogFields fields = {}) const;
  // An event, logged once when it happens.
  void notice(std::string_view text, LogFields fields = {}) const;
  // With --verbose only.
  void detail(std::string_view text, LogFields fields = {}) const;

  // Reports how many messages were suppressed, if there are any and standard error takes messages
  // again. The next message does so too.
  void report_suppressed() const;

 private:
  void write_line(std::string_view level, std::string_view text, LogFields fields) const;
  std::string line_of(std::string_view level, std::string_view text, LogFields fields) const;
  bool write_suppressed() const;

  bool verbose_;
  LogFormat format_;
  bool in_journal_;           // which takes the level from the beginning of a line
  mutable std::mutex mutex_;  // for output_, which several threads use
  mutable MessageOutput output_;
  mutable std::atomic<std::uint64_t> suppressed_{0};  // since the last report
};

// Untrusted text in a form that a terminal cannot interpret: each byte that is not printable ASCII
// becomes \x and two hexadecimal digits.
std::string shown(std::string_view text);

// strerror of an errno value.
std::string error_text(int error);

}  // namespace ringside::consumer
