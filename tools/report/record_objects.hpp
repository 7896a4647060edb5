#pragma once
// Records as the objects of `ringcat --format json`, of bounded length.

#include <cstddef>
#include <string>
#include <vector>

#include "tools/text/json_lines.hpp"
#include "trace-format/lines/line_clocks.hpp"
#include "trace-format/lines/line_text.hpp"
#include "trace-format/reader/trace_event.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool {

// Not thread-safe.
class RecordObjects {
 public:
  static constexpr std::size_t kMostTextBytes = 4'096;

  struct Object {
    std::string json;     // without a newline
    bool is_cut = false;  // texts or arrays are not complete
  };
  // Texts of values are cut to `most` bytes; if the object is much longer nevertheless, its message
  // and names, too.
  Object of(const trace::Event& event, std::size_t most = kMostTextBytes);

 private:
  bool cut_values(std::vector<trace::Value>& values, std::size_t most);

  JsonLines format_;
  trace::LineTexts texts_{format_};
  trace::LineClocks clocks_{true};
  trace::TextSink sink_;
  std::vector<trace::Value> values_;
  trace::RecordExtension extension_;
  trace::RecordContext context_;
};

}  // namespace ringside::tool
