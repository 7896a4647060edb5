// A service that reads from its standard input what to record: "HEX N" are N spans of the activity
// HEX, "- N" N records, "! N" N warnings. It prints a line after each, and ends with its input.
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "libagent/include/ringside/activity.hpp"
#include "libagent/include/ringside/ringside.hpp"
#include "libagent/include/ringside/span.hpp"

namespace {

ringside::ActivityId id_of(const std::string& digits) {
  constexpr int kBase = 16;
  ringside::ActivityId id{};
  for (std::size_t i = 0; i < id.size(); ++i)
    id[i] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, kBase));
  return id;
}

}  // namespace

int main() {
  std::array<char, 64> word{};
  unsigned count = 0;
  unsigned number = 0;
  while (std::scanf("%63s %u", word.data(), &count) == 2) {
    for (unsigned i = 0; i < count; ++i, ++number) {
      if (word[0] == '!') {
        RS_WARNING("warning %u of the service", number);
        continue;
      }
      if (word[0] == '-') {
        RS_INFO("record %u of the service", number);
        continue;
      }
      const ringside::Activity activity(id_of(word.data()));
      RS_SPAN("serve", RS_ARG(number));
    }
    std::puts("done");
    std::fflush(stdout);
  }
  return 0;
}
