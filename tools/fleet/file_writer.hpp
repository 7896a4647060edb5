#pragma once
// Whether more may come to a trace file.

#include <string>

namespace ringside::fleet {

// Whether a writer holds the file (trace-format/blocks/writer_lock.hpp). False if it is gone or
// cannot be opened.
bool has_writer(const std::string& path);

}  // namespace ringside::fleet
