#pragma once
// Trace files with a header and an END, and nothing between them: retention reads nothing else.

#include <array>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "trace-format/blocks/block_writer.hpp"

namespace ringside::consumer_test {

inline std::array<std::uint8_t, 16> boot_id_of_this_machine() {
  std::string text;
  std::getline(std::ifstream("/proc/sys/kernel/random/boot_id"), text);
  std::erase(text, '-');
  std::array<std::uint8_t, 16> id{};
  for (std::size_t i = 0; i < id.size(); ++i) {
    id[i] = static_cast<std::uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
  }
  return id;
}

// A section of this boot or of another one, with or without an END block.
inline void write_section_file(const std::string& path, std::optional<trace::EndReason> end,
                               bool this_boot = true) {
  std::array<std::byte, 1024> block;
  trace::SectionHeader header;
  if (this_boot) header.boot_id = boot_id_of_this_machine();
  std::ofstream out(path, std::ios::binary);
  const auto put = [&](std::size_t bytes) {
    out.write(reinterpret_cast<const char*>(block.data()), static_cast<std::streamsize>(bytes));
  };
  put(trace::write_header_block(header, block));
  if (!end) return;
  trace::EndBlock last;
  last.reason = *end;
  put(trace::write_end_block(last, block));
}

}  // namespace ringside::consumer_test
