#include "tools/interop/viewers/sampled_stacks.hpp"

#include <fmt/format.h>

#include "tools/interop/nettrace/nettrace_facts.hpp"
#include "tools/interop/nettrace/nettrace_manifest.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool {

bool SampledStacks::is_stack(const trace::Field& field) {
  return field.name == nettrace::kStackField && field.is_array &&
         field.type == shm::FieldType::pointer;
}

bool SampledStacks::find(const trace::Event& event, Stack& stack) {
  if (sites_.is_full()) sites_.clear();
  const Place& place = sites_.of(event, [](const trace::Site& site) {
    Place found;
    for (std::size_t i = 0; i < site.fields.size(); ++i) {
      if (is_stack(site.fields[i])) found.field = i;
    }
    found.is_sample = site.category == nettrace::kSamplerProvider;
    return found;
  });
  if (place.field == kNoStack) return false;
  stack.addresses = event.record.args[place.field].text;
  stack.is_sample = place.is_sample;
  return stack.is_sample || stack.addresses.size() >= sizeof(std::uint64_t);
}

SampledStacks::Process& SampledStacks::process_of(const trace::Event& event) {
  if (last_process_ != nullptr && last_section_ == event.section) return *last_process_;
  const auto [found, is_new] = processes_.try_emplace(event.segment->uuid);
  if (is_new && methods_ != nullptr) {
    const auto methods = methods_->find(event.segment->uuid);
    if (methods != methods_->end()) found->second.methods = &methods->second;
  }
  last_section_ = event.section;
  last_process_ = &found->second;
  return *last_process_;
}

// A caller's address is its return address, which is after the call; the call can be the last
// instruction of its method.
std::uint32_t SampledStacks::frame_of(const MethodNames* methods, std::uint64_t address,
                                      bool is_innermost) {
  std::string name;
  if (methods != nullptr) {
    name = methods->name_at(address);
    const std::uint64_t code = is_innermost || address == 0 ? address : address - 1;
    if (name.empty()) name = methods->name_at(code);
    if (name.empty()) name = methods->name_of_entry_before(code);
  }
  if (name.empty()) name = fmt::format("0x{:x}", address);
  const auto [found, is_new] =
      numbers_.try_emplace(std::move(name), static_cast<std::uint32_t>(names_.size()));
  if (is_new) names_.push_back(&found->first);
  return found->second;
}

const std::vector<std::uint32_t>& SampledStacks::frames(const trace::Event& event,
                                                        const Stack& stack) {
  Process& process = process_of(event);
  const std::size_t count = stack.addresses.size() / sizeof(std::uint64_t);
  frames_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto address = trace::load<std::uint64_t>(
        reinterpret_cast<const std::byte*>(stack.addresses.data()) + i * sizeof(std::uint64_t));
    auto& known = i == 0 ? process.innermost : process.callers;
    const auto [found, is_new] = known.try_emplace(address, 0);
    if (is_new) found->second = frame_of(process.methods, address, i == 0);
    frames_[count - 1 - i] = found->second;
  }
  return frames_;
}

}  // namespace ringside::tool
