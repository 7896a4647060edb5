#include "consumerd/dictionary_feed.hpp"

#include <algorithm>
#include <cstring>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/block_writer.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kBlockTargetBytes = 256U << 10;
constexpr std::size_t kBlockOverheadBytes = 64;
constexpr std::size_t kPieceBytes = std::size_t{2} * shm::kMaxEntryBytes;

}  // namespace

DictionaryFeed::Result DictionaryFeed::update() {
  for (;;) {
    if (write_pending() == Result::kNoSpace) return Result::kNoSpace;
    // Pairs with the service's release after it wrote the entries.
    const std::uint64_t committed =
        segment_.control().service.dictionary_committed_bytes.load(std::memory_order_acquire);
    if (damaged_ || committed == known_bytes_) return Result::kReady;
    if (committed < known_bytes_ || committed > segment_.layout().dictionary_bytes) {
      // The arena itself only grows: once the word is right again, so is everything.
      if (!told_length_) {
        log_.error("the dictionary of " + segment_.name() + " has an impossible length; " +
                   "statements that are not known yet cannot be recorded");
      }
      told_length_ = true;
      return Result::kReady;
    }
    take(committed);
  }
}

// Copies a bounded piece, whatever length the service claims, and learns its whole entries.
void DictionaryFeed::take(std::uint64_t committed) {
  const std::size_t bytes = std::min<std::uint64_t>(committed - known_bytes_, kPieceBytes);
  pending_.resize(bytes);
  std::memcpy(pending_.data(), segment_.dictionary() + known_bytes_, bytes);
  const std::span<const std::byte> piece(pending_);
  std::size_t whole = 0;
  std::string why;
  while (whole < bytes) {
    const std::uint32_t next = shm::entry_bytes(piece.subspan(whole));
    // A piece that is full may end inside an entry, which the next piece then begins with.
    if (next == 0 && bytes == kPieceBytes && bytes - whole < shm::kMaxEntryBytes) break;
    if (next == 0) why = "an entry is cut short or has an impossible length";
    if (next == 0 || !sites_.add(piece.subspan(whole, next), &why)) {
      damage(why);
      break;
    }
    whole += next;
  }
  pending_.resize(whole);
  known_bytes_ += whole;
}

void DictionaryFeed::damage(const std::string& what) {
  damaged_ = true;
  log_.error("the dictionary of " + segment_.name() + " is damaged: " + what +
             "; statements behind it cannot be recorded; something in the service writes to "
             "memory that is not its own");
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
