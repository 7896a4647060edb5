// A service whose statements have gates, categories and keywords. For each line on standard input
// it executes each of them once, with the number of the line, and answers "done".

#include <cstdio>

#define RS_CATEGORY "net"
#include <ringside/format.hpp>
#include <ringside/ringside.hpp>

namespace {

constexpr unsigned kIo = 1;
constexpr unsigned kSlow = 2;

void execute(int number) {
  RS_INFO("packet %d", number);
  RS_WITH_KEYWORDS(kIo, RS_WARNING("slow read %d", number));
  RS_WITH_CATEGORY("orders", RS_WITH_KEYWORDS(kIo | kSlow, RS_FMT(INFO, "order {}", number)));
  RS_WITH_CATEGORY("orders", RS_EVERY_N(4, RS_INFO("every fourth %d", number)));
  RS_FIRST_N(2, RS_FMT(INFO, "first two {}", number));
  RS_ONCE(RS_INFO("once %d", number));
  RS_EVERY_MS(86'400'000, RS_INFO("once a day %d", number));
  RS_IF(number % 5 == 0, RS_INFO("fifth %d", number));
}

}  // namespace

int main() {
  ringside::init();
  std::puts("ready");
  std::fflush(stdout);
  char line[64] = {};
  for (int number = 0; std::fgets(line, sizeof line, stdin) != nullptr; ++number) {
    execute(number);
    std::puts("done");
    std::fflush(stdout);
  }
  return 0;
}
