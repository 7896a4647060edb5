#pragma once
// A disk that misbehaves by a seed: refuses and fails requests, writes less than requested, and
// completes out of order.

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "consumerd/write/block_io.hpp"

namespace ringside::consumer_test {

class FaultyBlockIo final : public consumer::BlockIo {
 public:
  explicit FaultyBlockIo(std::uint32_t seed) : random_(seed) {}

  void prepare_slot(std::uint32_t slot, std::byte* data, std::size_t bytes) override;
  bool submit(const consumer::WriteRequest& request) override;
  std::size_t reap(std::span<consumer::WriteCompletion> out, bool wait) override;
  const char* name() const override { return "faulty"; }

  // Per mille of the submissions that are refused, and of the completions that are short writes or
  // errors.
  unsigned refuse = 0;
  unsigned shorten = 0;
  unsigned fail = 0;
  std::vector<int> errors;                      // the errors that `fail` chooses from
  bool hold = false;                            // nothing completes
  bool takes_nothing = false;                   // each write ends with 0 bytes, without an error
  bool last_first = false;                      // the latest submission completes first
  std::map<int, std::vector<std::byte>> files;  // what was written, by descriptor
  std::map<std::uint32_t, int> prepared;        // number of preparations, by slot

 private:
  bool chance(unsigned permille) { return random_() % 1000 < permille; }
  consumer::WriteCompletion complete(const consumer::WriteRequest& request);

  std::mt19937 random_;
  std::vector<consumer::WriteRequest> under_way_;
};

}  // namespace ringside::consumer_test
