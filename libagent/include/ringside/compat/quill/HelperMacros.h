/* The name of quill's header, for sources that stay unchanged. */
#pragma once
// Types that a std::ostream can write.

#include <fmt/ostream.h>
#include <ringside/compat/quill.hpp>
#include <ringside/compat/quill/formatted_text.hpp>

#define QUILL_LOGGABLE_DEFERRED_FORMAT(type) \
  template <>                                \
  struct fmt::formatter<type> : fmt::ostream_formatter {};
#define QUILL_LOGGABLE_DIRECT_FORMAT(type) QUILL_LOGGABLE_DEFERRED_FORMAT(type)
