#pragma once
// The dictionary's texts for a statement in stream style.

#include <optional>
#include <span>
#include <string_view>

#include "libagent/include/ringside/stream_site.hpp"

namespace ringside {

inline bool is_stream(const rs_site& site) {
  return (site.flags & (RS_SITE_STREAM | RS_SITE_STREAM_VARYING)) != 0;
}

// The one for texts that vary, before there are any.
inline bool is_unused_stream(const rs_site& site) {
  return (site.flags & RS_SITE_STREAM_VARYING) != 0 && site.format == nullptr;
}

// A format in brace style. Before the statement's first execution: a note. None if it is too
// long. Valid until the next call; under the slow-path lock.
std::optional<std::string_view> stream_format(const rs_site& site);

// Names the fields: arg1, arg2 for the values in their order, text1, text2 for texts.
void name_stream_fields(const rs_site& site, std::span<std::string_view> names);

}  // namespace ringside
