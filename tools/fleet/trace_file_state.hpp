#pragma once
// What can be known of a trace file without reading it.

#include <filesystem>
#include <string>

namespace ringside::fleet {

// Whether a writer can hold the file (trace-format/blocks/writer_lock.hpp). False if it is gone;
// true if it cannot be asked now, as when this process has no descriptor left.
bool has_writer(const std::string& path);

// For a file that could not be opened as a trace, under its name before it was packed: whether
// another attempt can succeed. False if it is gone, or opens and has no trace.
bool may_open_later(const std::string& path);

// Under the same name. The present time if there is no such file.
std::filesystem::file_time_type written_last(const std::string& path);

}  // namespace ringside::fleet
