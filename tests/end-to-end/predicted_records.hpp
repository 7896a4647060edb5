#pragma once
// The content of record `number` of thread `thread`: a pure function of the two, so that the
// logging process and the checking one agree on every byte without communicating.

#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>

#include "tests/printf/recorded_long_double.hpp"

namespace ringside::end_to_end {

struct PredictedRecord {
  unsigned thread = 0;
  std::uint64_t number = 0;
  unsigned kind = 0;  // less than kRecordKinds: the statement in record_cases.inc

  int i32 = 0;
  unsigned u32 = 0;
  long i64 = 0;
  unsigned long u64 = 0;
  long long ill = 0;
  unsigned long long ull = 0;
  short i16 = 0;
  unsigned short u16 = 0;
  signed char i8 = 0;
  unsigned char u8 = 0;
  std::size_t size = 0;
  std::ptrdiff_t difference = 0;
  std::intmax_t intmax = 0;
  double f64 = 0;
  double small_f64 = 0;
  long double f80 = 0;
  const void* pointer = nullptr;
  const void* null_pointer = nullptr;
  int letter = 0;
  int width = 0;
  int precision = 0;
  const char* short_text = nullptr;
  const char* long_text = nullptr;
  const char* utf8_text = nullptr;
  const char* null_text = nullptr;
  const char* unterminated = nullptr;  // at most `precision` bytes of it can be read
};

inline constexpr unsigned kRecordKinds = 16;
inline constexpr std::size_t kLongTextBytes = 700;

constexpr std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9U;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBU;
  return x ^ x >> 31;
}

// Texts that records point to. Created once per process.
class TextPool {
 public:
  static const TextPool& instance() {
    static const TextPool pool;
    return pool;
  }

  // Starts at a place that depends on `seed`, so the length does too.
  const char* long_text(std::uint64_t seed) const {
    return long_text_.data() + seed % kLongTextBytes;
  }
  const char* short_text(std::uint64_t seed) const {
    return long_text_.data() + kLongTextBytes - seed % 24;
  }
  const char* unterminated() const { return unterminated_.data(); }

  static constexpr std::size_t kUnterminatedBytes = 12;

 private:
  TextPool() {
    for (std::size_t i = 0; i < kLongTextBytes; ++i) {
      // Printable characters, brackets, per cent signs and quotes among them.
      long_text_[i] = static_cast<char>(' ' + mix(i) % 95);
    }
    for (std::size_t i = 0; i < kUnterminatedBytes; ++i) {
      unterminated_[i] = static_cast<char>('a' + i);
    }
  }
  std::array<char, kLongTextBytes + 1> long_text_{};
  std::array<char, kUnterminatedBytes> unterminated_{};
};

inline PredictedRecord predict(unsigned thread, std::uint64_t number) {
  static constexpr const char* kUtf8Texts[] = {"naïve", "Grüße aus Köln", "日本語", "🙂",
                                               "Ωμέγα ≠ ∅"};
  const TextPool& pool = TextPool::instance();
  const std::uint64_t a = mix(number * 0x9E3779B97F4A7C15U + thread + 1);
  const std::uint64_t b = mix(a + 0x632BE59BD9B4E019U);
  PredictedRecord r;
  r.thread = thread;
  r.number = number;
  r.kind = static_cast<unsigned>(a % kRecordKinds);
  // Numbers of all magnitudes, not only large ones.
  const std::uint64_t sized = b >> (a >> 8 & 63);
  r.i32 = static_cast<int>(sized);
  r.u32 = static_cast<unsigned>(sized);
  r.i64 = static_cast<long>(~sized);
  r.u64 = sized;
  r.ill = static_cast<long long>(0 - sized);
  r.ull = sized;
  r.i16 = static_cast<short>(b);
  r.u16 = static_cast<unsigned short>(b >> 3);
  r.i8 = static_cast<signed char>(b >> 5);
  r.u8 = static_cast<unsigned char>(b >> 7);
  r.size = sized;
  r.difference = static_cast<std::ptrdiff_t>(~sized);
  r.intmax = static_cast<std::intmax_t>(sized);
  r.f64 = static_cast<double>(static_cast<std::int64_t>(b) >> 20) / 1024.0;
  r.small_f64 = static_cast<double>(sized % 100'000) / 1000.0;
  r.f80 = recorded_long_double(static_cast<long double>(static_cast<std::int64_t>(b)) / 3.0L);
  r.pointer = reinterpret_cast<const void*>(b >> 16);
  r.letter = static_cast<int>('A' + a % 25);
  r.width = static_cast<int>(b % 29);
  r.precision = static_cast<int>(b % (TextPool::kUnterminatedBytes + 1));
  r.short_text = pool.short_text(b >> 9);
  r.long_text = pool.long_text(b >> 11);
  r.utf8_text = kUtf8Texts[b % 5];
  r.unterminated = pool.unterminated();
  return r;
}

}  // namespace ringside::end_to_end
