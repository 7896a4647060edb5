#include "trace-format/reader/trace_set.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/format_constants.hpp"
#include "trace-format/reader/open_files.hpp"
#include "trace-format/reader/section_reader.hpp"
#include "trace-format/reader/trace_end.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::trace {
struct TraceSet::Impl {
  // A section that has not begun has no reader. Many can have begun: an INDEX block does not
  // contain the times of LOSSES blocks, so that a section begins at the time of its first CLOCK
  // block, which can be seconds older than its first record.
  struct Section {
    SectionScan scan;
    std::shared_ptr<SegmentInfo> segment;  // outlives the reader
    std::string path;
    std::shared_ptr<TraceFile> source;  // for a set of open files; null: opened by path in its turn
    std::unique_ptr<SectionReader> reader;
    SequenceLedger* ledger = nullptr;
    std::size_t place = 0;  // index in the ledger
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

  bool scan(const std::string& path, ReadError* error) {
    const auto file = open_files.open(path, error);
    if (!file) return false;
    scan(*file, nullptr);
    return true;
  }

  // No reader will read this file again: its bytes are reported as lost, unless the file was only
  // just begun.
  void count_bytes_of_no_section(TraceFile& file) {
    BlockReader reader(file, 0, file.size(), &report);
    Block block;
    while (reader.next(block)) {
      ++report.damaged_blocks;
      report.damaged_bytes += block.frame.block_bytes();
    }
  }

  void scan(TraceFile& file, const std::shared_ptr<TraceFile>& source) {
    ++report.files;
    std::vector<SectionScan> scans = scan_sections(file, report);
    if (scans.empty() && !may_begin_a_trace(file)) {
      ++report.damaged_blocks;
      report.damaged_bytes += file.size();
      report.note(
          {file.path(), 0, "not a trace", "name .ringtrace files, or give the format with --from"});
    } else if (scans.empty()) {
      count_bytes_of_no_section(file);
      report.note({file.path(), 0, "contains no readable trace", "check that it is a trace file"});
    }
    for (SectionScan& found : scans) {
      ++report.sections;
      auto segment = found.segment;
      sections.push_back(
          {std::move(found), std::move(segment), file.path(), source, nullptr, nullptr, 0});
    }
  }

  // After all files are known: finds the sections that belong together, and those that are wanted.
  void prepare() {
    std::vector<std::uint32_t> order(sections.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto written_as = [this](std::uint32_t i) {
      const SegmentInfo& segment = *sections[i].segment;
      return std::tuple(segment.uuid, segment.file_sequence, i);
    };
    std::sort(order.begin(), order.end(),
              [&](std::uint32_t a, std::uint32_t b) { return written_as(a) < written_as(b); });
    const SegmentInfo* before = nullptr;
    for (const std::uint32_t i : order) {
      Section& section = sections[i];
      const SegmentInfo& segment = *section.segment;
      const bool is_known = segment.uuid != decltype(segment.uuid)();
      const bool goes_on = is_known && before != nullptr && before->uuid == segment.uuid;
      if (!goes_on) ledgers.push_back(std::make_unique<SequenceLedger>());
      if (goes_on && segment.file_sequence - before->file_sequence > 1) {
        const std::uint32_t missing = segment.file_sequence - before->file_sequence - 1;
        report.note({section.path, section.scan.begin,
                     std::to_string(missing) + " files of the segment are missing between " +
                         before->file + " and this one",
                     "name these files too if they still exist"});
      }
      before = &segment;
      section.ledger = ledgers.back().get();
      section.place = section.ledger->add_section();
    }
    const bool has_earlier = leave_out_earlier();
    for (std::uint32_t i = 0; i < sections.size(); ++i) {
      Section& section = sections[i];
      // Losses at the end depend on all earlier sections.
      if (has_earlier) {
        push({{section.scan.first_unix_ns, 0, 0}, i});
        continue;
      }
      const ReadWindow window(options, section.scan.clocks);
      if (section.scan.min_tsc != SectionScan::kNoTsc &&
          (window.ends_before(section.scan.max_tsc) || window.begins_after(section.scan.min_tsc))) {
        section.ledger->close(section.place, false);
        section.source.reset();
        continue;
      }
      push({{section.scan.first_unix_ns, 0, 0}, i});
    }
    if (options.threads > 1) pool = std::make_unique<DecodePool>(options.threads - 1);
  }

  // Whether options.end_bytes leaves anything out.
  bool leave_out_earlier() {
    if (options.end_bytes == 0) return false;
    TraceEnd trace_end;
    for (const Section& section : sections) trace_end.add(section.scan);
    end_ns = trace_end.begin_ns(options.end_bytes);
    if (end_ns <= options.since_ns) end_ns = 0;
    if (end_ns == 0) {
      options.end_bytes = 0;
      return false;
    }
    options.since_ns = end_ns;
    return true;
  }

  bool begin(Section& section) {
    ReadError error;
    std::shared_ptr<TraceFile> file = std::move(section.source);
    if (!file) file = open_files.open(section.path, &error);
    if (!file) {
      report.note(std::move(error));
      section.ledger->close(section.place, false);
      return false;
    }
    section.reader = std::make_unique<SectionReader>(
        std::move(file), std::move(section.scan),
        SectionContext{&options, &report, section.ledger, section.place, pool.get()});
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
        // Usually there is one section, or the others' next events are newer.
        has_current = heap.empty() || options.unordered || !later(current, heap.front());
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
      if (!section.reader->next()) {
        section.reader.reset();
        continue;
      }
      has_current = options.unordered;
      if (!has_current) push({section.reader->key(), current.section});
    }
    sections[current.section].reader->get(event);
    event.section = current.section;
    return true;
  }

  // How a gap between two files is reported depends on how far each has been read before.
  void check_certainty(const Event& event) {
    const bool is_gap = event.kind == EventKind::kLoss && event.cause == LossCause::kMissing;
    is_certain = is_certain && event.unix_ns >= latest_ns && !is_gap;
    latest_ns = event.unix_ns;
  }

  bool wants(const Event& event) const {
    return event.unix_ns >= options.since_ns && event.unix_ns < options.until_ns;
  }

  void count(const Event& event) {
    if (event.kind != EventKind::kRecord) return;
    ++report.records;
    if (event.unix_ns < newest_unix_ns && !options.unordered && counts_as_late(event)) {
      ++report.late_records;
    }
    newest_unix_ns = std::max(newest_unix_ns, event.unix_ns);
  }

  ReadOptions options;
  ReadReport report;
  OpenFiles open_files{report};  // outlives the readers, like the pool and the ledgers
  std::unique_ptr<DecodePool> pool;
  std::vector<std::unique_ptr<SequenceLedger>> ledgers;
  std::vector<Section> sections;
  std::vector<Item> heap;
  Item current;
  bool has_current = false;
  std::uint64_t newest_unix_ns = 0;
  std::uint64_t end_ns = 0;     // events before this time are left out by ReadOptions::end_bytes
  std::uint64_t latest_ns = 0;  // of the latest event, wanted or not
  bool is_certain = true;       // if end_ns is not 0: see is_end_of_all()
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
  const std::set<std::string_view> named(paths.begin(), paths.end());
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    // If both names are given, the unpacked one is read, as in directories.
    if (unpacked_name(path) != path && named.contains(unpacked_name(path))) continue;
    const std::size_t before = files.size();
    if (!expand_trace_path(path, files, error)) return std::nullopt;
    for (std::size_t i = before; i < files.size(); ++i) {
      ReadError why;
      if (impl->scan(files[i], &why)) continue;
      // A file found in a directory may have been removed since.
      impl->report.note(why);
      if (files[i] != path) continue;
      if (error != nullptr) *error = std::move(why);
      return std::nullopt;
    }
  }
  if (files.empty() && error != nullptr) {
    *error = {paths.empty() ? std::string() : paths.front(), 0, "no trace files found",
              "name .ringtrace files or their directory"};
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
  if (files.empty() && error != nullptr)
    *error = {"", 0, "no trace files found", "name trace files"};
  return begin(std::move(impl), error);
}

// Without a section there is nothing to read: the problem of the files goes to `*error`.
std::optional<TraceSet> TraceSet::begin(std::unique_ptr<Impl> impl, ReadError* error) {
  if (!impl->sections.empty()) {
    impl->prepare();
    return TraceSet(std::move(impl));
  }
  if (error != nullptr && !impl->report.notes.empty()) *error = impl->report.notes.front();
  return std::nullopt;
}

bool TraceSet::next(Event& event) {
  while (impl_->next(event)) {
    if (impl_->end_ns != 0) impl_->check_certainty(event);
    if (!impl_->wants(event)) continue;
    impl_->count(event);
    return true;
  }
  return false;
}
bool TraceSet::has_all() const {
  return impl_->end_ns == 0;
}
bool TraceSet::is_end_of_all() const {
  if (impl_->end_ns == 0) return true;
  return impl_->is_certain && std::none_of(impl_->ledgers.begin(), impl_->ledgers.end(),
                                           [](const std::unique_ptr<SequenceLedger>& ledger) {
                                             return ledger->counted().has_repeats();
                                           });
}
const ReadReport& TraceSet::report() const {
  return impl_->report;
}

}  // namespace ringside::trace
