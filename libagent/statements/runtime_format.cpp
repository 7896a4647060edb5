// Statements of macros whose formats are only known at run time.

#include <cstdint>
#include <string_view>

#include "libagent/include/ringside/runtime_call.hpp"
#include "libagent/process/signal_frame.hpp"
#include "libagent/statements/runtime_statements.hpp"

namespace ringside {
namespace {

std::string_view text_or_empty(const char* text) {
  return text == nullptr ? std::string_view() : std::string_view(text);
}

RuntimeDescription formatted_description(const rs_site& unformatted, std::uint8_t style,
                                         std::string_view format) {
  RuntimeDescription description;
  description.format = format;
  description.names = unformatted.arguments;
  description.names.remove_suffix(std::string_view(RS_FORMAT_FIELD_).size());
  const rs_signature& signature = *unformatted.signature;
  description.types = {reinterpret_cast<const char*>(signature.types),
                       std::size_t{signature.count} - 1};
  if (const rs_site_detail* const detail = unformatted.detail) {
    description.category = text_or_empty(detail->category);
    description.keywords = detail->keywords;
  }
  description.file = text_or_empty(unformatted.file);
  description.function = text_or_empty(unformatted.function);
  description.line = unformatted.line;
  description.level = unformatted.level;
  description.style = style;
  description.is_of_macro = true;
  return description;
}

std::size_t text_bytes(const RuntimeDescription& description) {
  return description.format.size() + description.names.size() + description.category.size() +
         description.file.size() + description.function.size();
}

// 0: none.
std::int32_t handle_of_format(const RuntimeDescription& description) {
  if (text_bytes(description) > kMostDescriptionBytes) return 0;
  if (const std::int32_t known = find_runtime_statement(description)) return known;
  if (are_runtime_statements_used_up()) return 0;
  // It may have interrupted the allocator.
  if (can_see_signal_frames() && runs_in_signal_handler()) return 0;
  const std::int32_t handle = find_or_add_runtime_statement(description);
  return handle > 0 ? handle : 0;
}

}  // namespace
}  // namespace ringside

rs_site* rs_format_site(rs_site* unformatted, std::uint8_t style, const char* format,
                        std::uint64_t format_bytes, std::int32_t* handle) {
  *handle = ringside::handle_of_format(
      ringside::formatted_description(*unformatted, style, {format, format_bytes}));
  return *handle != 0 ? &ringside::runtime_statement(*handle)->site : unformatted;
}
