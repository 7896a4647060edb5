#include "tests/fuzz/read_trace.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "trace-format/reader/collection_history.hpp"
#include "trace-format/reader/trace_set.hpp"
#include "trace-format/text/message_text.hpp"

namespace ringside::fuzz {
namespace {

using trace::Site;

// The text of one record can be as long as its arguments and 16 KiB for each conversion.
constexpr std::size_t kTextKept = std::size_t{1} << 16;

std::optional<trace::MessageFormat> format_of(const Site& site) {
  std::vector<trace::FormatField> fields;
  for (const trace::Field& field : site.fields) {
    fields.push_back({field.name, field.is_array ? shm::array_of(field.type) : field.type});
  }
  return trace::MessageFormat::parse(static_cast<shm::FormatStyle>(site.style), site.format, fields,
                                     nullptr);
}

// Returns the number of damaged blocks.
std::uint64_t read_collection(trace::TraceFile& file) {
  trace::CollectionHistory history;
  trace::ReadError error;
  history.add(file, &error);
  history.finish();
  for (const trace::CollectedSegment& segment : history.segments()) {
    for (const trace::CollectedSpan& span : segment.spans) {
      segment.sites->for_each([&](const Site& site) { span.state_of(site, span.until_ns); });
    }
  }
  return history.report().damaged_blocks;
}

std::optional<trace::ReadReport> read_to_the_end(std::unique_ptr<trace::TraceFile> file) {
  const std::uint64_t damaged = read_collection(*file);
  std::vector<std::unique_ptr<trace::TraceFile>> files;
  files.push_back(std::move(file));
  trace::ReadError error;
  trace::ReadOptions options;
  options.site_losses = true;
  auto set = trace::TraceSet::open(std::move(files), std::move(options), &error);
  if (!set) return {};
  // Sites live as long as their section is being read.
  std::map<std::pair<std::uint32_t, const Site*>, std::optional<trace::MessageFormat>> formats;
  trace::Event event;
  std::string text;
  while (set->next(event)) {
    if (event.kind != trace::EventKind::kRecord) continue;
    const Site* const site = event.record.site;
    auto [it, is_new] = formats.try_emplace({event.section, site});
    if (is_new) it->second = format_of(*site);
    if (it->second) it->second->append(text, event.record.args);
    if (text.size() > kTextKept) text.clear();
  }
  trace::ReadReport report = set->report();
  report.damaged_blocks += damaged;
  return report;
}

}  // namespace

void read_trace(std::unique_ptr<trace::TraceFile> file) {
  read_to_the_end(std::move(file));
}

void read_sound_trace(std::unique_ptr<trace::TraceFile> file) {
  const auto report = read_to_the_end(std::move(file));
  if (report && report->damaged_blocks == 0 && report->damaged_bytes == 0) return;
  std::fprintf(stderr, "not a sound trace\n");
  for (const trace::ReadError& note : report ? report->notes : std::vector<trace::ReadError>()) {
    std::fprintf(stderr, "%s\n", note.text().c_str());
  }
  std::abort();
}

}  // namespace ringside::fuzz
