#include "consumerd/dictionary_feed.hpp"

#include <cstring>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/block_writer.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kBlockTargetBytes = 256U << 10;
constexpr std::size_t kBlockOverheadBytes = 64;

}  // namespace

DictionaryFeed::Result DictionaryFeed::update(std::string* why) {
  // Pairs with the service's release after it wrote the entries.
  const std::uint64_t committed =
      segment_.control().service.dictionary_committed_bytes.load(std::memory_order_acquire);
  if (committed == known_bytes_) return write_pending();
  if (committed < known_bytes_ || committed > segment_.layout().dictionary_bytes) {
    *why = "the dictionary's length is impossible";
    return Result::kCorrupt;
  }
  const std::size_t fresh = committed - known_bytes_;
  const std::size_t at = pending_.size();
  pending_.resize(at + fresh);
  std::memcpy(pending_.data() + at, segment_.dictionary() + known_bytes_, fresh);
  if (!sites_.add(std::span(pending_).subspan(at), why)) return Result::kCorrupt;
  known_bytes_ = committed;
  return write_pending();
}

DictionaryFeed::Result DictionaryFeed::write_pending() {
  while (pending_from_ < pending_.size()) {
    const auto rest = std::span<const std::byte>(pending_).subspan(pending_from_);
    std::size_t bytes = shm::entry_bytes(rest);
    while (bytes < kBlockTargetBytes) {
      const std::uint32_t next = shm::entry_bytes(rest.subspan(bytes));
      if (next == 0 || bytes + next > kBlockTargetBytes) break;
      bytes += next;
    }
    const std::span<std::byte> out = file_.space(bytes + kBlockOverheadBytes);
    if (out.empty()) return Result::kNoSpace;
    file_.commit(trace::write_dictionary_block(rest.first(bytes), out));
    pending_from_ += bytes;
  }
  pending_.clear();
  pending_from_ = 0;
  return Result::kReady;
}

}  // namespace ringside::consumer
