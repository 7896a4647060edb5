#include "consumerd/drain/dictionary_feed.hpp"

#include <algorithm>
#include <cstring>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer {
namespace {

constexpr std::size_t kBlockTargetBytes = 256U << 10;
constexpr std::size_t kBlockOverheadBytes = 64;
constexpr std::size_t kDictionaryPieceBytes = std::size_t{2} * shm::kMaxEntryBytes;

}  // namespace

DictionaryFeed::DictionaryFeed(const DictionaryFeed& of, TraceFile& file)
    : segment_(of.segment_),
      file_(file),
      log_(of.log_),
      known_(of.known_),
      written_bytes_(of.known_.size()),
      damaged_(of.damaged_),
      logged_length_(of.logged_length_) {
  std::string why;
  sites_.add(known_, &why);  // the entries are whole and valid
}

DictionaryFeed::Result DictionaryFeed::update() {
  for (;;) {
    if (write_pending() == Result::kNoSpace) return Result::kNoSpace;
    // Pairs with the service's release after it wrote the entries.
    const std::uint64_t committed =
        segment_.control().service.dictionary_committed_bytes.load(std::memory_order_acquire);
    if (damaged_ || committed == known_.size()) return Result::kReady;
    if (committed < known_.size() || committed > segment_.layout().dictionary_bytes) {
      // The arena only grows: when the length becomes valid again, everything is valid.
      if (!logged_length_) {
        log_.error("the dictionary of " + segment_.name() + " has an invalid length; " +
                       "new statements cannot be recorded; the service probably overwrote its "
                       "segment (stray write)",
                   {{"segment", segment_.name()}});
      }
      logged_length_ = true;
      return Result::kReady;
    }
    take(committed);
  }
}

// Copies a bounded piece, whatever length the service claims, and adds its whole entries.
void DictionaryFeed::take(std::uint64_t committed) {
  const std::size_t from = known_.size();
  const std::size_t bytes = std::min<std::uint64_t>(committed - from, kDictionaryPieceBytes);
  known_.resize(from + bytes);
  std::memcpy(known_.data() + from, segment_.dictionary() + from, bytes);
  const std::span<const std::byte> piece = std::span<const std::byte>(known_).subspan(from);
  std::size_t whole = 0;
  std::string why;
  while (whole < bytes) {
    const std::uint32_t next = shm::entry_bytes(piece.subspan(whole));
    // A full piece may end inside an entry; the next piece begins with that entry.
    if (next == 0 && bytes == kDictionaryPieceBytes && bytes - whole < shm::kMaxEntryBytes) break;
    if (next == 0) why = "an entry is truncated or has an invalid length";
    if (next == 0 || !sites_.add(piece.subspan(whole, next), &why)) {
      damage(why);
      break;
    }
    whole += next;
  }
  known_.resize(from + whole);
}

void DictionaryFeed::damage(const std::string& what) {
  damaged_ = true;
  log_.error("the dictionary of " + segment_.name() + " is damaged: " + what +
                 "; later statements cannot be recorded; the service probably overwrote its "
                 "segment (stray write)",
             {{"segment", segment_.name()}});
}

std::span<const std::byte> DictionaryFeed::block_from(std::size_t offset) const {
  const auto rest = std::span<const std::byte>(known_).subspan(offset);
  if (rest.empty()) return rest;
  std::size_t bytes = shm::entry_bytes(rest);
  while (bytes < kBlockTargetBytes) {
    const std::uint32_t next = shm::entry_bytes(rest.subspan(bytes));
    if (next == 0 || bytes + next > kBlockTargetBytes) break;
    bytes += next;
  }
  return rest.first(bytes);
}

DictionaryFeed::Result DictionaryFeed::write_pending() {
  while (written_bytes_ < known_.size()) {
    const std::span<const std::byte> entries = block_from(written_bytes_);
    const std::span<std::byte> out = file_.space(entries.size() + kBlockOverheadBytes);
    if (out.empty()) return Result::kNoSpace;
    file_.commit(trace::write_dictionary_block(entries, out));
    written_bytes_ += entries.size();
  }
  return Result::kReady;
}

void DictionaryFeed::restate(std::vector<std::byte>* front) const {
  std::size_t restated = 0;
  while (restated < known_.size()) {
    const std::span<const std::byte> entries = block_from(restated);
    const std::size_t from = front->size();
    front->resize(from + kBlockOverheadBytes + entries.size());
    const std::size_t bytes =
        trace::write_dictionary_block(entries, std::span(*front).subspan(from));
    front->resize(from + bytes);
    restated += entries.size();
  }
}

}  // namespace ringside::consumer
