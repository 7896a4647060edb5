#include "trace-format/reader/section_reader.hpp"

#include <utility>

namespace ringside::trace {

SectionReader::SectionReader(std::shared_ptr<TraceFile> file, SectionScan scan,
                             const SectionContext& context)
    : section_(std::move(file), std::move(scan), context),
      losses_(section_, context),
      order_(section_, losses_, context.pool),
      walk_(section_, losses_, order_) {}

// Everything older than the limit is delivered.
bool SectionReader::walk_to_next() {
  while (!at_end_) {
    const std::uint64_t until_ns = section_.window().until_ns();
    // Nothing newer is wanted.
    const bool past_until = until_ns != kForever && order_.limit_ns() >= until_ns;
    if (walk_.is_over() || past_until) break;
    if (walk_.is_out_of_blocks()) return false;
    walk_.read_on();
    if (order_.next()) return true;
  }
  walk_.abandon();
  at_end_ = true;
  return false;
}

}  // namespace ringside::trace
