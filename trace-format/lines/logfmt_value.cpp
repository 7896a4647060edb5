#include "trace-format/lines/logfmt_value.hpp"

#include <string>
#include <string_view>

#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::trace {

void make_logfmt_value(TextSink& out, std::size_t begin) {
  const std::string_view written = out.text().substr(begin);
  const bool plain = !written.empty() && is_printable_ascii(written) &&
                     written.find_first_of(" =\"\\") == std::string_view::npos;
  if (plain) return;
  const std::string text(written);
  out.take_back(text.size());
  out.put('"');
  append_json_text(out, text);
  out.put('"');
}

}  // namespace ringside::trace
