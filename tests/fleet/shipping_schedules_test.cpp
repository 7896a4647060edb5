// Shipper and sink over a queue in which everything goes wrong that can: the files at the end are
// those at the beginning, with no record lost and none twice.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "shm-layout/dictionary_entry.hpp"
#include "tests/fleet/simulated_queue.hpp"
#include "tests/trace-format/ring_bytes.hpp"
#include "tests/trace-format/trace_file_builder.hpp"
#include "tools/fleet/file_delivery.hpp"
#include "tools/fleet/file_sink.hpp"
#include "tools/fleet/shipper.hpp"
#include "trace-format/blocks/block_reader.hpp"
#include "trace-format/blocks/trace_file.hpp"

namespace ringside::fleet::testing {
namespace {

using trace::testing::ReadEvent;
using trace::testing::TraceFileBuilder;

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* const text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

// In memory: thousands of schedules sync their files.
class Folder {
 public:
  Folder() {
    std::string name = "/dev/shm/ringside-test-XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp failed: " + name);
    path_ = name;
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// A file of a segment, which appears bit by bit.
struct GrowingFile {
  std::string name;
  trace::testing::Bytes bytes;
  std::size_t written = 0;
};

// An entry of a dictionary, of about this size, which does not compress.
std::string statement_of(std::size_t bytes) {
  std::string format;
  std::minstd_rand random(static_cast<unsigned>(bytes));
  while (format.size() < bytes) format += static_cast<char>('!' + random() % 90);
  const Bytes entry = trace::testing::site_entry({.id = 2, .format = format});
  return {reinterpret_cast<const char*>(entry.data()), entry.size()};
}

// Some sections of a service with two threads: extents, losses, sequence points, clocks.
std::vector<GrowingFile> files_of_service(std::uint8_t uuid, std::mt19937_64& random) {
  std::vector<GrowingFile> files;
  TraceFileBuilder builder;
  std::uint64_t now = 1'000'000;
  const std::uint32_t count = 1 + static_cast<std::uint32_t>(random() % 3);
  for (std::uint32_t number = 0; number < count; ++number) {
    builder.bytes.clear();
    const std::uint64_t sections = 1 + random() % 2;
    for (std::uint64_t section = 0; section < sections; ++section) {
      builder.begin(uuid, "service" + std::to_string(uuid), number);
      if (random() % 3 == 0) builder.block(2, statement_of(random() % 3'000));
      for (std::uint64_t stream = 1; stream <= 2; ++stream)
        builder.stream(stream, "thread" + std::to_string(stream));
      for (std::uint64_t extent = random() % 8; extent > 0; --extent) {
        std::vector<std::uint64_t> times;
        const std::uint64_t most_records = random() % 8 == 0 ? 400 : 20;
        for (std::uint64_t record = 1 + random() % most_records; record > 0; --record)
          times.push_back(now += 1 + random() % 1'000'000);
        const std::uint64_t stream = 1 + random() % 2;
        if (random() % 8 == 0) builder.lose(stream, 3);
        builder.extent(stream, times);
        if (random() % 3 == 0) builder.sequence_point(now);
        if (random() % 4 == 0) builder.clock({now, now, std::uint64_t{1} << 40, 0, 0});
      }
      if (random() % 4 != 0) builder.end();
    }
    files.push_back(
        {"service" + std::to_string(uuid) + ".1.s." + std::to_string(number) + ".ringtrace",
         builder.bytes, 0});
  }
  return files;
}

class Schedule {
 public:
  // `selects`: a part of the records is shipped.
  Schedule(std::uint64_t seed, bool selects)
      : random_(seed), queue_(seed + 1, faults()), in_(folder_ / "in"), out_(folder_ / "out") {
    std::filesystem::create_directories(in_);
    for (std::uint64_t service = 1; service <= 1 + random_() % 3; ++service)
      services_.push_back(files_of_service(static_cast<std::uint8_t>(service), random_));
    tool::FilterOptions filter;
    filter.where = "value < 3 || value >= 9 && value < 16 || value == 25 || value >= 70";
    if (!selects) return;
    selection_ = RecordSelection::make(filter, {}, &why_);
    if (selection_ == nullptr) throw std::runtime_error(why_);
  }

  // Everything takes turns at random until all is written, shipped and stored in files.
  void run() {
    while (grow() || random_() % 4 != 0) take_turns();
    // The next process reads all files again.
    shipping_.reset();
    queue_.set_faults({});
    queue_.set_partitioned(false);
    for (int turn = 0; turn < 2'000 && !is_done(); ++turn) take_turns();
    ASSERT_TRUE(is_done()) << queue_.acknowledged() << " of " << queue_.messages().size();
  }

  void expect_the_same() {
    const std::vector<std::string> original = events_of(in_, true, nullptr);
    trace::ReadReport report;
    const std::vector<std::string> shipped = events_of(out_, false, &report);
    for (std::size_t i = 0; i < std::max(original.size(), shipped.size()); ++i) {
      ASSERT_EQ(i < shipped.size() ? shipped[i] : "the end",
                i < original.size() ? original[i] : "the end");
    }
    left_out_ = report.not_selected_records;
    EXPECT_EQ(entries_of(out_), entries_of(in_));
    EXPECT_EQ(report.damaged_blocks, 0U);
    EXPECT_TRUE(report.notes.empty()) << report.notes.front().text();
  }

  std::uint64_t crashes() const { return crashes_; }
  std::uint64_t left_out() const { return left_out_; }
  std::uint64_t stored_bodies() const { return queue_.stored_bodies(); }
  std::uint64_t new_queues() const { return new_queues_; }

 private:
  static bool is_selected(std::uint64_t value) {
    return value < 3 || (value >= 9 && value < 16) || value == 25 || value >= 70;
  }

  static SimulatedQueue::Faults faults() {
    return {.lost_requests = 10,
            .lost_answers = 10,
            .repeated_requests = 10,
            .delayed_requests = 10,
            .failed_lookups = 10,
            .repeated_deliveries = 10,
            .unordered_deliveries = 20,
            .lost_acknowledgements = 10,
            .lost_deliveries = 3,
            .crashes = 200};
  }

  // Of all dictionaries.
  static std::set<Bytes> entries_of(const std::string& directory) {
    std::set<Bytes> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (entry.path().extension() != ".ringtrace") continue;
      const auto file = trace::TraceFile::open(entry.path(), nullptr);
      trace::BlockReader reader(*file, 0, file->size(), nullptr);
      trace::Block block;
      while (reader.next(block)) {
        if (block.frame.type != trace::BlockType::kDictionary) continue;
        std::span<const std::byte> rest = block.payload;
        while (const std::uint32_t bytes = shm::entry_bytes(rest)) {
          found.emplace(rest.begin(), rest.begin() + bytes);
          rest = rest.subspan(bytes);
        }
      }
    }
    return found;
  }

  // Of all hosts, in one order. `of_original`: those that are shipped.
  std::vector<std::string> events_of(const std::string& directory, bool of_original,
                                     trace::ReadReport* report) const {
    std::vector<std::string> paths;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (entry.path().extension() == ".ringtrace") paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    trace::testing::ReadResult read = trace::testing::read_all(paths);
    if (report != nullptr) *report = read.report;
    std::vector<std::string> events;
    for (const ReadEvent& event : read.events) {
      const bool is_record = event.kind == trace::EventKind::kRecord;
      if (of_original && is_record && selection_ != nullptr && !is_selected(event.number)) continue;
      // A gap has the time of what follows it, which can be left out.
      const bool has_time = is_record || selection_ == nullptr;
      events.push_back(fmt::format("{} process {} stream {} number {}: {} {} {}",
                                   has_time ? event.unix_ns : 0, event.pid, event.stream_id,
                                   event.sequence, is_record ? "record" : "loss", event.number,
                                   static_cast<int>(event.cause)));
    }
    // Events of the same time have the order of the files' names.
    std::sort(events.begin(), events.end());
    return events;
  }

  bool grow() {
    std::vector<GrowingFile*> open;
    for (auto& files : services_) {
      for (GrowingFile& file : files) {
        if (file.written == file.bytes.size()) continue;
        open.push_back(&file);
        break;
      }
    }
    if (open.empty()) return false;
    GrowingFile& file = *open[random_() % open.size()];
    const std::size_t most = file.bytes.size() - file.written;
    const std::size_t more = random_() % 3 == 0 ? most : 1 + random_() % most;
    std::ofstream(in_ + "/" + file.name, std::ios::binary | std::ios::app)
        .write(reinterpret_cast<const char*>(file.bytes.data() + file.written),
               static_cast<std::streamsize>(more));
    file.written += more;
    return true;
  }

  void take_turns() {
    now_ms_ += random_() % 300;
    queue_.set_partitioned(random_() % 10 == 0 && !ends_);
    queue_.let_late_requests_arrive();
    if (!ends_ && random_() % 100 == 0) queue_.lose_some_contents();
    // Messages that no sink has would be lost with the stream.
    if (!ends_ && random_() % 4 == 0 && queue_.acknowledged() == queue_.messages().size() &&
        !queue_.messages().empty()) {
      queue_.begin_anew();
      ++new_queues_;
    }
    if (random_() % 2 == 0) {
      in_process(shipping_, [this] {
        if (shipping_ == nullptr) shipping_ = std::make_unique<Shipping>(*this);
        shipping_->shipper.step(0);
        for (const std::string& key : queue_.take_requested()) {
          Bytes contents;
          if (contents_.find(key, contents)) shipping_->publisher.store_contents(key, contents);
        }
      });
    } else {
      const bool crashed = in_process(sinking_, [this] {
        if (sinking_ == nullptr) sinking_ = std::make_unique<Sinking>(*this);
        ASSERT_TRUE(sinking_->delivery.step(0));
      });
      if (crashed && random_() % 2 == 0) leave_unfinished_write();
    }
  }

  // As if the sink had died while it wrote: whole and cut blocks after the last message.
  void leave_unfinished_write() {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(out_)) {
      if (entry.path().extension() != ".ringtrace" || random_() % 2 == 0) continue;
      const auto file = trace::TraceFile::open(entry.path(), nullptr);
      if (file == nullptr) continue;
      trace::BlockReader reader(*file, 0, file->size(), nullptr);
      trace::Block block;
      while (reader.next(block) && block.frame.type != trace::BlockType::kShipped) {
      }
      Bytes bytes(block.offset);
      bytes.resize(random_() % (file->read(0, bytes) + 1));
      std::ofstream(entry.path(), std::ios::binary | std::ios::app)
          .write(reinterpret_cast<const char*>(bytes.data()),
                 static_cast<std::streamsize>(bytes.size()));
    }
  }

  // Whether it died.
  template <class Process, class Work>
  bool in_process(std::unique_ptr<Process>& process, Work&& work) {
    try {
      work();
      return false;
    } catch (const SimulatedCrash&) {
      ++crashes_;
      process.reset();
      return true;
    }
  }

  bool is_done() {
    ends_ = true;
    return shipping_ != nullptr && shipping_->shipper.is_done() &&
           queue_.acknowledged() == queue_.messages().size() &&
           (!queue_.messages().empty() || new_queues_ != 0);
  }

  ShipperOptions shipper_options() const {
    ShipperOptions options;
    options.message_bytes = 300;
    options.contents = &contents_;
    options.selection = selection_.get();
    return options;
  }

  struct Shipping {
    explicit Shipping(Schedule& schedule)
        : segments({schedule.in_}),
          publisher(schedule.queue_),
          shipper(
              schedule.shipper_options(), segments, publisher, schedule.cursors_,
              [&schedule] { return schedule.now_ms_; }, [](const std::string&) {}) {}
    TraceSegments segments;
    SimulatedPublisher publisher;
    Shipper shipper;
  };
  struct Sinking {
    explicit Sinking(Schedule& schedule)
        : queue(schedule.queue_),
          sink(FileSink::open(
              schedule.out_,
              [this](std::string_view key, Bytes& contents) {
                return queue.fetch_contents(key, contents);
              },
              &why)),
          delivery(
              {.lookup_ms = 300, .patience_ms = UINT64_MAX, .request_ms = 100}, queue, *sink,
              [&schedule] { return schedule.now_ms_; }, [](const std::string&) {}) {}
    std::string why;
    SimulatedDelivery queue;
    std::unique_ptr<FileSink> sink;
    FileDelivery delivery;
  };

  std::mt19937_64 random_;
  SimulatedQueue queue_;
  Folder folder_;
  std::string in_;
  std::string out_;
  std::string why_;
  CursorStore cursors_ = *CursorStore::open(folder_ / "state", &why_);
  ContentStore contents_ = *ContentStore::open(folder_ / "contents", &why_);
  std::unique_ptr<RecordSelection> selection_;  // null: everything
  std::vector<std::vector<GrowingFile>> services_;
  std::uint64_t now_ms_ = 1'000'000;
  bool ends_ = false;
  std::uint64_t crashes_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t new_queues_ = 0;
  std::unique_ptr<Shipping> shipping_;
  std::unique_ptr<Sinking> sinking_;
};

void run_schedules(bool selects) {
  const std::uint64_t schedules = number_of("RINGSIDE_TEST_SCHEDULES", 1'000);
  const std::uint64_t seed = number_of("RINGSIDE_TEST_SEED", std::random_device()());
  std::printf("RINGSIDE_TEST_SEED=%lu RINGSIDE_TEST_SCHEDULES=%lu\n", seed, schedules);
  std::uint64_t crashes = 0;
  std::uint64_t left_out = 0;
  std::uint64_t bodies = 0;
  std::uint64_t new_queues = 0;
  for (std::uint64_t i = 0; i < schedules; ++i) {
    SCOPED_TRACE("RINGSIDE_TEST_SCHEDULES=1 RINGSIDE_TEST_SEED=" + std::to_string(seed + i));
    Schedule schedule(seed + i, selects);
    schedule.run();
    schedule.expect_the_same();
    crashes += schedule.crashes();
    left_out += schedule.left_out();
    bodies += schedule.stored_bodies();
    new_queues += schedule.new_queues();
    if (::testing::Test::HasFailure()) return;
  }
  EXPECT_EQ(left_out != 0, selects);
  constexpr std::uint64_t kEnough = 100;
  if (schedules >= kEnough) {
    EXPECT_GT(crashes, schedules / 2);
    EXPECT_GT(bodies, schedules / 2);
    EXPECT_GT(new_queues, schedules / 10);
  }
}

TEST(ShippingSchedules, LoseNothingAndRepeatNothing) {
  run_schedules(false);
}

TEST(ShippingSchedules, ShipTheSelectedRecordsOnce) {
  run_schedules(true);
}

}  // namespace
}  // namespace ringside::fleet::testing
