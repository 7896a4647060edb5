#pragma once
// consumerd's own messages: one line each on standard error.

#include <string>
#include <string_view>

namespace ringside::consumer {

class Log {
 public:
  explicit Log(bool verbose = false) : verbose_(verbose) {}

  void error(std::string_view text) const;   // something is wrong and needs somebody
  void notice(std::string_view text) const;  // said once, when it happens
  void detail(std::string_view text) const;  // with --verbose only

 private:
  bool verbose_;
};

// strerror of an errno value.
std::string error_text(int error);

}  // namespace ringside::consumer
