#include "tools/interop/perfetto/perfetto_tracks.hpp"

#include <limits>

#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_decoding.hpp"

namespace ringside::tool::perfetto {
namespace {

constexpr unsigned kMostParents = 16;
constexpr std::size_t kMostTrackNameBytes = 4096;
constexpr std::size_t kMostNamedProcesses = 65'536;
constexpr std::string_view kManyTracks =
    "is on another track: at most 262144 tracks are distinguished";
constexpr std::string_view kManyThreads =
    "is in another thread: a trace has at most 100000 threads";
constexpr std::string_view kManyProcesses =
    "is in the process '(other processes)': a trace has at most 200 named processes";

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string_view name_of(TrackKind kind) {
  constexpr std::string_view kNames[] = {"other", "process", "thread", "counter"};
  return kNames[static_cast<std::size_t>(kind)];
}

bool read_thread(std::string_view descriptor, TrackFacts& facts) {
  facts.kind = TrackKind::kThread;
  protobuf::Fields fields(descriptor);
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case thread_descriptor::kPid:
        facts.pid = static_cast<std::uint32_t>(field.value);
        break;
      case thread_descriptor::kTid:
        facts.tid = static_cast<std::uint32_t>(field.value);
        break;
      case thread_descriptor::kName:
        facts.thread_name = field.bytes;
        break;
      case thread_descriptor::kReferenceUs:
        facts.reference_us = field.value;
        break;
      default:
        break;
    }
  }
  return fields.is_sound();
}

bool read_track(std::string_view descriptor, TrackFacts& facts) {
  protobuf::Fields fields(descriptor);
  bool is_counter = false;
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case track_descriptor::kUuid:
        facts.uuid = field.value;
        break;
      case track_descriptor::kParentUuid:
        facts.parent = field.value;
        break;
      case track_descriptor::kName:
      case track_descriptor::kStaticName:
        facts.name = field.bytes;
        break;
      case track_descriptor::kProcess:
        facts.process = field.bytes;
        if (facts.kind == TrackKind::kOther) facts.kind = TrackKind::kProcess;
        break;
      case track_descriptor::kThread:
        facts.thread = field.bytes;
        if (!read_thread(field.bytes, facts)) return false;
        break;
      case track_descriptor::kCounter:
        facts.counter = field.bytes;
        is_counter = true;
        break;
      default:
        break;
    }
  }
  if (is_counter) facts.kind = TrackKind::kCounter;
  if (!facts.process.empty() && facts.kind == TrackKind::kProcess) {
    protobuf::Fields inner(facts.process);
    for (protobuf::Field field; inner.next(field);) {
      if (field.number == process_descriptor::kPid) {
        facts.pid = static_cast<std::uint32_t>(field.value);
      }
    }
    if (!inner.is_sound()) return false;
  }
  return fields.is_sound();
}

TrackTable::Process* TrackTable::facts_of(std::uint32_t pid) {
  const auto found = processes_.find(pid);
  if (found != processes_.end()) return &found->second;
  return processes_.size() < kMostNamedProcesses ? &processes_[pid] : nullptr;
}

void TrackTable::take_process(std::string_view descriptor, std::uint64_t clock_offset) {
  ProcessDefinition told;
  std::string_view service;
  std::string_view executable;
  std::string_view host;
  protobuf::Fields fields(descriptor);
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case process_descriptor::kPid:
        told.pid = static_cast<std::uint32_t>(field.value);
        break;
      case process_descriptor::kCommandLine:
        if (executable.empty()) executable = field.bytes;
        break;
      case process_descriptor::kName:
        service = field.bytes;
        break;
      case process_descriptor::kStartNs:
        told.start_unix_ns = field.value + clock_offset;
        break;
      case process_descriptor::kLabels:
        if (field.bytes.starts_with("host ")) host = field.bytes.substr(5);
        break;
      default:
        break;
    }
  }
  Process* const process = facts_of(told.pid);
  if (process == nullptr) return;
  ProcessDefinition& known = process->definition;
  known.pid = told.pid;
  if (!service.empty()) keep(known.service, service);
  if (!executable.empty()) keep(known.executable, executable);
  if (!host.empty()) keep(known.host, host);
  if (told.start_unix_ns <= std::numeric_limits<std::int64_t>::max() && told.start_unix_ns != 0) {
    known.start_unix_ns = told.start_unix_ns;
  }
}

void TrackTable::take_process_tree(std::string_view tree) {
  protobuf::Fields fields(tree);
  for (protobuf::Field field; fields.next(field);) {
    if (field.number != process_tree::kProcesses) continue;
    std::uint32_t pid = 0;
    std::string_view command;
    protobuf::Fields inner(field.bytes);
    for (protobuf::Field part; inner.next(part);) {
      if (part.number == process_tree::kPid) pid = static_cast<std::uint32_t>(part.value);
      if (part.number == process_tree::kCommandLine && command.empty()) command = part.bytes;
    }
    Process* const process = facts_of(pid);
    if (process == nullptr || command.empty()) continue;
    process->definition.pid = pid;
    if (process->definition.executable.empty()) keep(process->definition.executable, command);
  }
}

// Stores as much of a text as the memory limit of all tracks and processes permits.
void TrackTable::keep(std::string& place, std::string_view text) {
  text = text.substr(0, kMostTrackNameBytes);
  if (text.size() > text_bytes_left_ + place.size() || text == place) return;
  text_bytes_left_ += place.size();
  text_bytes_left_ -= text.size();
  place = text;
}

bool TrackTable::read_counter(std::string_view message, Track& track) {
  std::string category;
  protobuf::Fields fields(message);
  for (protobuf::Field field; fields.next(field);) {
    switch (field.number) {
      case counter_descriptor::kType:
        if (!track.name.empty() || field.value == 0) break;
        track.name = field.value == 1   ? "thread_time"
                     : field.value == 2 ? "thread_instruction_count"
                                        : "counter";
        break;
      case counter_descriptor::kCategories:
        if (!category.empty()) category += ',';
        category += field.bytes.substr(0, kMostTrackNameBytes);
        break;
      case counter_descriptor::kUnitMultiplier:
        if (field.value != 0) track.counter.multiplier = field.as_signed();
        break;
      case counter_descriptor::kIncremental:
        track.counter.is_incremental = field.value != 0;
        break;
      case counter_descriptor::kUnitName:
        keep(track.counter.unit, field.bytes);
        break;
      default:
        break;
    }
  }
  keep(track.counter.category, category);
  return fields.is_sound();
}

void TrackTable::name_thread(const TrackFacts& facts) {
  if (facts.kind != TrackKind::kThread || facts.thread_name.empty()) return;
  if (thread_names_.size() < TraceBuilder::kMostStreams) {
    keep(thread_names_[{facts.pid, facts.tid}], facts.thread_name);
  }
  const auto process = processes_.find(facts.pid);
  if (process == processes_.end() || process->second.index == UINT32_MAX) return;
  const auto found = streams_.find({process->second.index, facts.tid, {}});
  if (found == streams_.end()) return;
  builder_.name_thread(found->second, facts.thread_name.substr(0, kMostTrackNameBytes));
}

void TrackTable::add(const TrackFacts& facts) {
  name_thread(facts);
  Track& track = of(facts.uuid);
  if (track.uuid != facts.uuid) return;  // there are too many
  track.parent = facts.parent;
  if (!facts.name.empty()) keep(track.name, facts.name);
  if (facts.kind == TrackKind::kCounter) read_counter(facts.counter, track);
  const bool is_same = track.kind == facts.kind && track.pid == facts.pid && track.tid == facts.tid;
  track.kind = facts.kind;
  track.pid = facts.pid;
  track.tid = facts.tid;
  if (!is_same) track.stream = Track::kNoStream;
}

Track& TrackTable::of_thread(std::uint32_t pid, std::uint32_t tid) {
  if (thread_tracks_.size() == TraceBuilder::kMostStreams && !thread_tracks_.contains({pid, tid})) {
    return of(0);
  }
  Track& track = thread_tracks_[{pid, tid}];
  track.kind = TrackKind::kThread;
  track.pid = pid;
  track.tid = tid;
  return track;
}

Track& TrackTable::of(std::uint64_t uuid) {
  const auto found = tracks_.find(uuid);
  if (found != tracks_.end()) return found->second;
  if (tracks_.size() >= kMostTracks && uuid != 0) {
    report_.lost(kManyTracks);
    return of(0);
  }
  Track& track = tracks_[uuid];
  track.uuid = uuid;
  return track;
}

// Uses the first of the track's parents that is a thread or a process. A track that is not a thread
// becomes one by its name.
std::uint32_t TrackTable::find_stream(Track& track, std::uint32_t pid) {
  const Track* at = &track;
  std::string_view name = track.kind == TrackKind::kOther ? track.name : std::string_view();
  for (unsigned i = 0; i < kMostParents; ++i) {
    if (at->kind == TrackKind::kThread || at->kind == TrackKind::kProcess || at->parent == 0) break;
    const auto parent = tracks_.find(at->parent);
    if (parent == tracks_.end()) break;
    at = &parent->second;
    if (at->kind == TrackKind::kOther && name.empty()) name = at->name;
  }
  track.is_within_thread = at != &track && at->kind == TrackKind::kThread;
  if (at->kind == TrackKind::kThread) return track.stream = stream(at->pid, at->tid, {});
  if (at->kind == TrackKind::kProcess) pid = at->pid;
  return track.stream = stream(pid, 0, name);
}

std::uint32_t TrackTable::stream(std::uint32_t pid, std::uint32_t tid, std::string_view name) {
  const std::uint32_t index = process(pid);
  StreamKey key{index, tid, std::string(name)};
  const auto found = streams_.find(key);
  if (found != streams_.end()) return found->second;
  if (made_streams_ == TraceBuilder::kMostStreams) {
    report_.lost(kManyThreads);
    return streams_.begin()->second;
  }
  ++made_streams_;
  StreamDefinition definition{.thread_id = tid, .thread_name = std::string(name)};
  const auto known = thread_names_.find({pid, tid});
  if (tid != 0 && known != thread_names_.end()) definition.thread_name = known->second;
  return streams_[std::move(key)] = builder_.add_stream(index, definition);
}

std::uint32_t TrackTable::process(std::uint32_t pid) {
  Process* const known = facts_of(pid);
  if (known == nullptr ||
      (known->index == UINT32_MAX && made_processes_ == TraceBuilder::kMostProcesses)) {
    report_.lost(kManyProcesses);
    return builder_.process_of_others();
  }
  if (known->index != UINT32_MAX) return known->index;
  ProcessDefinition& definition = known->definition;
  definition.pid = pid;
  if (definition.service.empty()) definition.service = last_part(definition.executable);
  if (definition.service.empty()) definition.service = "perfetto";
  ++made_processes_;
  return known->index = builder_.add_process(definition);
}

}  // namespace ringside::tool::perfetto
