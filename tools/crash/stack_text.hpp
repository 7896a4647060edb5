#pragma once
// The frames of a stack as lines for a person.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tools/symbols/mapped_code.hpp"
#include "tools/symbols/symboliser.hpp"

namespace ringside::tool {

// The module of an instruction, by the last record that has it; null: unknown.
const MappedCode* module_of(const std::vector<MappedCode>& modules, std::uint64_t address);

// Each frame as "    N 0xADDRESS FUNCTION at FILE:LINE (MODULE)", one line for each inlined
// function before it. All addresses are where calls return to, except the first one with
// `begins_at_instruction`.
std::string stack_as_text(std::span<const std::uint64_t> addresses, bool begins_at_instruction,
                          const std::vector<MappedCode>& modules, Symboliser& symboliser);

// The address that names the function of a frame.
inline std::uint64_t instruction_of(std::span<const std::uint64_t> addresses, std::size_t index,
                                    bool begins_at_instruction) {
  const bool is_instruction = (index == 0 && begins_at_instruction) || addresses[index] == 0;
  return is_instruction ? addresses[index] : addresses[index] - 1;
}

}  // namespace ringside::tool
