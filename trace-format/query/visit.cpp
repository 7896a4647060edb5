#include "trace-format/query/visit.hpp"

namespace ringside::trace::query {

std::string VisitResult::text() const {
  if (unreadable) return unreadable->text();
  return error ? error->text() : std::string();
}

void add_report(ReadReport& whole, const ReadReport& part) {
  whole.files += part.files;
  whole.sections += part.sections;
  whole.sections_without_end += part.sections_without_end;
  whole.extents += part.extents;
  whole.records += part.records;
  whole.dropped_records += part.dropped_records;
  whole.missing_records += part.missing_records;
  whole.not_selected_records += part.not_selected_records;
  whole.late_records += part.late_records;
  whole.skipped_blocks += part.skipped_blocks;
  whole.damaged_blocks += part.damaged_blocks;
  whole.damaged_bytes += part.damaged_bytes;
  whole.unfinished_bytes += part.unfinished_bytes;
  whole.damaged_frames += part.damaged_frames;
  whole.bytes_read += part.bytes_read;
  whole.peak_open_extents = std::max(whole.peak_open_extents, part.peak_open_extents);
  for (const ReadError& note : part.notes) whole.note(note);
  whole.further_notes += part.further_notes;
}

}  // namespace ringside::trace::query
