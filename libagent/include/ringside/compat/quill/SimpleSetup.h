/* The name of quill's header, for sources that stay unchanged. */
#pragma once
#include <ringside/compat/quill.hpp>

namespace quill {

/// The logger of this name. Where the records go is an option of consumerd.
inline Logger* simple_logger(const std::string& output = "stdout") {
  compat::report_sink();
  return Frontend::create_or_get_logger(output);
}

}  // namespace quill
