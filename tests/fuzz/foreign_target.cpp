// Any bytes as a trace of the format that RINGSIDE_FUZZ_FORMAT names: imported, and shown in all
// styles. For a format that is a directory: 4 bytes with the length of its metadata, the metadata,
// and the bytes of one stream.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "tools/interop/format_registry.hpp"

namespace {

using namespace ringside::tool;

using Bytes = std::span<const std::byte>;

constexpr InspectStyle kStyles[] = {InspectStyle::kText, InspectStyle::kJson, InspectStyle::kCsv};

const ForeignFormat& chosen_format() {
  const char* const name = std::getenv("RINGSIDE_FUZZ_FORMAT");
  const ForeignFormat* const format = name != nullptr ? find_foreign_format(name) : nullptr;
  if (format == nullptr) std::abort();
  return *format;
}

void finish(TraceBuilder& builder) {
  std::string error;
  builder.finish(&error);
}

void read_file(const ForeignFormat& format, Bytes bytes) {
  ConversionReport report;
  TraceBuilder builder(report);
  const auto input = InputBytes::in_memory("input", bytes);
  format.read(*input, builder, report);
  finish(builder);
  for (const InspectStyle style : kStyles) {
    OutputBytes output([](Bytes) { return true; });
    const auto again = InputBytes::in_memory("input", bytes);
    format.inspect(*again, style, output);
  }
}

void write_file(const std::filesystem::path& path, Bytes bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

void read_directory(const ForeignFormat& format, Bytes bytes) {
  std::uint32_t metadata_bytes = 0;
  if (bytes.size() < sizeof metadata_bytes) return;
  std::memcpy(&metadata_bytes, bytes.data(), sizeof metadata_bytes);
  bytes = bytes.subspan(sizeof metadata_bytes);
  const std::size_t first = std::min<std::size_t>(metadata_bytes, bytes.size());
  static const std::filesystem::path place = std::getenv("RINGSIDE_FUZZ_PLACE");
  write_file(place / "metadata", bytes.first(first));
  write_file(place / "stream", bytes.subspan(first));
  ConversionReport report;
  TraceBuilder builder(report);
  format.read_directory(place, builder, report);
  finish(builder);
  for (const InspectStyle style : kStyles) {
    OutputBytes output([](Bytes) { return true; });
    format.inspect_directory(place, style, output);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const ForeignFormat& format = chosen_format();
  const auto bytes = std::as_bytes(std::span(data, size));
  if (format.read != nullptr) {
    read_file(format, bytes);
  } else {
    read_directory(format, bytes);
  }
  return 0;
}
