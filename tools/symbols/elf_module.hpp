#pragma once
// One ELF file with its debug information, opened by build id.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/symbols/mapped_code.hpp"
#include "tools/symbols/symboliser.hpp"

struct Dwfl;
struct Dwfl_Module;

namespace ringside::tool {

// Not thread-safe.
class ElfModule {
 public:
  // Null if there is no file of this build id.
  static std::unique_ptr<ElfModule> open(const MappedCode& code);
  ~ElfModule();
  ElfModule(const ElfModule&) = delete;
  ElfModule& operator=(const ElfModule&) = delete;

  std::vector<CodePlace> places_of(const MappedCode& code, std::uint64_t address) const;

 private:
  ElfModule(Dwfl* session, Dwfl_Module* module) : session_(session), module_(module) {}
  std::optional<std::uint64_t> address_in_session(const MappedCode& code,
                                                  std::uint64_t address) const;

  Dwfl* session_;
  Dwfl_Module* module_;
};

}  // namespace ringside::tool
