// Logs texts around and far above the size limit of a ring, and prints the whole messages, one per
// line, for comparison. Ends after flushing.
//
// usage: long_texts RING_BYTES

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <ringside/ringside.hpp>

namespace {

std::string text_of(std::size_t bytes, bool utf8) {
  static constexpr const char* kPieces[] = {"ä", "日", "🙂", "x"};
  std::string text;
  for (std::size_t i = 0; text.size() < bytes; ++i)
    text += utf8 ? kPieces[i % 4] : std::string(1, static_cast<char>('a' + i % 26));
  return text;
}

void log_both_ways(const std::string& text) {
  RS_INFO("%zu %s", text.size(), text.c_str());
  std::printf("%zu %s\n", text.size(), text.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const std::size_t limit = std::strtoull(argv[1], nullptr, 10) / 4;
  for (const bool utf8 : {false, true}) {
    for (const std::size_t around :
         {limit - 64, limit - 21, limit - 20, limit - 19, limit - 12, limit, limit + 1, limit + 2,
          limit + 3, 2 * limit, 7 * limit}) {
      log_both_ways(text_of(around, utf8));
    }
  }
  // Each of several texts is shortened, so the message is a prefix only up to the first cut.
  const std::string a = text_of(3 * limit, false);
  RS_INFO("%s|%s|%d", "short", a.c_str(), 42);
  std::printf("%s|%s|%d\n", "short", a.c_str(), 42);
  log_both_ways("after all of them");
  return ringside::flush(std::chrono::seconds(60)) ? 0 : 1;
}
