#include "trace-format/reader/trace_follower.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <filesystem>
#include <list>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "trace-format/reader/directory_watch.hpp"
#include "trace-format/reader/follower_mark.hpp"
#include "trace-format/reader/open_files.hpp"
#include "trace-format/reader/section_reader.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::trace {

struct TraceFollower::Impl {
  using Clock = std::chrono::steady_clock;

  struct File {
    std::string path;
    std::uint64_t size = 0;        // as far as it is known
    std::uint64_t next_begin = 0;  // no unknown section begins before it
    bool followed = false;         // a section's reader waits for more of it
    bool closed = false;           // later bytes of it cannot be wanted
  };
  struct Section {
    File* file = nullptr;
    SectionScan scan;  // until it is begun
    std::unique_ptr<SectionReader> reader;
    std::shared_ptr<TraceFile> source;
    std::unique_ptr<FollowerMark> mark;  // as long as more of it may come
    SequenceLedger* ledger = nullptr;
    std::size_t place = 0;
    std::uint32_t number = 0;
    bool follows = false;
    bool has_event = false;  // `key` is that of its next event; without a reader: no event is older
    EventKey key;
    Clock::time_point grown;
  };

  // The files that the paths currently name. Known ones, packed or not, are left out.
  bool find_files(ReadError* error) {
    std::vector<std::string> names;
    for (const std::string& path : paths) {
      if (!expand_trace_path(path, names, error)) return false;
    }
    for (std::string& name : names) {
      if (!known.insert(std::string(unpacked_name(name))).second) continue;
      files.push_back({std::move(name), 0, 0, false, false});
      ++report.files;
      found_new = look_at(files.back(), error) || found_new;
    }
    return true;
  }

  // Whether the file has new sections.
  bool look_at(File& file, ReadError* error) {
    if (file.closed) return false;
    if (file.followed) return look_at_followed(file);
    std::error_code code;
    const std::uintmax_t size = std::filesystem::file_size(file.path, code);
    if (code || size <= file.size) return false;
    file.size = size;
    add_sections(file, error);
    return true;
  }

  // The file may have been renamed or removed.
  bool look_at_followed(File& file) {
    bool has_grown = false;
    for (Section& section : sections) {
      if (section.file != &file || !section.follows) continue;
      section.source->look_again();
      if (section.source->size() <= file.size) continue;
      file.size = section.source->size();
      section.reader->grow();
      section.grown = Clock::now();
      has_grown = true;
    }
    return has_grown;
  }

  void add_sections(File& file, ReadError* error) {
    ReadError why;
    std::shared_ptr<TraceFile> source = open_files.open(file.path, &why);
    if (!source) {
      if (error != nullptr) *error = why;
      report.note(std::move(why));
      return;
    }
    const bool packed = unpacked_name(source->path()) != source->path();
    std::vector<SectionScan> scans = file.next_begin == 0
                                         ? scan_sections(*source, report)
                                         : scan_sections_from(*source, file.next_begin, report);
    for (std::size_t i = 0; i < scans.size(); ++i) {
      ++report.sections;
      const bool follows = i + 1 == scans.size() && !packed && !scans[i].ended && !finished;
      file.next_begin = scans[i].end;
      file.followed = follows;
      Section section;
      section.file = &file;
      section.key = {scans[i].first_unix_ns, 0, 0};
      section.scan = std::move(scans[i]);
      section.follows = follows;
      section.has_event = true;
      section.grown = Clock::now();
      if (follows) section.source = source;
      fresh.push_back(std::move(section));
    }
  }

  // Takes sections that were found together, in the order in which they were written.
  void take_fresh() {
    fresh.sort([](const Section& a, const Section& b) {
      const SegmentInfo& x = *a.scan.segment;
      const SegmentInfo& y = *b.scan.segment;
      return std::tie(x.uuid, x.file_sequence) < std::tie(y.uuid, y.file_sequence);
    });
    for (auto it = fresh.begin(); it != fresh.end();) {
      const auto section = it++;
      const std::array<std::uint8_t, 16> uuid = section->scan.segment->uuid;
      segments.push_back(section->scan.segment);
      if (uuid == std::array<std::uint8_t, 16>()) {
        section->ledger = &ledgers_of_unknown.emplace_back();
      } else {
        section->ledger = &ledgers[uuid];
      }
      section->place = section->ledger->add_section();
      section->number = next_number++;
      const ReadWindow window(options, section->scan.clocks);
      const bool unwanted =
          !section->follows && section->scan.min_tsc != SectionScan::kNoTsc &&
          (window.ends_before(section->scan.max_tsc) || window.begins_after(section->scan.min_tsc));
      if (unwanted) {
        section->ledger->close(section->place, false);
        fresh.erase(section);
        continue;
      }
      sections.splice(sections.end(), fresh, section);
      if (section->follows) begin(*section);
    }
  }

  bool begin(Section& section) {
    ReadError error;
    std::shared_ptr<TraceFile> source = section.source;
    if (!source) source = open_files.open(section.file->path, &error);
    if (!source) {
      report.note(std::move(error));
      section.ledger->close(section.place, false);
      return false;
    }
    section.reader = std::make_unique<SectionReader>(
        std::move(source), std::move(section.scan),
        SectionContext{&options, &report, section.ledger, section.place, pool.get()});
    if (section.follows) {
      section.reader->follow();
      mark(section);
    }
    section.has_event = false;
    return true;
  }

  // Each mark takes a descriptor. Further files are followed without.
  void mark(Section& section) {
    const auto marked = std::count_if(sections.begin(), sections.end(),
                                      [](const Section& one) { return one.mark != nullptr; });
    if (static_cast<std::size_t>(marked) >= OpenFiles::most_open_here()) return;
    section.mark = std::make_unique<FollowerMark>(section.file->path);
  }

  // False if the section has ended.
  bool advance(Section& section) {
    section.has_event = section.reader->next();
    if (section.has_event) {
      section.key = section.reader->key();
      return true;
    }
    if (section.reader->is_waiting()) return true;
    File& file = *section.file;
    if (section.follows) {
      file.followed = false;
      const std::optional<std::uint64_t> end = section.reader->next_section();
      file.closed = !end;
      if (end) file.next_begin = *end;
      if (end && file.size > *end) add_sections(file, nullptr);
    }
    return false;
  }

  bool holds_back(const Section& section, const EventKey& key, Clock::time_point now) const {
    return section.reader && !section.has_event && section.reader->is_waiting() &&
           section.reader->limit_ns() <= key.unix_ns && now - section.grown < patience;
  }

  bool next(Event& event) {
    if (current != nullptr) current->has_event = false;
    current = nullptr;
    held_back = false;
    for (;;) {
      auto first = sections.end();
      for (auto it = sections.begin(); it != sections.end();) {
        if (it->reader && !it->has_event && !advance(*it)) {
          it = sections.erase(it);
          continue;
        }
        if (it->has_event && (first == sections.end() || it->key < first->key)) first = it;
        ++it;
      }
      if (!fresh.empty()) {
        take_fresh();
        continue;
      }
      if (first == sections.end()) return false;
      if (!first->reader) {
        if (!begin(*first)) sections.erase(first);
        continue;
      }
      if (sections.size() > 1) {
        const Clock::time_point now = Clock::now();
        held_back = std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
          return holds_back(section, first->key, now);
        });
        if (held_back) return false;
      }
      current = &*first;
      if (current->key.unix_ns < options.since_ns || current->key.unix_ns >= options.until_ns) {
        current->has_event = false;
        continue;
      }
      current->reader->get(event);
      event.section = current->number;
      if (event.kind == EventKind::kRecord) {
        ++report.records;
        if (event.unix_ns < newest_unix_ns && counts_as_late(event)) ++report.late_records;
        newest_unix_ns = std::max(newest_unix_ns, event.unix_ns);
      }
      return true;
    }
  }

  bool look() {
    found_new = false;
    for (File& file : files) {
      // A packed file is complete when it appears.
      if (unpacked_name(file.path) == file.path) found_new = look_at(file, nullptr) || found_new;
    }
    find_files(nullptr);
    take_fresh();
    return found_new;
  }

  bool wait(int timeout_ms) {
    const Clock::time_point start = Clock::now();
    for (;;) {
      if (look()) return true;
      const auto passed =
          std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start);
      int left = timeout_ms < 0 ? -1 : std::max(0, timeout_ms - static_cast<int>(passed.count()));
      if (left == 0) return false;
      const int bound = static_cast<int>(patience.count());
      if (held_back && (left < 0 || left > bound)) left = bound;
      if (!watch.wait(left)) return false;
      if (held_back) {
        look();
        return true;
      }
    }
  }

  void finish() {
    look();
    finished = true;
    patience = {};
    for (Section& section : sections) {
      if (section.reader) section.reader->stop_following();
    }
  }

  ReadOptions options;
  std::vector<std::string> paths;
  std::chrono::milliseconds patience{};
  ReadReport report;
  OpenFiles open_files{report};
  DirectoryWatch watch;
  std::unique_ptr<DecodePool> pool;
  std::deque<File> files;
  std::set<std::string> known;  // unpacked names of all files so far
  std::map<std::array<std::uint8_t, 16>, SequenceLedger> ledgers;
  std::list<SequenceLedger> ledgers_of_unknown;
  std::vector<std::shared_ptr<SegmentInfo>> segments;  // events refer to them
  std::list<Section> sections;
  std::list<Section> fresh;
  Section* current = nullptr;
  std::uint32_t next_number = 0;
  std::uint64_t newest_unix_ns = 0;
  bool found_new = false;
  bool held_back = false;
  bool finished = false;
};

TraceFollower::TraceFollower(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TraceFollower::TraceFollower(TraceFollower&&) noexcept = default;
TraceFollower& TraceFollower::operator=(TraceFollower&&) noexcept = default;
TraceFollower::~TraceFollower() = default;

std::optional<TraceFollower> TraceFollower::open(std::span<const std::string> paths,
                                                 ReadOptions options, ReadError* error,
                                                 unsigned patience_ms) {
  auto impl = std::make_unique<Impl>();
  impl->options = std::move(options);
  impl->options.unordered = false;
  impl->paths.assign(paths.begin(), paths.end());
  impl->patience = std::chrono::milliseconds(patience_ms);
  if (impl->options.threads > 1) {
    impl->pool = std::make_unique<DecodePool>(impl->options.threads - 1);
  }
  for (const std::string& path : impl->paths) {
    impl->watch.add(path);
    // A named path must exist; files in a directory may come and go.
    std::error_code code;
    if (std::filesystem::is_directory(path, code)) continue;
    const auto file = TraceFile::open(path, error);
    if (!file) return std::nullopt;
    ReadReport of_front;
    if (!may_begin_a_trace(*file) && scan_sections(*file, of_front).empty()) {
      if (error != nullptr)
        *error = {path, 0, "not a trace",
                  "name .ringtrace files; other formats cannot be followed"};
      return std::nullopt;
    }
  }
  if (!impl->find_files(error)) return std::nullopt;
  impl->take_fresh();
  return TraceFollower(std::move(impl));
}

void TraceFollower::add(const std::string& path) {
  impl_->watch.add(path);
  impl_->paths.push_back(path);
}

bool TraceFollower::next(Event& event) {
  return impl_->next(event);
}

bool TraceFollower::is_holding_back() const {
  return impl_->held_back;
}

bool TraceFollower::wait(int timeout_ms) {
  return impl_->wait(timeout_ms);
}

void TraceFollower::finish() {
  impl_->finish();
}

const ReadReport& TraceFollower::report() const {
  return impl_->report;
}

}  // namespace ringside::trace
