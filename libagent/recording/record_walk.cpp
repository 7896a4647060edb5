#include "libagent/recording/record_walk.hpp"

#include <cstring>

#include "shm-layout/field_type.hpp"
#include "shm-layout/record_head.hpp"

namespace ringside {
namespace {

template <class T>
T load(const std::byte* p) {
  T value{};
  std::memcpy(&value, p, sizeof value);
  return value;
}

// Size of the plain record at `p`; 0 if it does not end within `left`.
std::uint64_t plain_bytes(const RecordShape& shape, const std::byte* p, std::uint64_t left) {
  std::uint64_t bytes = shm::kHeadBytes + shape.fixed_bytes;
  for (const RecordShape::Text& text : shape.texts) {
    if (bytes + sizeof(std::uint32_t) > left) return 0;
    const auto count = load<std::uint32_t>(p + bytes);
    bytes += sizeof count;
    if (text.element_bytes != RecordShape::kElementsAreTexts) {
      bytes += std::uint64_t{count} * text.element_bytes;
    } else {
      for (std::uint32_t i = 0; i < count; ++i) {
        if (bytes + sizeof count > left) return 0;
        bytes += sizeof count + load<std::uint32_t>(p + bytes);
      }
    }
    bytes += text.fixed_bytes_after;
  }
  return bytes <= left ? bytes : 0;
}

}  // namespace

RecordShapes::RecordShapes(std::uint32_t site_capacity)
    : site_capacity_(site_capacity),
      by_site_(std::make_unique<std::atomic<const RecordShape*>[]>(site_capacity)) {}

void RecordShapes::add(std::uint32_t site_id, const FieldTypes& types, bool has_stack) {
  auto shape = std::make_unique<RecordShape>();
  for (std::size_t i = 0; i < types.count(); ++i) {
    const shm::FieldType type = types[i];
    if (!types.is_recorded(i)) continue;
    if (shm::is_variable_length(type)) {
      shape->texts.push_back(
          {0, static_cast<std::uint8_t>(
                  shm::is_array(type) ? shm::fixed_size(shm::element_type(type)) : 1)});
    } else {
      std::uint32_t& bytes =
          shape->texts.empty() ? shape->fixed_bytes : shape->texts.back().fixed_bytes_after;
      bytes += static_cast<std::uint32_t>(shm::fixed_size(type));
    }
  }
  if (has_stack) shape->texts.push_back({0, sizeof(std::uint64_t)});
  shapes_.push_back(std::move(shape));
  // Relaxed: the release of the statement's switch comes later.
  by_site_[site_id].store(shapes_.back().get(), std::memory_order_relaxed);
}

const RecordShape* RecordShapes::find(std::uint32_t site_id) const {
  return site_id < site_capacity_ ? by_site_[site_id].load(std::memory_order_relaxed) : nullptr;
}

// The bytes are in shared memory: every length is read once and checked before it is used.
WalkedRecords walk_sub_buffer(std::span<const std::byte> bytes, const RecordShapes& shapes) {
  WalkedRecords walked;
  std::uint32_t fixed_id = UINT32_MAX;  // of the site whose records have the length below
  std::uint64_t fixed_bytes = 0;
  while (walked.bytes < bytes.size()) {
    const std::byte* const p = bytes.data() + walked.bytes;
    const std::uint64_t left = bytes.size() - walked.bytes;
    std::uint64_t record_bytes = 0;
    if (left >= shm::kHeadBytes) {
      const auto head = load<std::uint64_t>(p);
      const std::uint32_t id = shm::head_id(head);
      if (id == fixed_id && fixed_bytes <= left) {
        // Predicted from record to record, so that no lookup waits for the preceding record.
        walked.bytes += fixed_bytes;
        ++walked.numbers;
        continue;
      }
      switch (id) {
        case shm::kCodeClock:
          if (walked.bytes != 0) {
            walked.at_clock = true;
            return walked;
          }
          record_bytes = shm::kClockRecordBytes;
          break;
        case shm::kCodePad:
          record_bytes = shm::head_tsc(head);
          break;
        case shm::kCodeDrop:
          record_bytes = shm::kDropRecordBytes;
          if (record_bytes <= left) {
            const auto count = load<std::uint64_t>(p + shm::kHeadBytes);
            walked.numbers += count;
            walked.drops += count;
          }
          break;
        case shm::kCodeExtended:
          if (left >= shm::kExtendedHeadBytes) record_bytes = load<std::uint32_t>(p + 16);
          ++walked.numbers;
          break;
        default:
          if (const RecordShape* const shape = shapes.find(id); shape != nullptr) {
            record_bytes = plain_bytes(*shape, p, left);
            if (shape->texts.empty() && record_bytes != 0) {
              fixed_id = id;
              fixed_bytes = record_bytes;
            }
          }
          ++walked.numbers;
      }
    }
    if (record_bytes < shm::kHeadBytes || record_bytes > left) {
      walked.sound = false;
      return walked;
    }
    walked.bytes += record_bytes;
  }
  return walked;
}

}  // namespace ringside
