// Messages of random conversions with random arguments, compared with snprintf.
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/printf/recorded_call.hpp"
#include "tests/printf/recorded_long_double.hpp"

namespace ringside::test {
namespace {

constexpr std::uint64_t kDefaultSeed = 20240229;
constexpr int kConversions = 200'000;

class RandomConversion {
 public:
  explicit RandomConversion(std::uint64_t seed) : engine_(seed) {}

  int below(int limit) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(limit)); }

  RecordedCall next() {
    Stars stars;
    std::string format = literal() + "%";
    for (const char flag : std::string_view("-+ #0'")) {
      if (below(5) == 0) format += flag;
    }
    switch (below(4)) {
      case 0:
        format += std::to_string(1 + below(below(20) == 0 ? 4095 : 30));
        break;
      case 1:
        format += '*';
        stars.numbers[stars.count++] = below(61) - 30;
        break;
      default:
        break;
    }
    switch (below(4)) {
      case 0:
        format += '.';
        if (below(4) != 0) format += std::to_string(below(below(20) == 0 ? 4096 : 25));
        break;
      case 1:
        format += ".*";
        stars.numbers[stars.count++] = below(40) - 10;
        break;
      default:
        break;
    }
    switch (below(8)) {
      case 0:
      case 1:
        return integer(format, stars);
      case 2:
      case 3:
      case 4:
        return floating(format, stars);
      case 5:
        return narrow(format, stars);
      case 6:
        return wide(format, stars);
      default:
        return RecordedCall(format + "p" + literal(), stars, address());
    }
  }

 private:
  std::string literal() {
    static const std::vector<std::string> kPieces = {"",
                                                     "",
                                                     " ",
                                                     "x=",
                                                     "%%",
                                                     "of ",
                                                     "\xe2\x82\xac",
                                                     "a literal of more than thirty-two bytes, "};
    return kPieces[static_cast<std::size_t>(below(static_cast<int>(kPieces.size())))];
  }

  char pick(std::string_view characters) {
    return characters[static_cast<std::size_t>(below(static_cast<int>(characters.size())))];
  }

  std::uint64_t bits() { return engine_() >> below(64); }

  RecordedCall integer(std::string format, const Stars& stars) {
    static const char* const kLengths[] = {"", "h", "hh", "l", "ll", "q", "z", "j", "t"};
    const int length = below(9);
    format += kLengths[length];
    format += pick("diuoxXbB");
    format += literal();
    const std::uint64_t number = below(2) == 0 ? bits() : 0 - bits();
    if (length < 3) return RecordedCall(format, stars, static_cast<int>(number));
    return RecordedCall(format, stars, static_cast<long long>(number));
  }

  double number() {
    switch (below(5)) {
      case 0:  // any bits, so infinities, NaNs and subnormals too
        return std::bit_cast<double>(engine_());
      case 1:  // ties
        return static_cast<double>(static_cast<std::int64_t>(bits() >> 12)) / (1 << below(12));
      case 2: {  // decimals
        static const double kPowers[] = {1, 1e1, 1e2, 1e3, 1e6, 1e9, 1e-5, 1e-9, 1e15, 1e22};
        return below(1'000'000) / kPowers[below(10)];
      }
      case 3:
        return -static_cast<double>(bits());
      default:
        return below(2000) / 8.0 - 100;
    }
  }

  RecordedCall floating(std::string format, const Stars& stars) {
    const bool extended = below(4) == 0;
    if (extended) format += 'L';
    if (!extended && below(4) == 0) format += 'l';
    format += pick("fffFeEgggGaA");
    format += literal();
    if (extended)
      return RecordedCall(format, stars,
                          recorded_long_double(static_cast<long double>(number()) / 3));
    return RecordedCall(format, stars, number());
  }

  RecordedCall narrow(std::string format, const Stars& stars) {
    if (below(3) == 0) return RecordedCall(format + "c" + literal(), stars, below(256));
    format += "s" + literal();
    if (below(10) == 0) return RecordedCall(format, stars, static_cast<const char*>(nullptr));
    std::string text;
    for (int left = below(below(50) == 0 ? 3000 : 40); left > 0; --left) {
      text += static_cast<char>(1 + below(255));
    }
    return RecordedCall(format, stars, text.c_str());
  }

  wchar_t code_point() {
    switch (below(4)) {
      case 0:
        return static_cast<wchar_t>(1 + below(0x7f));
      case 1:
        return static_cast<wchar_t>(0x80 + below(0x780));
      case 2:
        return static_cast<wchar_t>(0x800 + below(0xd000));
      default:
        return static_cast<wchar_t>(0x10000 + below(0x100000));
    }
  }

  RecordedCall wide(std::string format, const Stars& stars) {
    if (below(3) == 0) {
      format += below(2) == 0 ? "lc" : "C";
      return RecordedCall(format + literal(), stars, static_cast<std::wint_t>(code_point()));
    }
    format += below(2) == 0 ? "ls" : "S";
    format += literal();
    if (below(10) == 0) return RecordedCall(format, stars, static_cast<const wchar_t*>(nullptr));
    std::wstring text;
    for (int left = below(30); left > 0; --left) text += code_point();
    return RecordedCall(format, stars, text.c_str());
  }

  const void* address() { return below(4) == 0 ? nullptr : reinterpret_cast<const void*>(bits()); }

  std::mt19937_64 engine_;
};

// snprintf's text of several conversions is the sequence of their texts. So the test can build
// messages of several arguments although each C call takes one.
TEST(MessageRandom, MessagesEqualSnprintf) {
  use_utf8_locale();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the test has one thread
  const char* const wanted = std::getenv("RINGSIDE_TEST_SEED");
  const std::uint64_t seed = wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : kDefaultSeed;
  std::printf("seed %llu (set RINGSIDE_TEST_SEED to choose)\n",
              static_cast<unsigned long long>(seed));
  RandomConversion random(seed);
  for (int done = 0; done < kConversions;) {
    std::string format;
    std::string expected;
    std::vector<shm::FieldType> types;
    std::vector<trace::Value> values;
    std::deque<RecordedCall> calls;  // owns the values' texts
    for (int count = 1 + random.below(9); count > 0; --count, ++done) {
      calls.push_back(random.next());
      const RecordedCall& call = calls.back();
      format += call.format();
      expected += call.expected();
      types.insert(types.end(), call.types().begin(), call.types().end());
      values.insert(values.end(), call.values().begin(), call.values().end());
    }
    std::string why;
    const auto message = trace::MessageFormat::parse(format, types, &why);
    ASSERT_TRUE(message) << format << ": " << why;
    std::string out = "before ";
    message->append(out, values);
    ASSERT_EQ(out, "before " + expected) << "seed " << seed << " format " << format;
  }
}

}  // namespace
}  // namespace ringside::test
