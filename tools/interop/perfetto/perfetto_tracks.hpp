#pragma once
// Tracks of a Perfetto trace, and their processes and threads.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/perfetto/perfetto_record_order.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::perfetto {

enum class TrackKind : std::uint8_t { kOther, kProcess, kThread, kCounter };

std::string_view name_of(TrackKind kind);

// The facts of a TrackDescriptor. Views are valid as long as the message.
struct TrackFacts {
  std::uint64_t uuid = 0;
  std::uint64_t parent = 0;
  std::string_view name;
  std::string_view process;  // a ProcessDescriptor
  std::string_view thread;   // a ThreadDescriptor
  std::string_view counter;  // a CounterDescriptor
  TrackKind kind = TrackKind::kOther;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  std::string_view thread_name;
  std::uint64_t reference_us = 0;  // old threads' clock
};

// False if it is invalid.
bool read_track(std::string_view descriptor, TrackFacts& facts);
bool read_thread(std::string_view descriptor, TrackFacts& facts);

struct CounterFacts {
  std::string category;
  std::string unit;
  std::int64_t multiplier = 1;
  bool is_incremental = false;
  // The sum since `generation` of the sequence's state.
  double sum = 0;
  std::uint64_t integer_sum = 0;
  std::uint64_t generation = 0;
};

struct Track {
  static constexpr std::uint32_t kNoStream = UINT32_MAX;

  std::uint64_t uuid = 0;
  std::uint64_t parent = 0;
  std::string name;
  TrackKind kind = TrackKind::kOther;
  std::uint32_t pid = 0;
  std::uint32_t tid = 0;
  CounterFacts counter;
  std::uint32_t stream = kNoStream;
  bool is_within_thread = false;  // its records go to a stream that it shares with its thread
  std::vector<OpenSlice> open;
  std::uint64_t unopened = 0;  // open slices beyond the limit
};

// Tracks without a process belong to a process called "perfetto". Not thread-safe.
class TrackTable {
 public:
  static constexpr std::size_t kMostTracks = std::size_t{1} << 18;

  TrackTable(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report) {}

  // Takes a packet's facts about processes, before the first query; times are Unix time.
  void take_process(std::string_view descriptor, std::uint64_t clock_offset);
  void take_process_tree(std::string_view tree);

  // Adds a track by its TrackDescriptor; a further one can change its name.
  void add(const TrackFacts& facts);
  void name_thread(const TrackFacts& facts);
  // The track of a thread without a descriptor.
  Track& of_thread(std::uint32_t pid, std::uint32_t tid);
  // A uuid without a descriptor is a track without a name.
  Track& of(std::uint64_t uuid);

  // The stream for its records. `pid`: of the producer, for tracks that have none.
  std::uint32_t stream_of(Track& track, std::uint32_t pid) {
    return track.stream != Track::kNoStream ? track.stream : find_stream(track, pid);
  }

  // Creates a process if there is none: a trace without events has one, too.
  void finish() {
    if (made_processes_ == 0) process(0);
  }

 private:
  struct Process {
    ProcessDefinition definition;
    std::uint32_t index = UINT32_MAX;  // of the builder
  };

  void keep(std::string& place, std::string_view text);
  bool read_counter(std::string_view message, Track& track);
  std::uint32_t find_stream(Track& track, std::uint32_t pid);
  std::uint32_t stream(std::uint32_t pid, std::uint32_t tid, std::string_view name);
  std::uint32_t process(std::uint32_t pid);
  Process* facts_of(std::uint32_t pid);

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::unordered_map<std::uint64_t, Track> tracks_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Track> thread_tracks_;
  std::map<std::uint32_t, Process> processes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> thread_names_;
  // Process, thread, and the name of a track that is not a thread.
  using StreamKey = std::tuple<std::uint32_t, std::uint32_t, std::string>;
  std::map<StreamKey, std::uint32_t> streams_;
  std::uint64_t text_bytes_left_ = std::uint64_t{64} << 20;
  std::uint32_t made_processes_ = 0;
  std::uint32_t made_streams_ = 0;
};

}  // namespace ringside::tool::perfetto
