#include "trace-format/codec/argument_length.hpp"

#include "shm-layout/record_head.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::trace {
namespace {

constexpr const char* kTooLong = "a text or array exceeds the maximum record size";

constexpr ArgumentLength incomplete() {
  return {LengthState::kIncomplete, 0, nullptr};
}
constexpr ArgumentLength corrupt(const char* why) {
  return {LengthState::kCorrupt, 0, why};
}

}  // namespace

ArgumentLength argument_length(const SitePlan& plan, const std::byte* arguments,
                               std::size_t available) {
  if (!plan.variable) {
    if (available < plan.minimal_bytes) return incomplete();
    return {LengthState::kWhole, plan.minimal_bytes, nullptr};
  }
  std::size_t at = 0;
  for (const FieldPlan& field : plan.fields) {
    if (!is_variable(field.coding)) {
      at += field.bytes;
      if (at > available) return incomplete();
      continue;
    }
    if (available - at < 4) return incomplete();
    const auto count = load<std::uint32_t>(arguments + at);
    at += 4;
    if (count > shm::kMaxRecordBytes) return corrupt(kTooLong);
    if (field.coding == Coding::kTextElements) {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (available - at < 4) return incomplete();
        const auto length = load<std::uint32_t>(arguments + at);
        if (length > shm::kMaxRecordBytes) return corrupt(kTooLong);
        at += 4;
        if (available - at < length) return incomplete();
        at += length;
      }
    } else {
      const std::size_t bytes =
          field.coding == Coding::kText ? count : std::size_t{count} * field.bytes;
      if (bytes > shm::kMaxRecordBytes) return corrupt(kTooLong);
      if (available - at < bytes) return incomplete();
      at += bytes;
    }
    if (at > shm::kMaxRecordBytes) return corrupt("the record exceeds the maximum record size");
  }
  if (at > shm::kMaxRecordBytes) return corrupt("the record exceeds the maximum record size");
  return {LengthState::kWhole, at, nullptr};
}

}  // namespace ringside::trace
