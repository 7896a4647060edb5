#include "tools/interop/json/json_facts.hpp"

#include <charconv>

#include "shm-layout/printf_fields.hpp"
#include "tools/interop/event_facts.hpp"
#include "tools/interop/site_format.hpp"
#include "trace-format/condition/level_name.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {
namespace {

bool take_id(const JsonNode& node, std::array<std::uint8_t, 16>& id) {
  if (!node.is_text() || node.text.size() != 32) return false;
  for (std::size_t i = 0; i < 16; ++i) {
    const char* const digits = node.text.data() + 2 * i;
    if (std::from_chars(digits, digits + 2, id[i], 16).ptr != digits + 2) return false;
  }
  return true;
}

// With the type of a C argument if the value fits in it. False if it does not match.
bool add_as(JsonRecord& record, const shm::PrintfField& wanted, const JsonNode& node) {
  const bool is_format_argument = wanted.role != shm::PrintfRole::value;
  const shm::FieldType widest = shm::widest_type(wanted);
  return record.add_as(wanted.type, is_format_argument, node.key, node) ||
         (widest != wanted.type && record.add_as(widest, is_format_argument, node.key, node));
}

// False if the values do not match the format.
bool add_printf_fields(JsonRecord& record, const JsonTree& tree,
                       std::span<const std::uint32_t> fields, std::string_view but,
                       const shm::FieldList& wanted) {
  const auto is_but = [but](const JsonNode& node) { return !but.empty() && node.key == but; };
  std::uint32_t count = 0;
  bool suits = true;
  for (const std::uint32_t object : fields) {
    tree.for_each_in(object, [&](std::uint32_t i) {
      const JsonNode& node = tree.nodes()[i];
      if (!suits || is_but(node)) return;
      suits = count < wanted.count && add_as(record, wanted[count], node);
      ++count;
    });
  }
  return suits && count == wanted.count;
}

// NaN and infinities are texts in JSON. In brace style they become numbers again unless the format
// needs a text. The format of a message does not tell all other types, so these are those of JSON.
void add_fields(JsonRecord& record, const JsonHead& head, const JsonTree& tree,
                std::span<const std::uint32_t> fields, std::string_view but) {
  const auto add = [&](bool with_numbers) {
    bool has_numbers = false;
    record.begin(head);
    for (const std::uint32_t object : fields) {
      tree.for_each_in(object, [&](std::uint32_t i) {
        const JsonNode& node = tree.nodes()[i];
        if (!but.empty() && node.key == but) return;
        if (with_numbers && node.is_text() &&
            record.add_as(shm::FieldType::f64, false, node.key, node)) {
          has_numbers = true;
        } else {
          record.add(node.key, tree, i);
        }
      });
    }
    return has_numbers;
  };
  if (add(head.style == shm::FormatStyle::brace) && !can_format(record.definition())) add(false);
}

}  // namespace

bool JsonFacts::take(const JsonNode& member) {
  const std::string_view key = member.key;
  const auto is_text = [&](std::string_view name, std::string_view& text) {
    if (key != name || !member.is_text()) return false;
    text = member.text;
    return true;
  };
  const auto is_number = [&](std::string_view name, std::uint32_t flag, auto& number) {
    if (key != name || member.kind != JsonKind::kUnsigned) return false;
    number = static_cast<std::remove_reference_t<decltype(number)>>(member.low);
    extension.ext_flags |= flag;
    return true;
  };
  const auto is_id = [&](std::string_view name, std::uint32_t flag, auto& id) {
    if (key != name || !take_id(member, id)) return false;
    extension.ext_flags |= flag;
    return true;
  };
  std::string_view text;
  switch (key.empty() ? '\0' : key.front()) {
    case 'a':
      return is_id("activity", shm::kExtActivity, extension.activity);
    case 'c':
      if (is_text("category", head.category)) return true;
      if (key != "cut" || member.kind != JsonKind::kBool) return false;
      if (member.low != 0) extension.ext_flags |= shm::kExtCut;
      return true;
    case 'd':
      return is_number("duration_ns", shm::kExtDuration, extension.duration);
    case 'f':
      return is_text("file", head.file) || is_text("format", head.format) ||
             is_text("function", head.function);
    case 'k':
      if (is_text("kind", text)) {
        head.kind = site_kind_of(text);
        return true;
      }
      if (!is_text("keywords", text) || !text.starts_with("0x")) return false;
      std::from_chars(text.data() + 2, text.data() + text.size(), head.keywords, 16);
      return true;
    case 'l':
      if (is_text("level", text)) {
        const auto level = trace::level_of_constant(text);
        head.level = level.value_or(shm::Level::kNone);
        return level.has_value() || text == shm::level_name(shm::Level::kNone);
      }
      return is_number("line", 0, head.line);
    case 'm':
      has_message = has_message || key == "message";
      return key == "message" && member.is_text();
    case 'n':
      return is_text("name", head.name);
    case 'p':
      if (key != "processor" || member.kind != JsonKind::kUnsigned) return false;
      if (member.low >= shm::kMaxProcessorCode) return false;
      extension.processor = shm::processor_code(static_cast<std::uint32_t>(member.low));
      return true;
    case 'r':
      return is_id("related", shm::kExtRelatedActivity, extension.related);
    case 's':
      if (is_text("style", text)) {
        if (text == "brace") head.style = shm::FormatStyle::brace;
        return text == "brace";
      }
      return is_number("substream", shm::kExtSubstream, extension.substream) ||
             is_number("stack_id", shm::kExtStack, extension.stack_id);
    default:
      return false;
  }
}

void begin_with_fields(JsonRecord& record, JsonHead head, const JsonTree& tree,
                       std::span<const std::uint32_t> fields, std::string_view but) {
  if (head.style == shm::FormatStyle::printf) {
    const shm::FieldList wanted = shm::printf_fields(head.format);
    record.begin(head);
    if (wanted.ok() && add_printf_fields(record, tree, fields, but, wanted)) return;
    head.style = shm::FormatStyle::none;
  }
  add_fields(record, head, tree, fields, but);
}

shm::LossCause loss_cause_of(std::string_view token) {
  for (unsigned i = 0; i < 256; ++i) {
    const auto cause = static_cast<shm::LossCause>(i);
    if (trace::loss_cause_token(cause) == token) return cause;
  }
  return shm::LossCause::kUnknown;
}

shm::SiteKind site_kind_of(std::string_view name) {
  for (const shm::SiteKind kind : {shm::SiteKind::kLog, shm::SiteKind::kEvent, shm::SiteKind::kSpan,
                                   shm::SiteKind::kCounter, shm::SiteKind::kHistogram}) {
    if (kind_name(kind) == name) return kind;
  }
  return shm::SiteKind::kEvent;
}

}  // namespace ringside::tool
