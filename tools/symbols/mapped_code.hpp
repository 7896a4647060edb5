#pragma once
// Code of a process that a trace describes: where a file was mapped.

#include <cstdint>
#include <string>

namespace ringside::tool {

// From a record `ringside.module`. Untrusted.
struct MappedCode {
  std::uint64_t begin = 0;   // of the executable mapping
  std::uint64_t end = 0;     // of it
  std::uint64_t offset = 0;  // of `begin` in the file
  std::uint64_t base = 0;    // where the file's first byte was mapped; 0: unknown
  std::string path;
  std::string build_id;  // hexadecimal; empty: unknown

  bool contains(std::uint64_t address) const { return address >= begin && address < end; }
  bool operator==(const MappedCode&) const = default;
};

}  // namespace ringside::tool
