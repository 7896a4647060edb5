// Converts fields that no field of a record can hold to text.

#include <bit>

#include <fmt/format.h>

#include "tools/interop/ctf/ctf_decoder.hpp"
#include "tools/interop/trace_builder.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool::ctf {

bool Decoder::render(const Node& node, std::string& text) {
  // A record does not hold more; the rest is decoded without text.
  if (text.size() >= TraceBuilder::kMostGatheredBytes) return walk(node);
  switch (node.kind) {
    case TypeKind::kInteger:
    case TypeKind::kEnum: {
      std::uint64_t number = 0;
      if (!raw(node, number)) return false;
      number = extended(node, number);
      if (node.slot != kNone) slots_[node.slot] = number;
      if (node.is_odd && node.type->is_boolean) {
        text += number != 0 ? "true" : "false";
        return true;
      }
      text += node.is_signed ? fmt::format("{}", static_cast<std::int64_t>(number))
                             : fmt::format("{}", number);
      return true;
    }
    case TypeKind::kFloat: {
      std::uint64_t number = 0;
      if (!raw(node, number)) return false;
      text += node.bits == 32
                  ? fmt::format("{}", std::bit_cast<float>(static_cast<std::uint32_t>(number)))
                  : fmt::format("{}", std::bit_cast<double>(number));
      return true;
    }
    case TypeKind::kString: {
      std::string_view one;
      if (!string(node, wide_, one)) return false;
      text += trace::quoted_json_text(one);
      return true;
    }
    case TypeKind::kArray:
    case TypeKind::kSequence: {
      std::uint64_t count = 0;
      if (!count_of(node, count)) return false;
      if (node.children.front().is_text && node.children.front().bits == 8) {
        std::string copy;
        std::string_view one;
        if (!characters(node, count, copy, one)) return false;
        text += trace::quoted_json_text(one);
        return true;
      }
      text += '[';
      for (std::uint64_t i = 0; i < count; ++i) {
        if (i != 0) text += ',';
        const std::uint64_t begin = bits_.at();
        const std::size_t before = text.size();
        if (!render(node.children.front(), text)) return false;
        if (!check_empty(node, begin, text.size() - before)) return false;
      }
      text += ']';
      return true;
    }
    case TypeKind::kStruct:
      bits_.align(node.align_bits);
      text += '{';
      for (const Node& child : node.children) {
        if (&child != &node.children.front()) text += ',';
        const std::uint64_t begin = bits_.at();
        const std::size_t before = text.size();
        text += trace::quoted_json_text(plain_name(child.name)) + ':';
        if (!render(child, text)) return false;
        if (!check_empty(child, begin, text.size() - before)) return false;
      }
      text += '}';
      return true;
    case TypeKind::kVariant: {
      const Node* const chosen = option(node);
      return chosen != nullptr && render(*chosen, text);
    }
  }
  return true;
}

}  // namespace ringside::tool::ctf
