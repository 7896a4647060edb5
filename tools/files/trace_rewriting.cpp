#include "tools/files/trace_rewriting.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "tools/files/output_file.hpp"
#include "tools/files/section_rewriter.hpp"
#include "tools/files/section_writer.hpp"
#include "trace-format/blocks/trace_file.hpp"
#include "trace-format/reader/section_scan.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::tool {
namespace {

struct Place {
  std::size_t segment = 0;  // index of its segment, in order of first occurrence
  std::size_t input = 0;
  trace::SectionScan scan;
};

// Sorts each segment's sections by file sequence number, then by position in the file.
void put_in_order(std::vector<Place>& places) {
  std::map<std::array<std::uint8_t, 16>, std::size_t> segments;
  for (Place& place : places) {
    place.segment = segments.try_emplace(place.scan.segment->uuid, segments.size()).first->second;
  }
  std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::tuple(a.segment, a.scan.segment->file_sequence) <
           std::tuple(b.segment, b.scan.segment->file_sequence);
  });
}

Cut cut_of(const std::optional<trace::ReadOptions>& wanted, const trace::SectionScan& scan) {
  Cut cut;
  if (!wanted) return cut;
  cut.everything = false;
  cut.since_ns = wanted->since_ns;
  cut.until_ns = wanted->until_ns;
  if (wanted->stream) {
    cut.stream = [&wanted, &scan](const trace::StreamBlock& block) {
      trace::StreamInfo stream;
      stream.id = block.stream_id;
      stream.start_tsc = block.start_tsc;
      stream.thread_id = block.thread_id;
      stream.ring_index = block.ring_index;
      stream.thread_name = block.thread_name;
      return wanted->stream(stream, *scan.segment);
    };
  }
  return cut;
}

}  // namespace

bool rewrite_traces(const Rewriting& rewriting, trace::ReadReport& report, std::string* error) {
  trace::ReadError why;
  std::vector<std::string> paths;
  for (const std::string& input : rewriting.inputs) {
    if (!trace::expand_trace_path(input, paths, &why)) {
      *error = why.text();
      return false;
    }
  }
  if (paths.empty()) {
    *error = "no trace files found; name files or directories of *.ringtrace";
    return false;
  }
  std::vector<Place> places;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto file = trace::TraceFile::open(paths[i], &why);
    if (file == nullptr) {
      *error = why.text();
      return false;
    }
    const std::size_t before = places.size();
    for (trace::SectionScan& scan : trace::scan_sections(*file, report)) {
      places.push_back({0, i, std::move(scan)});
    }
    if (places.size() == before) {
      *error = paths[i] +
               ": not a Ringside trace that this version can read; check the path, or use a newer "
               "ringcat";
      return false;
    }
  }
  put_in_order(places);
  const auto output =
      OutputFile::create(rewriting.output, {rewriting.force, mode_like(paths.front())}, error);
  if (output == nullptr) return false;
  SectionWriter writer(*output);
  std::unique_ptr<trace::TraceFile> file;
  std::size_t open_input = paths.size();
  for (const Place& place : places) {
    if (place.input != open_input) {
      file = trace::TraceFile::open(paths[place.input], &why, &report);
      if (file == nullptr) {
        *error = why.text();
        return false;
      }
      open_input = place.input;
    }
    const Cut cut = cut_of(rewriting.cut, place.scan);
    SectionRewriter(*file, place.scan, cut, writer, report).run();
  }
  if (rewriting.cut && output->bytes() == 0) {
    *error = "no records match the time, service and thread; no file is written";
    return false;
  }
  return output->commit(error);
}

}  // namespace ringside::tool
