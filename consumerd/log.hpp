#pragma once
// consumerd's own messages: one line each on standard error, of text or of JSON.

#include <initializer_list>
#include <string>
#include <string_view>

namespace ringside::consumer {

enum class LogFormat { kText, kJson };

// What a message is about, for those who search by it: {"segment", name}. The text says it, too.
struct LogField {
  std::string_view name;
  std::string_view value;
};
using LogFields = std::initializer_list<LogField>;

class Log {
 public:
  explicit Log(bool verbose = false, LogFormat format = LogFormat::kText)
      : verbose_(verbose), format_(format) {}

  // Something is wrong and needs somebody.
  void error(std::string_view text, LogFields fields = {}) const;
  // Said once, when it happens.
  void notice(std::string_view text, LogFields fields = {}) const;
  // With --verbose only.
  void detail(std::string_view text, LogFields fields = {}) const;

 private:
  void write_line(std::string_view level, std::string_view text, LogFields fields) const;

  bool verbose_;
  LogFormat format_;
};

// Text from others as a terminal shows it and does not obey it: each byte that is not printable
// ASCII as \x and two hexadecimal digits.
std::string shown(std::string_view text);

// strerror of an errno value.
std::string error_text(int error);

}  // namespace ringside::consumer
