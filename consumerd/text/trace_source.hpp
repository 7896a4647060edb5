#pragma once
// Where the text's thread finds the traces.

#include <string>

#include "trace-format/reader/open_files.hpp"

namespace ringside::consumer {

struct TraceSource {
  std::string output_dir;
  std::string shm_dir;      // of the staging files, which have what is not in the traces yet
  trace::OpenFiles& files;  // of all services
};

}  // namespace ringside::consumer
