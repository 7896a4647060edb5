// Appends records in the layout of a ring: input for the encoder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "shm-layout/record_head.hpp"
#include "trace-format/codec/extent_decoder.hpp"
#include "trace-format/codec/site_plan.hpp"

namespace ringside::trace {

class RingRecordWriter {
 public:
  explicit RingRecordWriter(std::vector<std::byte>& ring) : ring_(ring) {}

  // The head of a record, with its time (head_tsc()); its arguments follow, then end().
  void begin(std::uint64_t time, std::uint32_t site, const RecordExtension* extension) {
    extended_ = 0;
    if (extension == nullptr || extension->ext_flags == 0) {
      put(shm::make_head(time, site));
      return;
    }
    put(shm::make_head(time, shm::kCodeExtended));
    put(site);
    put(extension->ext_flags);
    extended_ = ring_.size();
    put(std::uint32_t{0});  // the length, when it is known
    const std::uint32_t flags = extension->ext_flags;
    if ((flags & shm::kExtSubstream) != 0) put(extension->substream);
    if ((flags & shm::kExtActivity) != 0) put_bytes(extension->activity.data(), 16);
    if ((flags & shm::kExtRelatedActivity) != 0) put_bytes(extension->related.data(), 16);
    if ((flags & shm::kExtStack) != 0) put(extension->stack_id);
    if ((flags & shm::kExtDuration) != 0) put(extension->duration);
  }
  void end() {
    if (extended_ == 0) return;
    constexpr std::size_t kLengthOffset = 16;
    static_assert(shm::kExtendedHeadBytes == kLengthOffset + 4);
    const auto bytes = static_cast<std::uint32_t>(ring_.size() - extended_ + kLengthOffset);
    std::memcpy(ring_.data() + extended_, &bytes, sizeof bytes);
  }

  // A value of a field that is not variable.
  void put_number(const FieldPlan& field, std::uint64_t low, std::uint64_t high) {
    if (field.bytes <= 8) return put_bytes(&low, field.bytes);
    put(low);
    put_bytes(&high, field.bytes - 8U);
  }
  // A text, or the bytes of an array's elements. False if they are not whole elements.
  bool put_text(const FieldPlan& field, std::string_view text) {
    auto count = static_cast<std::uint32_t>(text.size());
    const auto* const bytes = reinterpret_cast<const std::byte*>(text.data());
    if (field.coding == Coding::kElements) {
      if (text.size() % field.bytes != 0) return false;
      count /= field.bytes;
    } else if (field.coding == Coding::kTextElements &&
               !text_elements_fit(bytes, text.size(), count)) {
      return false;
    }
    put(count);
    put_bytes(bytes, text.size());
    return true;
  }
  // The arguments of an earlier record of the ring.
  void repeat(std::size_t at, std::size_t bytes) {
    const std::size_t end = ring_.size();
    ring_.resize(end + bytes);
    if (bytes != 0) std::memcpy(ring_.data() + end, ring_.data() + at, bytes);
  }
  void put_bytes(const void* bytes, std::size_t count) {
    const auto* const from = static_cast<const std::byte*>(bytes);
    ring_.insert(ring_.end(), from, from + count);
  }

 private:
  template <class T>
  void put(T value) {
    put_bytes(&value, sizeof value);
  }

  std::vector<std::byte>& ring_;
  std::size_t extended_ = 0;  // place of the length of the extended record; 0: there is none
};

}  // namespace ringside::trace
