#include "tools/interop/perfetto/perfetto_record_order.hpp"

#include <algorithm>
#include <string_view>

#include "shm-layout/record_head.hpp"

namespace ringside::tool::perfetto {
namespace {

constexpr std::size_t kWaitingBytes = 192;  // of a record, besides its values
constexpr std::size_t kMostKeptBytes = std::size_t{16} << 20;

constexpr std::string_view kNoEnd = "the slice has no end: it has no duration";
constexpr std::string_view kLargeEnd =
    "annotations of the slice's end are left out: a record has at most 1 MiB";
constexpr std::string_view kEndsBefore = "the slice ends before it begins: its duration became 0";

}  // namespace

void RecordOrder::add_loss(std::uint32_t stream, std::uint64_t unix_ns, std::uint64_t count,
                           shm::LossCause cause) {
  if (is_empty(stream)) return builder_.lost(stream, unix_ns, count, cause);
  wait({.stream = stream, .unix_ns = unix_ns, .extension = {}}, {}, State::kLoss);
  streams_[stream].records.back().count = count;
  streams_[stream].records.back().cause = cause;
}

void RecordOrder::wait(const RecordHead& head, std::string_view values, State state) {
  if (waiting_bytes_ > kMostBytes) [[unlikely]]
    make_room();
  if (head.stream >= streams_.size()) streams_.resize(head.stream + std::size_t{1});
  Stream& stream = streams_[head.stream];
  Waiting& record = stream.records.emplace_back();
  record.head = head;
  record.state = state;
  record.values_at = stream.values.size();
  record.values_bytes = values.size();
  stream.values += values;
  waiting_bytes_ += values.size() + kWaitingBytes;
}

RecordOrder::Waiting* RecordOrder::waiting(const OpenSlice& slice) {
  Stream& stream = streams_[slice.stream];
  return slice.number < stream.before ? nullptr : &stream.records[slice.number - stream.before];
}

RecordOrder::Aside* RecordOrder::aside(const OpenSlice& slice) {
  auto& aside = streams_[slice.stream].aside;
  const auto found = aside.find(slice.number);
  return found == aside.end() ? nullptr : &found->second;
}

std::uint32_t RecordOrder::site_of(const OpenSlice& slice) {
  if (const Waiting* const record = waiting(slice)) return record->head.site;
  const Aside* const record = aside(slice);
  return record == nullptr ? 0 : record->head.site;
}

void RecordOrder::extend(const OpenSlice& slice, std::uint32_t site, std::string_view values) {
  const auto has_room = [&values](std::size_t bytes) {
    return bytes + values.size() <= TraceBuilder::kMostGatheredBytes;
  };
  if (Waiting* const record = waiting(slice)) {
    if (!has_room(record->values_bytes)) return report_.lost(kLargeEnd);
    std::string& all = streams_[slice.stream].values;
    const std::size_t at = all.size();
    all.reserve(at + record->values_bytes + values.size());
    all.append(all, record->values_at, record->values_bytes);
    all += values;
    record->values_at = at;
    record->values_bytes = all.size() - at;
    record->head.site = site;
    waiting_bytes_ += record->values_bytes;
  } else if (Aside* const moved = aside(slice)) {
    if (!has_room(moved->values.size())) return report_.lost(kLargeEnd);
    moved->values += values;
    moved->head.site = site;
    aside_bytes_ += values.size();
  }
}

void RecordOrder::end_at(RecordHead& head, std::uint64_t unix_ns) {
  head.extension.ext_flags |= shm::kExtDuration;
  head.extension.duration = unix_ns < head.unix_ns ? 0 : unix_ns - head.unix_ns;
}

void RecordOrder::close(const OpenSlice& slice, std::uint64_t unix_ns) {
  if (Waiting* const record = waiting(slice)) {
    if (unix_ns < record->head.unix_ns) report_.lost(kEndsBefore);
    end_at(record->head, unix_ns);
    record->state = State::kWhole;
    Stream& stream = streams_[slice.stream];
    if (slice.number == stream.before + stream.first) drain(stream);
  } else if (Aside* const moved = aside(slice)) {
    if (unix_ns < moved->head.unix_ns) report_.lost(kEndsBefore);
    end_at(moved->head, unix_ns);
    give(moved->head, moved->values);
    aside_bytes_ -= moved->values.size() + kWaitingBytes;
    streams_[slice.stream].aside.erase(slice.number);
  }
}

// Gives the records before the first open slice.
void RecordOrder::drain(Stream& stream) {
  for (; stream.first < stream.records.size(); ++stream.first) {
    const Waiting& record = stream.records[stream.first];
    if (record.state == State::kOpen) return;
    if (record.state == State::kLoss) {
      builder_.lost(record.head.stream, record.head.unix_ns, record.count, record.cause);
    } else if (record.state == State::kWhole) {
      give(record.head,
           std::string_view(stream.values).substr(record.values_at, record.values_bytes));
    }
  }
  waiting_bytes_ -=
      std::min(waiting_bytes_, stream.values.size() + kWaitingBytes * stream.records.size());
  stream.before = stream.end();
  stream.first = 0;
  stream.records.clear();
  stream.values.clear();
  keep_memory(stream);
}

// Keeps the memory for the next records, unless that of all streams exceeds the limit.
void RecordOrder::keep_memory(Stream& stream) {
  const std::size_t bytes = stream.values.capacity() + stream.records.capacity() * sizeof(Waiting);
  kept_bytes_ -= stream.kept;
  stream.kept = bytes;
  if (kept_bytes_ + bytes > kMostKeptBytes) {
    stream.kept = 0;
    stream.values = {};
    stream.records = {};
  }
  kept_bytes_ += stream.kept;
}

// Sets the open slices aside, and gives everything else.
void RecordOrder::make_room() {
  for (Stream& stream : streams_) {
    for (std::size_t i = stream.first; i < stream.records.size(); ++i) {
      Waiting& record = stream.records[i];
      if (record.state != State::kOpen) continue;
      record.state = State::kMoved;
      const auto values =
          std::string_view(stream.values).substr(record.values_at, record.values_bytes);
      if (aside_bytes_ > kMostBytes) {
        give_without_end(record.head, values);
        continue;
      }
      aside_bytes_ += values.size() + kWaitingBytes;
      stream.aside.emplace(stream.before + i, Aside{record.head, std::string(values)});
    }
    drain(stream);
  }
  waiting_bytes_ = 0;
}

void RecordOrder::give_without_end(const RecordHead& head, std::string_view values) {
  report_.lost(kNoEnd);
  give(head, values);
}

void RecordOrder::finish() {
  for (Stream& stream : streams_) {
    for (Waiting& record : stream.records) {
      if (record.state != State::kOpen) continue;
      record.state = State::kWhole;
      report_.lost(kNoEnd);
    }
    drain(stream);
    for (const auto& [number, moved] : stream.aside) give_without_end(moved.head, moved.values);
    stream.aside.clear();
  }
}

}  // namespace ringside::tool::perfetto
