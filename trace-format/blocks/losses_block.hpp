// LOSSES blocks: losses without a stream, and losses by statement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shm-layout/loss_cause.hpp"

namespace ringside::trace {

// A counter of the segment went from `before` to `after`. If a block reports the same records
// again, the numbers are the same: a reader that adds up counts each number of a counter once.
struct LossCount {
  std::uint32_t site_id = 0;  // 0: of no particular statement
  shm::LossCause cause = shm::LossCause::kUnknown;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

struct LossesBlock {
  std::uint64_t since_tsc = 0;  // all of them were lost between these two times
  std::uint64_t until_tsc = 0;
  std::vector<LossCount> without_stream;  // lost by threads without a ring
  std::vector<LossCount> by_site;         // of all threads; includes the former

  // False if the payload is shorter than it claims. Counters that decrease are left out.
  static bool parse(std::span<const std::byte> payload, LossesBlock& losses);
};

std::size_t losses_block_bytes(const LossesBlock& losses);
// Like the functions of block_writer.hpp.
std::size_t write_losses_block(const LossesBlock& losses, std::span<std::byte> out);

}  // namespace ringside::trace
