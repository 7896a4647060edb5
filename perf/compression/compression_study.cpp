// Repeats chapter 8 of NanoLog's dissertation: the cost and savings of algorithms for trace data.
// Prints a JSON line for each algorithm, or chain of them, and case: nanoseconds and bytes per
// record.
//
// usage: compression_study [PREFIX]   only cases whose name begins with PREFIX

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "perf/compression/cases.hpp"
#include "perf/compression/codecs.hpp"
#include "perf/compression/integer_table.hpp"
#include "perf/compression/processor_time.hpp"

namespace ringside::perf {
namespace {

constexpr std::size_t kInputBytes = 1 << 20;
constexpr int kRounds = 5;

// One algorithm, or several, each applied to the output of the one before.
struct Chain {
  std::string name;
  std::vector<Codec*> links;
  bool slow = false;            // has one turn
  std::vector<double> ns = {};  // per record
  std::size_t bytes = 0;
};

double timed_ns(Chain& chain, const RingBytes& ring, std::array<Bytes, 2>& rooms) {
  const double start = processor_ns();
  std::span<const std::byte> input = ring.bytes;
  for (std::size_t i = 0; i < chain.links.size(); ++i) {
    Bytes& out = rooms[i % 2];
    chain.bytes = chain.links[i]->encode(input, out);
    input = std::span(out).first(chain.bytes);
  }
  return (processor_ns() - start) / static_cast<double>(ring.records);
}

void print(const StudyCase& which, const RingBytes& ring, Chain& chain) {
  std::sort(chain.ns.begin(), chain.ns.end());
  const std::size_t n = chain.ns.size();
  const auto records = static_cast<double>(ring.records);
  std::printf(
      "{\"row\":\"compression\",\"subject\":\"%s\",\"case\":\"%s\",\"metric\":\"encode\","
      "\"unit\":\"ns/record\",\"median\":%.4f,\"low\":%.4f,\"high\":%.4f,\"best\":%.4f,"
      "\"repeats\":%zu,\"bytes\":%.4f,\"input_bytes\":%.4f,\"in_source\":%s}\n",
      chain.name.c_str(), which.name.c_str(), chain.ns[n / 2], chain.ns[n / 4],
      chain.ns[n - 1 - n / 4], chain.ns[0], n, static_cast<double>(chain.bytes) / records,
      static_cast<double>(ring.bytes.size()) / records, which.in_source ? "true" : "false");
  std::fflush(stdout);
}

using Codecs = std::vector<std::unique_ptr<Codec>>;

Chain chain_of(std::initializer_list<Codec*> links) {
  Chain chain{"", links};
  for (const Codec* const link : links) {
    chain.name += (chain.name.empty() ? "" : "+") + link->name();
    chain.slow = chain.slow || link->name() == "zlib6" || link->name() == "zlib9";
  }
  return chain;
}

Codec* find(const Codecs& codecs, std::string_view name) {
  const auto found = std::find_if(codecs.begin(), codecs.end(),
                                  [&](const auto& codec) { return codec->name() == name; });
  return found == codecs.end() ? nullptr : found->get();
}

// Each codec alone; a codec of records and one of bytes; and the source's chains of gzip and
// snappy.
std::vector<Chain> chains_of(const Codecs& of_records, const Codecs& of_bytes,
                             const Codecs& slow_ones) {
  std::vector<Chain> chains;
  for (const auto& codec : of_records) chains.push_back(chain_of({codec.get()}));
  for (const auto& codec : of_bytes) chains.push_back(chain_of({codec.get()}));
  for (const auto& codec : slow_ones) chains.push_back(chain_of({codec.get()}));
  Codec* const gzip = find(of_bytes, "zlib6");
  Codec* const snappy = find(of_bytes, "snappy");
  const bool has_both = gzip != nullptr && snappy != nullptr;
  if (has_both) {
    chains.push_back(chain_of({gzip, snappy}));
    chains.push_back(chain_of({snappy, gzip}));
  }
  for (const auto& first : of_records) {
    if (first->name() != "nanolog" && first->name() != "ringside") continue;
    for (const auto& second : of_bytes) chains.push_back(chain_of({first.get(), second.get()}));
    for (const auto& second : slow_ones) {
      chains.push_back(chain_of({first.get(), second.get()}));
    }
    if (!has_both) continue;
    chains.push_back(chain_of({first.get(), gzip, snappy}));
    chains.push_back(chain_of({first.get(), snappy, gzip}));
  }
  return chains;
}

void study(const StudyCase& which) {
  const RingBytes ring = make_ring_bytes(which, kInputBytes);
  const Codecs of_records = record_codecs(which);
  const Codecs of_bytes = byte_codecs();
  const Codecs slow_ones = slow_byte_codecs();
  std::vector<Chain> chains = chains_of(of_records, of_bytes, slow_ones);
  const Bytes room(2 * ring.bytes.size() + (64 << 10));
  std::array<Bytes, 2> rooms{room, room};
  // The machine's speed changes during the study, so all chains take turns; the first round is a
  // warm-up.
  for (int round = 0; round <= kRounds; ++round) {
    for (Chain& chain : chains) {
      if (chain.slow && round != kRounds) continue;
      double ns = timed_ns(chain, ring, rooms);
      // A fast chain runs twice per turn, because the chain before it has evicted its data from the
      // caches.
      if (ns * static_cast<double>(ring.records) < 4e6) ns = timed_ns(chain, ring, rooms);
      if (round > 0) chain.ns.push_back(ns);
    }
  }
  for (Chain& chain : chains) print(which, ring, chain);
}

}  // namespace
}  // namespace ringside::perf

int main(int argc, char** argv) {
  using namespace ringside::perf;
  if (argc > 2) {
    std::fprintf(stderr, "usage: compression_study [PREFIX]\n");
    return 2;
  }
  const std::string prefix = argc == 2 ? argv[1] : "";
  if (byte_codecs().size() < 6) {
    std::fprintf(stderr, "compression_study: built without some of zlib, snappy, lz4, zstd\n");
  }
  try {
    for (const StudyCase& which : study_cases()) {
      if (which.name.starts_with(prefix)) study(which);
    }
    if (prefix.empty() || prefix == "integers") study_integers();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "compression_study: %s\n", error.what());
    return 1;
  }
  return 0;
}
