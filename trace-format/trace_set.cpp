#include "trace-format/trace_set.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "trace-format/section_reader.hpp"
#include "trace-format/trace_paths.hpp"

namespace ringside::trace {
struct TraceSet::Impl {
  // A section that has not been begun has no reader: its file is not even open.
  struct Section {
    SectionScan scan;
    std::shared_ptr<SegmentInfo> segment;  // outlives the reader
    std::string path;
    std::shared_ptr<TraceFile> source;  // of a set of open files; null: opened by path in its turn
    std::unique_ptr<SectionReader> reader;
  };
  struct Item {
    EventKey key;
    std::uint32_t section = 0;
  };

  static bool later(const Item& a, const Item& b) {
    return b.key != a.key ? b.key < a.key : b.section < a.section;
  }

  void push(const Item& item) {
    heap.push_back(item);
    std::push_heap(heap.begin(), heap.end(), later);
  }
  Item pop() {
    std::pop_heap(heap.begin(), heap.end(), later);
    const Item item = heap.back();
    heap.pop_back();
    return item;
  }

  // A file may be packed at any time: what stood here a moment ago has another name then.
  std::unique_ptr<TraceFile> open_file(const std::string& path, ReadError* error) {
    auto file = TraceFile::open(path, error, &report);
    return file ? std::move(file) : TraceFile::open(packed_name(path), nullptr, &report);
  }

  bool scan(const std::string& path, ReadError* error) {
    const auto file = open_file(path, error);
    if (!file) return false;
    scan(*file, nullptr);
    return true;
  }

  void scan(TraceFile& file, const std::shared_ptr<TraceFile>& source) {
    ++report.files;
    std::vector<SectionScan> scans = scan_sections(file, report);
    if (scans.empty()) {
      report.note(
          {file.path(), 0, "holds no trace that can be read", "check that it is a trace file"});
    }
    for (SectionScan& found : scans) {
      ++report.sections;
      const auto index = static_cast<std::uint32_t>(sections.size());
      push({{found.first_unix_ns, 0, 0}, index});
      auto segment = found.segment;
      sections.push_back({std::move(found), std::move(segment), file.path(), source, nullptr});
    }
  }

  bool begin(Section& section) {
    ReadError error;
    std::shared_ptr<TraceFile> file = std::move(section.source);
    if (!file) file = open_file(section.path, &error);
    if (!file) {
      report.note(std::move(error));
      return false;
    }
    section.reader =
        std::make_unique<SectionReader>(std::move(file), std::move(section.scan), report);
    return true;
  }

  bool next(Event& event) {
    if (has_current) {
      Section& section = sections[current.section];
      has_current = false;
      if (!section.reader->next()) {
        section.reader.reset();
      } else {
        current.key = section.reader->key();
        // Most of the time there is one section, or the others' next events are younger.
        has_current = heap.empty() || !later(current, heap.front());
        if (!has_current) push(current);
      }
    }
    while (!has_current) {
      if (heap.empty()) return false;
      current = pop();
      Section& section = sections[current.section];
      if (section.reader) {
        has_current = true;
        break;
      }
      if (!begin(section)) continue;
      if (section.reader->next()) {
        push({section.reader->key(), current.section});
      } else {
        section.reader.reset();
      }
    }
    sections[current.section].reader->get(event);
    event.section = current.section;
    if (event.kind == EventKind::kRecord) {
      ++report.records;
      if (event.unix_ns < newest_unix_ns) ++report.late_records;
      newest_unix_ns = std::max(newest_unix_ns, event.unix_ns);
    }
    return true;
  }

  bool wants(const Event& event) const {
    if (event.unix_ns < options.since_ns || event.unix_ns >= options.until_ns) return false;
    if (event.kind == EventKind::kLoss && !options.losses) return false;
    if (options.stream && !options.stream(*event.stream, *event.segment)) return false;
    return event.kind == EventKind::kLoss || !options.site ||
           options.site(*event.record.site, *event.segment);
  }

  ReadOptions options;
  ReadReport report;
  std::vector<Section> sections;
  std::vector<Item> heap;
  Item current;
  bool has_current = false;
  std::uint64_t newest_unix_ns = 0;
};

TraceSet::TraceSet(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceSet::TraceSet(TraceSet&&) noexcept = default;
TraceSet& TraceSet::operator=(TraceSet&&) noexcept = default;
TraceSet::~TraceSet() = default;

std::optional<TraceSet> TraceSet::open(std::span<const std::string> paths, ReadError* error) {
  return open(paths, ReadOptions(), error);
}

std::optional<TraceSet> TraceSet::open(std::span<const std::string> paths, ReadOptions options,
                                       ReadError* error) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    const std::size_t before = files.size();
    if (!expand_trace_path(path, files, error)) return std::nullopt;
    for (std::size_t i = before; i < files.size(); ++i) {
      ReadError why;
      if (impl->scan(files[i], &why)) continue;
      // What was found in a directory may have been removed since.
      impl->report.note(why);
      if (files[i] != path) continue;
      if (error != nullptr) *error = std::move(why);
      return std::nullopt;
    }
  }
  if (files.empty() && error != nullptr) {
    *error = {paths.empty() ? std::string() : paths.front(), 0, "no trace files here",
              "give .ringtrace files or their directory"};
  }
  return begin(std::move(impl), error);
}

std::optional<TraceSet> TraceSet::open(std::vector<std::unique_ptr<TraceFile>> files,
                                       ReadOptions options, ReadError* error) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  for (std::unique_ptr<TraceFile>& file : files) {
    const std::shared_ptr<TraceFile> source = std::move(file);
    source->report_to(&impl->report);
    impl->scan(*source, source);
  }
  if (files.empty() && error != nullptr) *error = {"", 0, "no trace files here", "give some"};
  return begin(std::move(impl), error);
}

// Without a section there is nothing to read: what the files lack goes to `*error`.
std::optional<TraceSet> TraceSet::begin(std::unique_ptr<Impl> impl, ReadError* error) {
  if (!impl->sections.empty()) return TraceSet(std::move(impl));
  if (error != nullptr && !impl->report.notes.empty()) *error = impl->report.notes.front();
  return std::nullopt;
}

bool TraceSet::next(Event& event) {
  while (impl_->next(event)) {
    if (impl_->wants(event)) return true;
  }
  return false;
}
const ReadReport& TraceSet::report() const {
  return impl_->report;
}

}  // namespace ringside::trace
