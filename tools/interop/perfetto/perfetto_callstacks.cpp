#include "tools/interop/perfetto/perfetto_callstacks.hpp"

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_encoding.hpp"
#include "tools/interop/valid_utf8.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool::perfetto {
namespace {

using trace::TextSink;

// Readers reject frames without a mapping, although these frames have no file.
constexpr std::uint64_t kMappingIid = 1;

void put_entry(std::string& interned, std::uint32_t kind, const TextSink& entry) {
  TextSink field;
  protobuf::put_bytes(field, kind, entry.text());
  interned += field.text();
}

}  // namespace

void Callstacks::clear() {
  numbers_.clear();
  bytes_ = 0;
  written_.clear();
  fresh_.clear();
}

// A frame and the name of its function have the same number.
void Callstacks::put_frame(std::uint32_t frame) {
  if (written_.size() <= frame) written_.resize(frame + std::size_t{1});
  if (written_[frame]) return;
  written_[frame] = true;
  const std::uint64_t iid = std::uint64_t{frame} + 1;
  TextSink name;
  protobuf::put_number(name, interned_data::kIid, iid);
  protobuf::put_bytes(name, interned_data::kName, valid_utf8(stacks_.name(frame)));
  put_entry(fresh_, interned_data::kFunctionNames, name);
  TextSink entry;
  protobuf::put_number(entry, interned_data::kIid, iid);
  protobuf::put_number(entry, callstack_frame::kFunctionNameIid, iid);
  protobuf::put_number(entry, callstack_frame::kMappingIid, kMappingIid);
  protobuf::put_number(entry, callstack_frame::kRelativePc, 0);
  put_entry(fresh_, interned_data::kFrames, entry);
}

std::uint64_t Callstacks::number_of(const trace::Event& event) {
  SampledStacks::Stack stack;
  if (!stacks_.find(event, stack) || stack.addresses.size() < sizeof(std::uint64_t)) return 0;
  const std::vector<std::uint32_t>& frames = stacks_.frames(event, stack);
  std::string key(reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof frames[0]);
  const auto [place, is_new] = numbers_.try_emplace(std::move(key), numbers_.size() + 1);
  if (!is_new) return place->second;
  bytes_ += sizeof *place + place->first.size();
  if (numbers_.size() == 1) {
    TextSink mapping;
    protobuf::put_number(mapping, interned_data::kIid, kMappingIid);
    put_entry(fresh_, interned_data::kMappings, mapping);
  }
  TextSink callstack;
  protobuf::put_number(callstack, interned_data::kIid, place->second);
  for (const std::uint32_t frame : frames) {  // outermost first
    put_frame(frame);
    protobuf::put_number(callstack, callstack::kFrameIids, std::uint64_t{frame} + 1);
  }
  put_entry(fresh_, interned_data::kCallstacks, callstack);
  return place->second;
}

}  // namespace ringside::tool::perfetto
