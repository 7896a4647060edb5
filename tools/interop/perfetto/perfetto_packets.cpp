#include "tools/interop/perfetto/perfetto_packets.hpp"

#include "tools/interop/perfetto/perfetto_annotations.hpp"
#include "tools/interop/perfetto/perfetto_fields.hpp"
#include "tools/interop/perfetto/protobuf_encoding.hpp"

namespace ringside::tool::perfetto {
namespace {

using trace::TextSink;

constexpr std::uint64_t kSequenceId = 1;

}  // namespace

void Packets::put_clocks(std::uint64_t unix_ns) {
  TextSink snapshot;
  for (const std::uint64_t clock : {clock_snapshot::kBoottime, clock_snapshot::kRealtime}) {
    TextSink one;
    protobuf::put_number(one, clock_snapshot::kClockId, clock);
    protobuf::put_number(one, clock_snapshot::kTimestamp, unix_ns);
    protobuf::put_bytes(snapshot, clock_snapshot::kClocks, one.text());
  }
  protobuf::put_number(snapshot, clock_snapshot::kPrimaryClock, clock_snapshot::kRealtime);
  protobuf::put_bytes(packet_, packet::kClockSnapshot, snapshot.text());
  finish(0);
}

void Packets::clear_state() {
  TextSink clock;
  protobuf::put_number(clock, defaults::kClockId, clock_snapshot::kRealtime);
  protobuf::put_bytes(packet_, packet::kDefaults, clock.text());
  finish(packet::kStateCleared);
}

void Packets::put_event(std::uint64_t unix_ns, std::string_view event, std::string_view interned) {
  protobuf::put_number(packet_, packet::kTimestamp, unix_ns);
  protobuf::put_bytes(packet_, packet::kTrackEvent, event);
  if (!interned.empty()) protobuf::put_bytes(packet_, packet::kInternedData, interned);
  finish(packet::kNeedsState);
}

void Packets::finish(std::uint64_t flags) {
  protobuf::put_number(packet_, packet::kSequenceId, kSequenceId);
  if (flags != 0) protobuf::put_number(packet_, packet::kSequenceFlags, flags);
  length_.clear();
  protobuf::put_tag(length_, trace_file::kPacket, protobuf::Wire::kBytes);
  protobuf::put_varint(length_, packet_.size());
  output_.put(length_.text());
  output_.put(packet_.text());
  packet_.clear();
}

void Packets::put_track(const TextSink& track) {
  protobuf::put_bytes(packet_, packet::kTrackDescriptor, track.text());
  finish(0);
}

void Packets::put_process(const SourceProcess& process) {
  TextSink one;
  protobuf::put_number(one, process_descriptor::kPid, process.pid);
  put_text(one, process_descriptor::kName, process.segment.service, uncarried_);
  if (!process.segment.executable.empty()) {
    put_text(one, process_descriptor::kCommandLine, process.segment.executable, uncarried_);
  }
  if (process.segment.start_realtime_ns != 0) {
    protobuf::put_number(one, process_descriptor::kStartNs, process.segment.start_realtime_ns);
  }
  if (!process.segment.host.empty()) {
    put_text(one, process_descriptor::kLabels, "host " + process.segment.host, uncarried_);
  }
  TextSink track;
  processes_.push_back(next_track_++);
  protobuf::put_number(track, track_descriptor::kUuid, processes_.back());
  protobuf::put_bytes(track, track_descriptor::kProcess, one.text());
  put_track(track);
}

std::uint64_t Packets::put_thread(const SourceThread& thread, std::uint64_t track) {
  const std::uint64_t process = processes_[thread.process->index];
  if (!thread.is_thread) return process;
  if (track == 0) track = next_track_++;
  TextSink one;
  protobuf::put_number(one, thread_descriptor::kPid, thread.process->pid);
  protobuf::put_number(one, thread_descriptor::kTid, thread.id);
  if (!thread.name.empty()) put_text(one, thread_descriptor::kName, thread.name, uncarried_);
  TextSink descriptor;
  protobuf::put_number(descriptor, track_descriptor::kUuid, track);
  protobuf::put_number(descriptor, track_descriptor::kParentUuid, process);
  protobuf::put_bytes(descriptor, track_descriptor::kThread, one.text());
  put_track(descriptor);
  return track;
}

std::uint64_t Packets::put_task(const SourceThread& task) {
  return put_child_track(processes_[task.process->index], task.task_name(), false);
}

std::uint64_t Packets::put_child_track(std::uint64_t parent, std::string_view name,
                                       bool is_counter) {
  TextSink track;
  protobuf::put_number(track, track_descriptor::kUuid, next_track_);
  protobuf::put_number(track, track_descriptor::kParentUuid, parent);
  put_text(track, track_descriptor::kName, name, uncarried_);
  if (is_counter) protobuf::put_bytes(track, track_descriptor::kCounter, {});
  put_track(track);
  return next_track_++;
}

}  // namespace ringside::tool::perfetto
