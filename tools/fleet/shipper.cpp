#include "tools/fleet/shipper.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "tools/fleet/extent_subject.hpp"
#include "tools/fleet/large_contents.hpp"
#include "tools/fleet/shipped_marks.hpp"
#include "trace-format/blocks/crc32c.hpp"
#include "trace-format/condition/glob.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::fleet {
struct Shipper::Segment {
  SegmentUuid uuid{};
  std::string host;
  std::string service;
  std::string subject;
  std::unique_ptr<SegmentSource> source;
  ShipCursor cursor;                        // what is stored
  std::optional<PreparedMessage> prepared;  // to be stored next
  std::size_t stored_contents = 0;          // of prepared->contents
  Bytes payload;                            // of the message as it was published last
  bool is_on_the_way = false;
  std::size_t bytes_on_the_way = 0;
  bool has_more = true;  // at the last look
  bool has_come_to_end = false;
  bool has_stored_records = false;
  std::uint32_t next_file = 0;  // of its mark
  std::uint64_t not_before_ms = 0;
  std::uint64_t retry_ms = 0;  // 0: the last attempt succeeded
};

Shipper::Shipper(ShipperOptions options, TraceSegments& segments, PublishQueue& queue,
                 const CursorStore& cursors, NowMs now_ms, Complain complain)
    : options_(std::move(options)),
      trace_segments_(segments),
      queue_(queue),
      cursors_(cursors),
      now_ms_(std::move(now_ms)),
      complain_(std::move(complain)) {}

Shipper::~Shipper() = default;

void Shipper::find_segments() {
  if (now_ms_() < next_look_ms_) return;
  next_look_ms_ = now_ms_() + options_.linger_ms;
  trace::ReadError error;
  const std::string failure = trace_segments_.look(&error) ? std::string() : error.text();
  if (failure != look_failure_ && !failure.empty()) tell_unread(failure);
  look_failure_ = failure;
  has_looked_ = true;
  const RecordSelection* const selection = options_.selection;
  for (const auto& [uuid, found] : trace_segments_.segments()) {
    if (selection != nullptr && !selection->services.empty() &&
        !trace::any_service_glob_fits(selection->services, found.service))
      continue;
    std::unique_ptr<Segment>& segment = segments_[uuid];
    if (segment == nullptr) {
      segment = std::make_unique<Segment>();
      segment->uuid = uuid;
      segment->host = found.host;
      segment->service = found.service;
      segment->subject =
          extent_subject(options_.tenant, found.host, found.service, uuid, options_.snapshot);
      std::string why;
      if (!cursors_.load(uuid, segment->cursor, &why)) complain_(why);
      segment->source =
          std::make_unique<SegmentSource>(uuid, segment->cursor, selection, files_, report_);
    }
    segment->source->set_files(found.files);
  }
}

void Shipper::step(int timeout_ms) {
  find_segments();
  // Each in its turn, beginning after the one that was served last.
  std::vector<Segment*> order;
  for (auto at = segments_.upper_bound(last_served_); at != segments_.end(); ++at)
    order.push_back(at->second.get());
  for (auto at = segments_.begin(); at != segments_.upper_bound(last_served_); ++at)
    order.push_back(at->second.get());
  const std::uint64_t now = now_ms_();
  is_reading_ = false;
  for (Segment* const segment : order) {
    if (segment->is_on_the_way || now < segment->not_before_ms) continue;
    if (bytes_on_the_way_ >= options_.most_bytes_on_the_way) break;
    if (options_.bandwidth != nullptr && !options_.bandwidth->may_send()) break;
    if (!segment->prepared) prepare(*segment);
    if (segment->prepared) publish(*segment);
    last_served_ = segment->uuid;
  }
  // Damage, and files that vanished before they were read.
  for (; notes_said_ < report_.notes.size(); ++notes_said_)
    tell_unread(report_.notes[notes_said_].text());
  int wait_ms = on_the_way_.empty() ? 0 : timeout_ms;
  while (const auto result = queue_.result(wait_ms)) {
    take(*result);
    wait_ms = 0;
  }
}

void Shipper::tell_unread(const std::string& why) {
  if (unread_first_.empty()) unread_first_ = why;
  complain_(why);
}

void Shipper::spend(std::size_t bytes) {
  if (options_.bandwidth != nullptr) options_.bandwidth->spend(bytes);
}

void Shipper::prepare(Segment& segment) {
  segment.prepared = segment.source->next(message_bytes());
  segment.has_more = segment.prepared.has_value();
  segment.stored_contents = 0;
  if (segment.prepared && segment.prepared->message.blocks.empty()) {
    is_reading_ = true;
    return segment.prepared.reset();
  }
  if (segment.prepared) return;
  segment.has_come_to_end = true;
  segment.not_before_ms = now_ms_() + options_.linger_ms;
  // All before the present file was read, and what of it is selected is stored.
  if (const auto file = segment.source->file_sequence())
    mark(segment, segment.source->path(), *file + (segment.source->is_finished() ? 1 : 0));
}

// Half of the largest payload: the last block can exceed it, and blocks are repeated.
std::size_t Shipper::message_bytes() const {
  return std::min(options_.message_bytes, queue_.most_payload_bytes() / 2);
}

// Stores what the message names, and builds its payload. False if something cannot be stored now.
bool Shipper::store_prepared(Segment& segment) {
  PreparedMessage& prepared = *segment.prepared;
  const std::size_t most_bytes = queue_.most_payload_bytes();
  const auto store = [this](std::string_view key, const Bytes& bytes) {
    return queue_.store_contents(key, bytes);
  };
  const auto keep_and_store = [this, &store](std::string_view key, const Bytes& bytes) {
    if (options_.contents != nullptr) options_.contents->keep(key, bytes);
    return store(key, bytes);
  };
  while (segment.stored_contents < prepared.contents.size()) {
    const NamedContents& contents = prepared.contents[segment.stored_contents];
    if (!store_whole(contents.hash, contents.bytes, most_bytes, hash_key, keep_and_store))
      return false;
    ++segment.stored_contents;
    spend(contents.bytes.size());
  }
  prepared.message.previous = segment.cursor.stored;
  segment.payload = write_extent_message(prepared.message, options_.level);
  if (segment.payload.size() <= most_bytes) return true;
  // Again with each attempt: a body of an earlier one can be gone from the queue.
  const Bytes body = take_body(segment.payload);
  return store_whole(content_hash(body), body, most_bytes, body_key, store);
}

void Shipper::publish(Segment& segment) {
  if (!store_prepared(segment))
    return retry(
        segment,
        "cannot store its dictionary or a large block; check the space of the server, and the "
        "permission of the user to publish $KV.rs_dictionaries.> and rs.body.>");
  OutgoingMessage message;
  message.subject = segment.subject;
  message.id = fmt::format("{}.{}.{:08x}", segment.subject, segment.cursor.stored,
                           trace::crc32c(0, segment.payload));
  message.expected_last = segment.cursor.stored;
  message.payload = segment.payload;
  const PreparedMessage& prepared = *segment.prepared;
  segment.is_on_the_way = true;
  segment.bytes_on_the_way = segment.payload.size() + prepared.message.blocks.size();
  bytes_on_the_way_ += segment.bytes_on_the_way;
  spend(segment.payload.size());
  const std::uint64_t token = next_token_++;
  on_the_way_[token] = &segment;
  queue_.publish(token, std::move(message));
}

void Shipper::take(const PublishResult& result) {
  const auto found = on_the_way_.find(result.token);
  if (found == on_the_way_.end()) return;
  Segment& segment = *found->second;
  on_the_way_.erase(found);
  segment.is_on_the_way = false;
  bytes_on_the_way_ -= segment.bytes_on_the_way;
  switch (result.status) {
    case PublishStatus::kStored:
      return confirm(segment, result.number);
    case PublishStatus::kOtherLast:
      return take_other_last(segment);
    case PublishStatus::kUnknown:
      return retry(segment, result.why);
    case PublishStatus::kRefused:
      return pass_over(segment, result.why);
  }
}

// The last message is ours if an earlier attempt was stored without our knowledge. Else the cursor
// is older than what is stored: what comes next is partly there already, and receivers see that.
void Shipper::take_other_last(Segment& segment) {
  StoredMessage last;
  switch (queue_.last_of(segment.subject, last)) {
    case PublishQueue::Found::kUnknown:
      return retry(
          segment,
          "cannot read the last message of its subject; check the stream RS_EXTENTS, and the "
          "permission of the user to publish $JS.API.STREAM.MSG.GET.*");
    case PublishQueue::Found::kNo:
      segment.cursor.stored = 0;
      return;
    case PublishQueue::Found::kYes:
      break;
  }
  if (last.payload == segment.payload) return confirm(segment, last.number);
  segment.cursor.stored = last.number;
}

void Shipper::confirm(Segment& segment, std::uint64_t number) {
  ++counts_.messages;
  counts_.records += segment.prepared->records;
  if (segment.prepared->records != 0 && !std::exchange(segment.has_stored_records, true))
    ++counts_.segments;
  for (const auto& [cause, records] : segment.prepared->lost) counts_.lost += records;
  counts_.bytes += segment.payload.size();
  report_losses(segment, number);
  const bool is_full = segment.prepared->message.blocks.size() >= message_bytes();
  segment.cursor = std::move(segment.prepared->after);
  segment.cursor.stored = number;
  const std::string path = std::move(segment.prepared->path);
  const std::uint32_t next_file = segment.prepared->next_file;
  segment.prepared.reset();
  segment.payload = {};
  segment.retry_ms = 0;
  segment.not_before_ms = is_full ? 0 : now_ms_() + options_.linger_ms;
  std::string why;
  if (!cursors_.save(segment.uuid, segment.cursor, &why)) complain_(why);
  mark(segment, path, next_file);
}

// After the cursor: what is marked may be removed.
void Shipper::mark(Segment& segment, const std::string& path, std::uint32_t next_file) {
  if (!options_.snapshot.empty() || next_file <= segment.next_file) return;
  std::string why;
  if (save_shipped_mark(path, segment.uuid, next_file, &why)) {
    segment.next_file = next_file;
  } else if (why != mark_failure_) {
    mark_failure_ = why;
    complain_(why);
  }
}

void Shipper::report_losses(const Segment& segment, std::uint64_t number) {
  if (!options_.report_loss) return;
  for (const auto& [cause, records] : segment.prepared->lost) {
    options_.report_loss(
        {segment.host, segment.service, uuid_text(segment.uuid),
         std::string(trace::loss_cause_token(static_cast<trace::LossCause>(cause))), records,
         number});
  }
}

void Shipper::pass_over(Segment& segment, const std::string& why) {
  ++counts_.refused;
  if (options_.report_loss)
    options_.report_loss({segment.host, segment.service, uuid_text(segment.uuid), "refused",
                          segment.prepared->records, 0});
  complain_(
      fmt::format("{}: the server refuses a message of {} bytes: {}; {} records are missing in the "
                  "fleet; remove max_msg_size of the stream RS_EXTENTS",
                  segment.subject, segment.payload.size(), why, segment.prepared->records));
  const std::uint64_t stored = segment.cursor.stored;
  segment.cursor = std::move(segment.prepared->after);
  segment.cursor.stored = stored;
  segment.prepared.reset();
  segment.payload = {};
}

void Shipper::retry(Segment& segment, const std::string& why) {
  ++counts_.failures;
  if (segment.retry_ms == 0) complain_(fmt::format("{}: {}; trying again", segment.subject, why));
  segment.retry_ms = segment.retry_ms == 0 ? options_.retry_ms
                                           : std::min(2 * segment.retry_ms, options_.most_retry_ms);
  segment.not_before_ms = now_ms_() + segment.retry_ms;
}

bool Shipper::has_stored_all() const {
  return has_looked_ && on_the_way_.empty() &&
         std::all_of(segments_.begin(), segments_.end(), [](const auto& entry) {
           return entry.second->has_come_to_end && !entry.second->prepared;
         });
}

ShipperLag Shipper::lag() const {
  ShipperLag lag;
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const auto& [uuid, segment] : segments_) {
    UnreadBytes unread = segment->source->unread();
    if (segment->prepared) {
      unread.bytes += segment->prepared->message.blocks.size();
      unread.since = std::min(unread.since, segment->prepared->since);
    }
    if (unread.bytes == 0) continue;
    lag.bytes += unread.bytes;
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - unread.since);
    lag.oldest_ms =
        std::max(lag.oldest_ms, static_cast<std::uint64_t>(std::max<std::int64_t>(age.count(), 1)));
  }
  return lag;
}

bool Shipper::is_done() const {
  return has_looked_ && on_the_way_.empty() &&
         std::none_of(segments_.begin(), segments_.end(), [](const auto& entry) {
           return entry.second->has_more || entry.second->prepared;
         });
}

}  // namespace ringside::fleet
