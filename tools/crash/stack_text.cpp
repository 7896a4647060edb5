#include "tools/crash/stack_text.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "trace-format/condition/statement_pattern.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

std::string place_text(const CodePlace& place, const MappedCode& code) {
  std::string text = place.function.empty() ? "?" : trace::visible(place.function);
  if (!place.file.empty()) {
    text +=
        fmt::format(" at {}:{}", trace::visible(trace::without_folders(place.file)), place.line);
  }
  return text + fmt::format(" ({})", trace::visible(trace::without_folders(code.path)));
}

// What the log call consists of is inlined into the function that logs, mostly.
bool is_own_frame(const CodePlace& place) {
  return place.function.starts_with("ringside::CallStack::") ||
         place.function.find("ringside::detail::") != std::string::npos;
}

}  // namespace

const MappedCode* module_of(const std::vector<MappedCode>& modules, std::uint64_t address) {
  const auto found = std::find_if(modules.rbegin(), modules.rend(), [address](const auto& module) {
    return module.contains(address);
  });
  return found != modules.rend() ? &*found : nullptr;
}

std::string stack_as_text(std::span<const std::uint64_t> addresses, bool begins_at_instruction,
                          const std::vector<MappedCode>& modules, Symboliser& symboliser) {
  std::string out;
  // A crash may be in one of them.
  bool is_in_log_call = !begins_at_instruction;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const std::string prefix = fmt::format("    {:>2} {:#018x} ", i, addresses[i]);
    const std::uint64_t address = instruction_of(addresses, i, begins_at_instruction);
    const MappedCode* const code = module_of(modules, address);
    if (code == nullptr) {
      out += prefix + "no module is recorded for this address\n";
      continue;
    }
    const auto places = symboliser.places_of(*code, address);
    if (places.empty()) out += prefix + trace::visible(offset_text(*code, address)) + "\n";
    for (const CodePlace& place : places) {
      is_in_log_call = is_in_log_call && is_own_frame(place);
      if (is_in_log_call) continue;
      out += (place.is_inlined ? fmt::format("    {:>2} {:<18} ", i, "inlined") : prefix) +
             place_text(place, *code) + "\n";
    }
  }
  return out;
}

}  // namespace ringside::tool
