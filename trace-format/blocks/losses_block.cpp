#include "trace-format/blocks/losses_block.hpp"

#include "trace-format/blocks/block_frame.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

std::byte* put(std::span<const LossCount> counts, std::byte* p) {
  for (const LossCount& count : counts) {
    store(p, count.site_id);
    store(p + 4, static_cast<std::uint32_t>(count.cause));
    store(p + 8, count.before);
    store(p + 16, count.after);
    p += kLossCountBytes;
  }
  return p;
}

const std::byte* take(const std::byte* p, std::size_t many, std::vector<LossCount>& counts) {
  for (; many != 0; --many, p += kLossCountBytes) {
    const LossCount count{load<std::uint32_t>(p),
                          static_cast<shm::LossCause>(load<std::uint32_t>(p + 4)),
                          load<std::uint64_t>(p + 8), load<std::uint64_t>(p + 16)};
    if (count.after > count.before) counts.push_back(count);
  }
  return p;
}

}  // namespace

bool LossesBlock::parse(std::span<const std::byte> payload, LossesBlock& losses) {
  losses = {};
  if (payload.size() < kLossesFixedBytes) return false;
  const std::byte* const p = payload.data();
  losses.since_tsc = load<std::uint64_t>(p);
  losses.until_tsc = load<std::uint64_t>(p + 8);
  const std::size_t without_stream = load<std::uint32_t>(p + 16);
  const std::size_t by_site = load<std::uint32_t>(p + 20);
  if (without_stream + by_site > (payload.size() - kLossesFixedBytes) / kLossCountBytes) {
    return false;
  }
  take(take(p + kLossesFixedBytes, without_stream, losses.without_stream), by_site, losses.by_site);
  return true;
}

std::size_t losses_block_bytes(const LossesBlock& losses) {
  return kBlockHeaderBytes + kLossesFixedBytes +
         (losses.without_stream.size() + losses.by_site.size()) * kLossCountBytes;
}

std::size_t write_losses_block(const LossesBlock& losses, std::span<std::byte> out) {
  const std::size_t bytes = losses_block_bytes(losses);
  if (out.size() < bytes || bytes - kBlockHeaderBytes > kMaxPayloadBytes) return 0;
  std::byte* const p = out.data() + kBlockHeaderBytes;
  store(p, losses.since_tsc);
  store(p + 8, losses.until_tsc);
  store(p + 16, static_cast<std::uint32_t>(losses.without_stream.size()));
  store(p + 20, static_cast<std::uint32_t>(losses.by_site.size()));
  put(losses.by_site, put(losses.without_stream, p + kLossesFixedBytes));
  write_block_frame(out.data(), BlockType::kLosses, bytes - kBlockHeaderBytes);
  return bytes;
}

}  // namespace ringside::trace
