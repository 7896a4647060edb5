#include "perf/compression/integer_table.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "perf/compression/codecs.hpp"
#include "perf/compression/integer_codes.hpp"
#include "perf/compression/processor_time.hpp"
#include "trace-format/codec/value_codec.hpp"

namespace ringside::perf {
namespace {

constexpr std::size_t kIntegers = 1 << 20;
constexpr int kRounds = 7;
constexpr int kRoundsOfSlow = 1;  // of an algorithm that takes seconds
constexpr double kSlowNs = 1000;

using Integers = std::vector<std::uint64_t>;
using Encode = std::function<std::size_t(const Integers&, Bytes&)>;

Integers integers_up_to(unsigned bits) {
  std::mt19937_64 any(7);
  Integers integers(kIntegers);
  for (std::uint64_t& value : integers) {
    const auto length = 1 + static_cast<unsigned>(any() % bits);
    value = (any() >> (64 - length)) | std::uint64_t{1} << (length - 1);
  }
  return integers;
}

template <void (*kPut)(std::uint64_t, std::byte*&)>
std::size_t one_by_one(const Integers& integers, Bytes& out) {
  std::byte* o = out.data();
  for (const std::uint64_t value : integers) kPut(value, o);
  return static_cast<std::size_t>(o - out.data());
}

// Two values share a byte for their tags.
std::size_t nanolog(const Integers& integers, Bytes& out) {
  std::byte* o = out.data();
  for (std::size_t i = 0; i + 1 < integers.size(); i += 2) {
    std::byte* const tags = o++;
    const unsigned low = put_nanolog(integers[i], o);
    *tags = static_cast<std::byte>(low | put_nanolog(integers[i + 1], o) << 4);
  }
  return static_cast<std::size_t>(o - out.data());
}

// Encodes the two arguments of one statement; each argument's predecessor is the same argument of
// the previous record.
std::size_t ringside(const Integers& integers, Bytes& out) {
  std::byte* o = out.data();
  std::uint64_t before[2] = {};
  for (std::size_t i = 0; i + 1 < integers.size(); i += 2) {
    std::byte* const tags = o++;
    const unsigned low = trace::put_integer(integers[i], before[0], o);
    *tags = static_cast<std::byte>(low | trace::put_integer(integers[i + 1], before[1], o) << 4);
    before[0] = integers[i];
    before[1] = integers[i + 1];
  }
  return static_cast<std::size_t>(o - out.data());
}

}  // namespace

void study_integers() {
  std::vector<std::pair<std::string, Encode>> algorithms = {
      {"nanolog", nanolog},
      {"leb128", one_by_one<put_leb128>},
      {"prefix_varint", one_by_one<put_prefix_varint>},
      {"lesqlite", one_by_one<put_lesqlite>},
      {"lesqlite2", one_by_one<put_lesqlite2>},
      {"ringside", ringside}};
  auto of_bytes = byte_codecs();
  for (auto& codec : slow_byte_codecs()) of_bytes.push_back(std::move(codec));
  for (const auto& codec : of_bytes) {
    algorithms.emplace_back(codec->name(), [&codec](const Integers& integers, Bytes& out) {
      return codec->encode(std::as_bytes(std::span(integers)), out);
    });
  }
  Bytes out(16 * kIntegers + (64 << 10));
  for (const unsigned bits : {8U, 16U, 24U, 64U}) {
    const Integers integers = integers_up_to(bits);
    std::vector<std::vector<double>> ns(algorithms.size());
    std::vector<std::size_t> bytes(algorithms.size());
    for (int round = 0; round <= kRounds; ++round) {
      for (std::size_t i = 0; i < algorithms.size(); ++i) {
        if (round > kRoundsOfSlow && ns[i][0] > kSlowNs) continue;
        const double start = processor_ns();
        bytes[i] = algorithms[i].second(integers, out);
        const double took = processor_ns() - start;
        if (round > 0) ns[i].push_back(took / kIntegers);
      }
    }
    for (std::size_t i = 0; i < algorithms.size(); ++i) {
      std::sort(ns[i].begin(), ns[i].end());
      const std::size_t rounds = ns[i].size();
      std::printf(
          "{\"row\":\"compression\",\"subject\":\"%s\",\"case\":\"integers_0_%u\","
          "\"metric\":\"encode\",\"unit\":\"ns/integer\",\"median\":%.4f,\"low\":%.4f,"
          "\"high\":%.4f,\"best\":%.4f,\"repeats\":%zu,\"bytes\":%.4f,\"input_bytes\":8}\n",
          algorithms[i].first.c_str(), bits, ns[i][rounds / 2], ns[i][rounds / 4],
          ns[i][rounds - 1 - rounds / 4], ns[i][0], rounds,
          static_cast<double>(bytes[i]) / kIntegers);
    }
  }
}

}  // namespace ringside::perf
