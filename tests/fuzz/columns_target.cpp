// Any bytes as the content of a frame of columns, without the checksum of its zstd frame.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trace-format/packing/column_frame_reader.hpp"
#include "trace-format/packing/column_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringside::trace;
  const auto content = std::as_bytes(std::span(data, size));
  const auto bytes = restored_bytes(content);
  if (!bytes || *bytes > kMaxRestoredBytes) return 0;
  std::vector<std::byte> restored(*bytes);
  (void)restore_columns(content, restored);
  return 0;
}
