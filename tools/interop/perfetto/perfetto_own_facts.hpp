#pragma once
// The facts of a record in Ringside's own annotations of a Perfetto trace.

#include <cstdint>
#include <string_view>

#include "tools/interop/perfetto/perfetto_interned.hpp"
#include "trace-format/codec/extent_decoder.hpp"

namespace ringside::tool::perfetto {

// Views are valid as long as the annotations.
struct OwnFacts {
  bool is_own = false;  // perfetto_writer has written the event
  trace::RecordExtension extension;
  std::string_view level;
  std::string_view kind;
  std::string_view style;
  std::string_view name;
  std::string_view format;
  bool has_name = false;
  bool has_format = false;
  bool is_loss = false;
  std::uint64_t keywords = 0;
  std::uint64_t count = 0;
  std::string_view cause;

  // Takes the fact of an annotation. True: it belongs to the statement.
  bool take(OwnFact fact, std::uint64_t number, std::string_view text);
};

}  // namespace ringside::tool::perfetto
