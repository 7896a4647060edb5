#include "trace-format/blocks/read_report.hpp"

#include <algorithm>
#include <utility>

namespace ringside::trace {

std::string ReadError::text() const {
  std::string text = file;
  // An error at offset 0 concerns the whole file.
  if (offset != 0) text += ":" + std::to_string(offset);
  if (!text.empty()) text += ": ";
  text += what;
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

bool ReadReport::note_once(ReadError error) {
  const bool known = std::any_of(notes.begin(), notes.end(), [&](const ReadError& other) {
    return other.offset == error.offset && other.file == error.file && other.what == error.what;
  });
  if (!known) note(std::move(error));
  return !known;
}

}  // namespace ringside::trace
