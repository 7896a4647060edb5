// Any bytes as a trace file in memory.

#include <cstddef>
#include <cstdint>
#include <span>

#include "tests/fuzz/read_trace.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  ringside::fuzz::read_trace(
      ringside::trace::TraceFile::in_memory("input", {bytes.begin(), bytes.end()}));
  return 0;
}
