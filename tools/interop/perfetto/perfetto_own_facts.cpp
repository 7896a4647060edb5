#include "tools/interop/perfetto/perfetto_own_facts.hpp"

#include <array>
#include <charconv>

#include "shm-layout/record_head.hpp"

namespace ringside::tool::perfetto {
namespace {

// In the writer's form of ids: 32 hexadecimal digits.
bool read_id(std::string_view digits, std::array<std::uint8_t, 16>& id) {
  if (digits.size() != 2 * id.size()) return false;
  for (std::size_t i = 0; i < id.size(); ++i) {
    const char* const at = digits.data() + 2 * i;
    if (std::from_chars(at, at + 2, id[i], 16).ptr != at + 2) return false;
  }
  return true;
}

}  // namespace

bool OwnFacts::take(OwnFact fact, std::uint64_t number, std::string_view text) {
  is_own = true;
  switch (fact) {
    case OwnFact::kLevel:
      level = text;
      return true;
    case OwnFact::kKind:
      kind = text;
      return true;
    case OwnFact::kKeywords:
      keywords = number;
      return true;
    case OwnFact::kName:
      name = text;
      has_name = true;
      return true;
    case OwnFact::kFormat:
      format = text;
      has_format = true;
      return true;
    case OwnFact::kStyle:
      style = text;
      return true;
    case OwnFact::kActivity:
      if (read_id(text, extension.activity)) extension.ext_flags |= shm::kExtActivity;
      return false;
    case OwnFact::kRelated:
      if (read_id(text, extension.related)) extension.ext_flags |= shm::kExtRelatedActivity;
      return false;
    case OwnFact::kSubstream:
      extension.ext_flags |= shm::kExtSubstream;
      extension.substream = number;
      return false;
    case OwnFact::kStack:
      extension.ext_flags |= shm::kExtStack;
      extension.stack_id = static_cast<std::uint32_t>(number);
      return false;
    case OwnFact::kProcessor:
      if (number < shm::kMaxProcessorCode) {
        extension.processor = shm::processor_code(static_cast<std::uint32_t>(number));
      }
      return false;
    case OwnFact::kCut:
      extension.ext_flags |= shm::kExtCut;
      return false;
    case OwnFact::kCount:
      is_loss = true;
      count = number;
      return false;
    case OwnFact::kCause:
      cause = text;
      return false;
    default:  // the builder numbers records again, and the format gives the message
      return false;
  }
}

}  // namespace ringside::tool::perfetto
