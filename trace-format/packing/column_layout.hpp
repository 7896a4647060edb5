// What the writer and the reader of a frame of columns share: README.md, "Columns".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "shm-layout/field_type.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::trace {

inline constexpr std::uint32_t kColumnMagic = 0x46435352;  // "RSCF"
inline constexpr std::size_t kColumnHeadBytes = 8;         // magic, restored bytes

// Limits of one frame, which bound the memory and time of a reader.
inline constexpr std::size_t kMaxFrameRingBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxExtentRingBytes = std::size_t{8} << 20;
inline constexpr std::size_t kFullFrameRingBytes = std::size_t{16} << 20;  // writers end the frame
inline constexpr std::size_t kMaxFrameTextBytes = std::size_t{16} << 20;   // from templates
inline constexpr std::size_t kMaxFrameTextNumbers = std::size_t{2} << 20;  // in them
inline constexpr std::size_t kMaxFrameSites = 65536;
inline constexpr std::size_t kMaxFrameFields = std::size_t{1} << 17;
// For each restored byte. A record takes a byte at least, and two values one.
inline constexpr std::size_t kMaxValuesPerByte = 4;

enum class PieceKind : std::uint8_t { kBytes = 0, kExtent = 1 };

// Which values share a column.
enum class Grouping : std::uint8_t { kAll = 0, kBySite = 1, kByPredecessor = 2 };

// The head of an extent in the order of its columns: stream id, first sequence number, base,
// smallest and largest time stamp, records, flags, dropped, cause.
struct ExtentHeadValues {
  static constexpr std::size_t kCount = 9;

  static ExtentHeadValues read(const std::byte* head);
  // All fields but records_bytes.
  void write(std::byte* head) const;

  std::uint64_t base() const { return values[2]; }
  std::uint64_t records() const { return values[5]; }

  std::array<std::uint64_t, kCount> values{};
};

// The sites of a frame, numbered from 1 in the order of appearance. Only the types of their
// variable fields matter, so that a frame does not depend on dictionaries in other frames.
class FrameSites {
 public:
  // `id`: in the file. Types are valid codes, no enumerations. False if there are too many.
  bool add(std::uint32_t id, std::span<const shm::FieldType> types);

  void clear() { *this = {}; }

  std::size_t size() const { return ids_.size() - 1; }
  std::uint32_t id(std::uint32_t number) const { return ids_[number]; }
  const SitePlan& plan(std::uint32_t number) const { return table_->find(number)->plan; }
  const SiteTable& table() const { return *table_; }

 private:
  std::vector<std::uint32_t> ids_ = {0};
  std::size_t fields_ = 0;
  std::unique_ptr<SiteTable> table_ = std::make_unique<SiteTable>();
};

// The values of one field. Which member is used depends on the field's coding.
struct FieldValues {
  std::vector<std::uint64_t> numbers;   // the lower 64 bits
  std::vector<std::uint64_t> high;      // of 128-bit integers and f80
  std::vector<std::string_view> texts;  // and the elements of arrays
};

struct SiteValues {
  std::vector<FieldValues> fields;
  std::size_t rows = 0;  // written, or read so far
};

}  // namespace ringside::trace
