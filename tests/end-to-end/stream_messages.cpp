// Logs random values in stream style, and prints the text of each message as std::ostream writes
// it.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>

#include <ringside/ringside.hpp>
#include <ringside/stream.hpp>
#include <ringside/streamed.hpp>

namespace {

// NOLINTNEXTLINE(cppcoreguidelines-macro-usage)
#define CASE(...)                               \
  {                                             \
    RS_STREAM(INFO) << __VA_ARGS__;             \
    std::ostringstream written;                 \
    written << __VA_ARGS__;                     \
    std::printf("%s\n", written.str().c_str()); \
  }

enum Plain { kNegative = -7, kPositive = 1000 };
struct Point {
  int x;
  int y;
};
std::ostream& operator<<(std::ostream& out, const Point& point) {
  return out << '(' << point.x << '|' << point.y << ')';
}

class RandomValues {
 public:
  explicit RandomValues(std::uint64_t seed) : engine_(seed) {}

  // Any bytes; and often a small number, or one of the ends.
  template <class T>
  T number() {
    const std::uint64_t bits = engine_();
    switch (bits % 5) {
      case 0:
        return static_cast<T>(static_cast<int>(engine_() % 100));
      case 1:
        return bits % 2 == 0 ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
      default:
        if constexpr (std::is_floating_point_v<T>) {
          const double scale = static_cast<double>(engine_() % 1000) / 7.0;
          return static_cast<T>(static_cast<double>(engine_()) / scale / 1e15);
        } else {
          return static_cast<T>(engine_());
        }
    }
  }

  // Of any bytes: infinite, not a number, denormal.
  template <class T, class Bits>
  T floating() {
    const auto bits = static_cast<Bits>(engine_());
    T value;
    static_assert(sizeof value == sizeof bits);
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }

  char character() { return static_cast<char>(' ' + engine_() % 95); }

  std::string text() {
    std::string made;
    for (std::uint64_t i = engine_() % 20; i > 0; --i) {
      if (engine_() % 8 == 0) {
        made += "\u00e9\u20ac{}";
      } else {
        made += character();
      }
    }
    return made;
  }

  const void* address() { return reinterpret_cast<const void*>(engine_() | 1U); }
  bool flag() { return engine_() % 2 == 0; }

 private:
  std::mt19937_64 engine_;
};

void log_scalars(RandomValues& random) {
  const auto i8 = static_cast<signed char>(random.character());
  const auto u8 = static_cast<unsigned char>(random.character());
  const auto i16 = random.number<std::int16_t>();
  const auto u16 = random.number<std::uint16_t>();
  const auto i32 = random.number<std::int32_t>();
  const auto u32 = random.number<std::uint32_t>();
  const auto i64 = random.number<std::int64_t>();
  const auto u64 = random.number<std::uint64_t>();
  const auto ll = random.number<long long>();
  CASE("integers {" << i16 << ' ' << u16 << "} " << i32 << ' ' << u32 << ' ' << i64 << ' ' << u64
                    << ' ' << ll);
  const char letter = random.character();
  CASE(i8 << u8 << letter << "characters");
  const bool flag = random.flag();
  const Plain plain = flag ? kNegative : kPositive;
  CASE("flags " << flag << !flag << ' ' << plain);
  const void* const address = random.address();
  CASE("address " << address << ' ' << static_cast<const int*>(address));
}

void log_floats(RandomValues& random) {
  const auto f = random.number<float>();
  const auto d = random.number<double>();
  const auto ld = random.number<long double>();
  CASE("floats " << f << ' ' << d << ' ' << ld);
  const auto any_float = random.floating<float, std::uint32_t>();
  const auto any_double = random.floating<double, std::uint64_t>();
  CASE(any_float << " any floats " << any_double);
}

void log_texts(RandomValues& random) {
  const std::string text = random.text();
  const std::string_view view = text;
  const char* const pointer = text.c_str();
  const auto* const bytes = reinterpret_cast<const unsigned char*>(pointer);
  char buffer[256] = {};
  std::snprintf(buffer, sizeof buffer, "%s", pointer);
  CASE("texts '" << text << "' '" << view << "' '" << pointer << "' '" << bytes << "' '" << buffer
                 << "'");
  const bool is_first = random.flag();
  const char constant[] = {random.character(), random.character(), '\0'};
  CASE("an array " << constant << (is_first ? " yes" : " no!"));
  const std::filesystem::path path = "/var/log/table-7";
  CASE(path << ' ' << ringside::streamed(Point{3, -4}));
}

}  // namespace

int main() {
  const char* const seed_text = std::getenv("RINGSIDE_TEST_SEED");
  const std::uint64_t seed =
      seed_text != nullptr ? std::strtoull(seed_text, nullptr, 10) : std::random_device()();
  std::fprintf(stderr, "RINGSIDE_TEST_SEED=%llu\n", static_cast<unsigned long long>(seed));
  RandomValues random(seed);
  for (int i = 0; i < 1100; ++i) {
    log_scalars(random);
    log_floats(random);
    log_texts(random);
  }
}
