#pragma once
// One trace file packed, or unpacked, in place of the other (trace-format/README.md, "Packed
// files").

#include <string>

namespace ringside::tool {

struct PackingOptions {
  bool keep = false;   // the file that it was made of
  bool force = false;  // replaces a file that has the name already
  int level = 3;       // of zstd
};

// Makes PATH.zst of `path`. False with `*error`, and nothing is changed, if that is not possible.
bool pack_file(const std::string& path, const PackingOptions& options, std::string* error);

// The other way round. A file whose frames are damaged stays as it is.
bool unpack_file(const std::string& path, const PackingOptions& options, std::string* error);

}  // namespace ringside::tool
