// A service that logs on request, line by line on standard input, so that a test knows the effect
// of every switch:
//
//     tick N    each of the statements below except the rare one, with the number N
//     rare N    a statement that has not run before
//     level L   set_level(L) of the service itself
//     skip N    a statement suppresses N executions
//     flush     flush()
//     durable N prints the result of flush_durable(N ms), and of rs_flush_durable(N)
//     rotate N  prints the result of rotate(N ms), and of rs_rotate(N)
//     get       prints the level in force
//
// It answers each line with "done" once its log calls have returned.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <ringside/ringside.h>

namespace {

void take_order(int number) {
  RS_INFO("order %d taken", number);
}

void look_after(int number) {
  RS_TRACE("pulse %d", number);
  RS_DEBUG("state of order %d checked", number);
  RS_WARNING("order %d is late", number);
  RS_LOG_CONSUMER_CLOCK(RS_LEVEL_NOTICE, "cheap note %d", number);
}

void settle(int number) {
  RS_ERROR("order %d needs a rare repair", number);
}

void skip(int number) {
  static rs_site site = [] {
    rs_site gated{};
    gated.state = &rs_initial_switch;
    gated.format = "a rare order";
    gated.file = __FILE__;
    gated.function = "skip";
    gated.arguments = "";
    gated.level = RS_LEVEL_INFO;
    gated.line = 100'000;
    return gated;
  }();
  rs_count_suppressed(&site, static_cast<std::uint64_t>(number));
}

}  // namespace

int main() {
  ringside::init();
  char line[64] = {};
  std::puts("ready");
  std::fflush(stdout);
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    const char* const blank = std::strchr(line, ' ');
    const int number = blank != nullptr ? std::atoi(blank) : 0;
    if (std::strncmp(line, "tick", 4) == 0) {
      take_order(number);
      look_after(number);
    } else if (std::strncmp(line, "rare", 4) == 0) {
      settle(number);
    } else if (std::strncmp(line, "skip", 4) == 0) {
      skip(number);
    } else if (std::strncmp(line, "level", 5) == 0) {
      ringside::set_level(static_cast<ringside::Level>(number));
    } else if (std::strncmp(line, "flush", 5) == 0) {
      if (!ringside::flush(std::chrono::seconds(60))) return 3;
    } else if (std::strncmp(line, "durable", 7) == 0) {
      const bool first = ringside::flush_durable(std::chrono::milliseconds(number));
      const int second = rs_flush_durable(static_cast<std::uint64_t>(number));
      std::printf("durable %d %d\n", first ? 1 : 0, second);
    } else if (std::strncmp(line, "rotate", 6) == 0) {
      const bool first = ringside::rotate(std::chrono::milliseconds(number));
      const int second = rs_rotate(static_cast<std::uint64_t>(number));
      std::printf("rotated %d %d\n", first ? 1 : 0, second);
    } else if (std::strncmp(line, "get", 3) == 0) {
      std::printf("level %d %d\n", static_cast<int>(ringside::level()), rs_get_level());
    } else {
      return 2;
    }
    std::puts("done");
    std::fflush(stdout);
  }
  return 0;
}
