#pragma once
// Replaces a trace file by its packed form, or the reverse (trace-format/README.md, "Packed
// files").

#include <string>

namespace ringside::tool {

struct PackingOptions {
  bool keep = false;   // keeps the source file
  bool force = false;  // replaces an existing file of this name
  int level = 3;       // of zstd
  bool bytes = false;  // the frames hold the bytes of the file, not columns
};

// Creates PATH.zst from `path`. On failure returns false with `*error`, and nothing is changed.
bool pack_file(const std::string& path, const PackingOptions& options, std::string* error);

// The reverse. A file with damaged frames is not changed.
bool unpack_file(const std::string& path, const PackingOptions& options, std::string* error);

}  // namespace ringside::tool
