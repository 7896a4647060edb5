#include "trace-format/read_report.hpp"

#include <utility>

namespace ringside::trace {

std::string ReadError::text() const {
  std::string text = file + ":" + std::to_string(offset) + ": " + what;
  if (!remedy.empty()) text += "; " + remedy;
  return text;
}

void ReadReport::note(ReadError error) {
  if (notes.size() < kMaxNotes) {
    notes.push_back(std::move(error));
  } else {
    ++further_notes;
  }
}

}  // namespace ringside::trace
