#include "tools/symbols/symboliser.hpp"

#include <fmt/format.h>

#include "tools/symbols/elf_module.hpp"

namespace ringside::tool {
namespace {

// A trace can name any number of files.
constexpr std::size_t kMostFiles = 256;

}  // namespace

Symboliser::Symboliser() = default;
Symboliser::~Symboliser() = default;

std::vector<CodePlace> Symboliser::places_of(const MappedCode& code, std::uint64_t address) {
  const std::pair key(code.build_id, code.path);
  auto found = modules_.find(key);
  if (found == modules_.end()) {
    if (modules_.size() == kMostFiles) return {};
    found = modules_.emplace(key, ElfModule::open(code)).first;
  }
  if (found->second == nullptr) return {};
  return found->second->places_of(code, address);
}

std::string offset_text(const MappedCode& code, std::uint64_t address) {
  const std::size_t folder = code.path.rfind('/');
  const std::string name = folder == std::string::npos ? code.path : code.path.substr(folder + 1);
  const std::uint64_t offset =
      code.base != 0 ? address - code.base : address - code.begin + code.offset;
  return fmt::format("{}+{:#x}", name.empty() ? "?" : name, offset);
}

}  // namespace ringside::tool
