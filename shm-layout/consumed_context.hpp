#pragma once
// The context that is in force in a stream where its consumer reads, for a successor: the record of
// the context is before that position, and may be overwritten.
//
// A consumer writes the slot that is not valid for the position it has stored, before it commits
// what it read up to the new position. If it dies in between, its successor finds the other slot.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "dictionary_entry.hpp"
#include "segment_header.hpp"

namespace ringside::shm {

inline constexpr std::uint64_t kNoContextPos = UINT64_MAX;

struct ConsumedContextSlot {
  std::atomic<std::uint64_t> pos;  // the consumer's, from which on it holds; stored last
  std::uint32_t site_id;           // 0: no context
  std::uint32_t argument_bytes;
  std::byte arguments[kMaxContextBytes];
};
static_assert(offsetof(ConsumedContextSlot, site_id) == 8);
static_assert(offsetof(ConsumedContextSlot, argument_bytes) == 12);
static_assert(offsetof(ConsumedContextSlot, arguments) == 16);
static_assert(sizeof(ConsumedContextSlot) == 1024);

// Of one ring. All zero: never written.
struct alignas(kCacheLineBytes) ConsumedContext {
  std::array<ConsumedContextSlot, 2> slots;

  // The slot that is valid for a consumer at `pos`; null: none. Both positions are untrusted.
  const ConsumedContextSlot* valid_at(std::uint64_t consumer_pos) const {
    const ConsumedContextSlot* found = nullptr;
    std::uint64_t found_pos = 0;
    for (const ConsumedContextSlot& slot : slots) {
      // Pairs with the release in store().
      const std::uint64_t pos = slot.pos.load(std::memory_order_acquire);
      if (pos == kNoContextPos || pos > consumer_pos || pos < found_pos) continue;
      if (pos == 0 && slot.site_id == 0) continue;
      found = &slot;
      found_pos = pos;
    }
    return found;
  }

  // The context in which a consumer at `consumer_pos` continues the stream that begins at
  // `start_pos`; its site is 0 if there is none. All of it is untrusted.
  struct Kept {
    std::uint32_t site_id = 0;
    std::span<const std::byte> arguments;
  };
  Kept kept_at(std::uint64_t consumer_pos, std::uint64_t start_pos) const {
    const ConsumedContextSlot* const slot = valid_at(consumer_pos);
    // One of a former stream of the ring says nothing about this one.
    if (slot == nullptr || slot->pos.load(std::memory_order_relaxed) <= start_pos) return {};
    const std::uint32_t site_id = slot->site_id;
    if (site_id == 0) return {};
    const std::size_t bytes = std::min<std::size_t>(slot->argument_bytes, sizeof slot->arguments);
    return {site_id, {slot->arguments, bytes}};
  }

  // For a consumer that takes over at `consumer_pos`: what a dead one stored for a later position
  // was never committed. This consumer may reach that position in another context.
  void forget_after(std::uint64_t consumer_pos) {
    for (ConsumedContextSlot& slot : slots) {
      if (slot.pos.load(std::memory_order_relaxed) > consumer_pos) {
        slot.pos.store(kNoContextPos, std::memory_order_relaxed);
      }
    }
  }

  // The context holds from `pos` on, which the consumer stores afterwards; `consumer_pos` is the
  // position it has stored.
  void store(std::uint64_t pos, std::uint64_t consumer_pos, std::uint32_t site_id,
             std::span<const std::byte> arguments) {
    ConsumedContextSlot& slot = slots[valid_at(consumer_pos) == slots.data() ? 1 : 0];
    slot.pos.store(kNoContextPos, std::memory_order_relaxed);
    // The content may not become visible before the line above.
    std::atomic_thread_fence(std::memory_order_release);
    slot.site_id = site_id;
    slot.argument_bytes = static_cast<std::uint32_t>(arguments.size());
    if (!arguments.empty()) std::memcpy(slot.arguments, arguments.data(), arguments.size());
    slot.pos.store(pos, std::memory_order_release);
  }
};
static_assert(sizeof(ConsumedContext) == 2048);

}  // namespace ringside::shm
