#pragma once
// Which files of one segment exist.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::consumer {

// The sequence numbers of the files of `stem` in `output_dir`, plain or packed, from `least` on:
// rising, each once. Nothing, and errno, if the directory cannot be read.
std::optional<std::vector<std::uint32_t>> file_numbers(const std::string& output_dir,
                                                       const std::string& stem,
                                                       std::uint32_t least);

}  // namespace ringside::consumer
