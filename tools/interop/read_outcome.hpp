#pragma once
// How the reading of a foreign file ended.

#include <cstdint>
#include <string>
#include <vector>

namespace ringside::tool {

enum class ReadEnd : std::uint8_t {
  kWhole,    // to its end
  kDamaged,  // damage, or an unexpected end of the file, at `offset`; the part before it is
             // delivered
  kRefused,  // nothing is delivered: not this format, or a version of it that is not read
};

struct ReadOutcome {
  ReadEnd end = ReadEnd::kWhole;
  std::uint64_t offset = 0;           // in the file, unless kWhole
  std::string message;                // the fault and its remedy; empty if kWhole
  std::vector<std::string> warnings;  // what is unusual or was skipped, once per kind

  static ReadOutcome refused(std::uint64_t offset, std::string message) {
    return {ReadEnd::kRefused, offset, std::move(message), {}};
  }
  static ReadOutcome damaged(std::uint64_t offset, std::string message) {
    return {ReadEnd::kDamaged, offset, std::move(message), {}};
  }
};

}  // namespace ringside::tool
