#include "perf/compression/cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>

#include "shm-layout/record_head.hpp"

namespace ringside::perf {
namespace {

constexpr unsigned kCounts[] = {1, 2, 3, 4, 6, 10};
constexpr unsigned kLengths[] = {10, 15, 20, 30, 45, 60, 100};
constexpr std::size_t kWords = 1000;

void add_source_cases(std::vector<StudyCase>& cases) {
  struct Numbers {
    ArgumentType type;
    const char* name;
    unsigned bits;
  };
  for (const Numbers& n : {Numbers{ArgumentType::kInt, "int", 32},
                           {ArgumentType::kLong, "long", 64},
                           {ArgumentType::kDouble, "double", 64}}) {
    for (const unsigned count : kCounts) {
      for (const Entropy entropy : {Entropy::kRandom, Entropy::kSequential}) {
        for (const unsigned bits : {16U, n.bits}) {
          cases.push_back({std::string(n.name) + "_" + std::to_string(count) +
                               (entropy == Entropy::kRandom ? "_random" : "_sequential") +
                               (bits == 16 ? "_small" : "_wide"),
                           n.type, entropy, count, bits, 0, true});
        }
      }
    }
  }
  for (const unsigned length : kLengths) {
    const std::string name = "string_" + std::to_string(length);
    cases.push_back(
        {name + "_random", ArgumentType::kString, Entropy::kRandom, 1, 0, length, true});
    cases.push_back({name + "_zipf", ArgumentType::kString, Entropy::kZipf, 1, 0, length, true});
    cases.push_back({name + "_words", ArgumentType::kString, Entropy::kWords, 1, 0, length, true});
  }
}

void add_more_cases(std::vector<StudyCase>& cases) {
  for (const unsigned length : kLengths) {
    cases.push_back({"string_" + std::to_string(length) + "_recurring", ArgumentType::kString,
                     Entropy::kRecurring, 1, 0, length, false});
  }
  for (const unsigned count : kCounts) {
    const std::string n = std::to_string(count);
    cases.push_back(
        {"long_" + n + "_constant", ArgumentType::kLong, Entropy::kConstant, count, 32, 0, false});
    cases.push_back(
        {"long_" + n + "_zipf", ArgumentType::kLong, Entropy::kZipf, count, 64, 0, false});
  }
  for (const unsigned bits : {8U, 16U, 24U, 32U, 48U, 64U}) {
    cases.push_back({"long_2_random_" + std::to_string(bits) + "_bits", ArgumentType::kLong,
                     Entropy::kRandom, 2, bits, 0, false});
  }
  cases.push_back({"static", ArgumentType::kInt, Entropy::kConstant, 0, 0, 0, false});
}

// Numbers below `limit` by Zipf's law with the exponent 0.99.
class Zipf {
 public:
  explicit Zipf(std::size_t limit) : sums_(limit) {
    double sum = 0;
    for (std::size_t i = 0; i < limit; ++i) {
      sum += 1 / std::pow(static_cast<double>(i + 1), 0.99);
      sums_[i] = sum;
    }
  }

  std::size_t operator()(std::mt19937_64& any) const {
    const double at = static_cast<double>(any() >> 11) * 0x1p-53 * sums_.back();
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), at);
    return std::min(static_cast<std::size_t>(found - sums_.begin()), sums_.size() - 1);
  }

 private:
  std::vector<double> sums_;
};

class Arguments {
 public:
  explicit Arguments(const StudyCase& which) : which_(which) {
    for (std::size_t i = 0; i < kWords; ++i) {
      // Frequent words are short.
      std::string word(2 + any_() % (2 + i / 150), ' ');
      for (char& c : word) c = static_cast<char>('a' + letters_(any_));
      words_.push_back(word);
      std::string text(which.letters, ' ');
      for (char& c : text) c = static_cast<char>('a' + any_() % 26);
      texts_.push_back(text);
    }
  }

  void append(std::string& out) {
    for (unsigned i = 0; i < which_.arguments; ++i) {
      switch (which_.type) {
        case ArgumentType::kInt:
          put(out, static_cast<std::uint32_t>(number(i)));
          break;
        case ArgumentType::kLong:
          put(out, number(i));
          break;
        case ArgumentType::kDouble:
          put(out, floating(i));
          break;
        case ArgumentType::kString: {
          const std::string value = text();
          put(out, static_cast<std::uint32_t>(value.size()));
          out += value;
          break;
        }
      }
    }
    ++records_;
  }

  std::uint64_t ticks() { return 20 + any_() % 31; }

  template <class T>
  static void put(std::string& out, T value) {
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  }

 private:
  // As in the source, "wide" numbers fill at least half of their type.
  std::uint64_t number(unsigned argument) {
    const bool is_wide = which_.bits == 64 || which_.bits == 32;
    const std::uint64_t low =
        is_wide && which_.in_source ? std::uint64_t{1} << (which_.bits / 2) : 0;
    switch (which_.entropy) {
      case Entropy::kSequential:
        return low + (records_ + std::uint64_t{1000} * argument) % (std::uint64_t{1} << 16);
      case Entropy::kZipf:
        return numbers_(any_);
      case Entropy::kConstant:
        return 123456789 + argument;
      default:
        return low | (which_.bits == 0 ? 0 : any_() >> (64 - which_.bits));
    }
  }

  double floating(unsigned argument) {
    const std::uint64_t value = number(argument);
    // All bits of the mantissa in use, or small whole numbers.
    if (which_.bits == 64) return static_cast<double>(value >> 11) * 0x1p-53 + 1;
    return static_cast<double>(value);
  }

  std::string text() {
    if (which_.entropy == Entropy::kRecurring) return texts_[recurring_(any_)];
    std::string text;
    if (which_.entropy == Entropy::kWords) {
      while (text.size() < which_.letters) text += words_[any_() % kWords] + " ";
      text.resize(which_.letters);
      return text;
    }
    for (unsigned i = 0; i < which_.letters; ++i) {
      const bool zipf = which_.entropy == Entropy::kZipf;
      text += static_cast<char>('a' + (zipf ? letters_(any_) : any_() % 26));
    }
    return text;
  }

  StudyCase which_;
  std::mt19937_64 any_{7};
  Zipf letters_{26};
  Zipf recurring_{kWords};
  Zipf numbers_{100000};
  std::vector<std::string> words_;
  std::vector<std::string> texts_;
  std::uint64_t records_ = 0;
};

}  // namespace

std::vector<StudyCase> study_cases() {
  std::vector<StudyCase> cases;
  add_source_cases(cases);
  add_more_cases(cases);
  return cases;
}

RingBytes make_ring_bytes(const StudyCase& which, std::size_t size) {
  Arguments arguments(which);
  std::string ring;
  RingBytes result;
  std::uint64_t tick = kStudyStartTick;
  while (ring.size() < size) {
    tick += arguments.ticks();
    Arguments::put(ring, shm::make_head(tick, kStudySite));
    arguments.append(ring);
    ++result.records;
  }
  result.bytes.resize(ring.size());
  std::memcpy(result.bytes.data(), ring.data(), ring.size());
  return result;
}

}  // namespace ringside::perf
