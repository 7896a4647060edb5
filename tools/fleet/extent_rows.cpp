#include "tools/fleet/extent_rows.hpp"

#include <algorithm>
#include <limits>

#include "trace-format/lines/json_value.hpp"

namespace ringside::fleet {
namespace {

constexpr std::size_t kRowBytes = 160;  // of a row without its texts, about

bool has(const trace::RecordExtension* extension, std::uint32_t flag) {
  return extension != nullptr && (extension->ext_flags & flag) != 0;
}

std::uint64_t ns_of(std::uint64_t ticks, std::uint64_t hz) {
  constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
  if (hz == kNsPerSecond) return ticks;
  const auto ns = trace::UInt128{ticks} * kNsPerSecond / hz;
  return ns > std::numeric_limits<std::uint64_t>::max() ? std::numeric_limits<std::uint64_t>::max()
                                                        : static_cast<std::uint64_t>(ns);
}

}  // namespace

bool ExtentRows::add(std::span<const std::byte> payload, RowOrigin& origin, const RowThread& thread,
                     MessageDictionary& dictionary, RowBatch& batch, std::size_t most_bytes,
                     std::string* why) {
  if (!decoder_.open(payload, dictionary.sites(), why, nullptr,
                     trace::ExtentDecoder::Contexts::kAside)) {
    return false;
  }
  const trace::ExtentHeader& header = decoder_.header();
  RecordColumns& out = batch.records;
  text_bytes_ = 0;
  std::size_t rows = 0;
  bool fits = true;
  decoder_.for_each([&](const trace::RecordView& record) {
    fits = fits && text_bytes_ + rows * kRowBytes <= most_bytes;
    if (!fits) return;
    add_record(record, origin, dictionary, out, batch.generation());
    ++rows;
  });
  if (decoder_.failed()) {
    *why = std::string("an extent is invalid: ") + decoder_.failure();
    return false;
  }
  if (!fits) {
    *why = "its records take too much memory";
    return false;
  }
  out.rows += rows;
  out.tenant.fill(out.tenant.key(origin.tenant), rows);
  out.service.fill(out.service.key(origin.service), rows);
  out.host.fill(out.host.key(origin.host), rows);
  out.pid.fill(origin.pid, rows);
  out.thread_id.fill(thread.id, rows);
  out.thread.fill(out.thread.key(thread.name), rows);
  out.segment.fill(native_uuid(origin.segment), rows);
  out.stream.fill(header.stream_id, rows);
  out.extent.fill(origin.is_snapshot ? kSnapshotExtent : header.first_sequence, rows);
  return true;
}

void ExtentRows::add_record(const trace::RecordView& record, RowOrigin& origin,
                            MessageDictionary& dictionary, RecordColumns& out,
                            std::uint64_t generation) {
  const trace::Site& site = *record.site;
  StatementFacts& facts = dictionary.facts_of(site);
  if (facts.generation != generation) {
    facts.generation = generation;
    facts.name_key = out.name.key(site.name);
    facts.file_key = out.file.key(site.file);
    add_statement_(facts);
  }
  out.time.put(origin.clock.unix_ns(record.tsc));
  out.sequence.put(record.sequence);
  out.level.put(level_number(site));
  out.kind.put(kind_number(site));
  out.statement.put(facts.id);
  out.name.put(facts.name_key);
  out.file.put(facts.file_key);
  out.line.put(site.line);
  text_.clear();
  facts.message.append(text_, {record.args, site.initial_values.size()});
  text_bytes_ += text_.size();
  out.message.put(text_.text());
  add_fields(record, facts, out.fields);
  const trace::RecordExtension* const extension = record.extension;
  const bool is_timed = has(extension, shm::kExtDuration) && origin.tick_hz != 0;
  out.duration_ns.put(is_timed, is_timed ? ns_of(extension->duration, origin.tick_hz) : 0);
  out.substream.put(has(extension, shm::kExtSubstream) ? extension->substream : 0);
  out.activity.put(has(extension, shm::kExtActivity) ? native_uuid(extension->activity)
                                                     : UuidBytes{});
  out.related.put(has(extension, shm::kExtRelatedActivity) ? native_uuid(extension->related)
                                                           : UuidBytes{});
  out.cut.put(extension != nullptr && extension->cut ? 1 : 0);
}

// The arguments by name, as a JSON object; then those of the context.
void ExtentRows::add_fields(const trace::RecordView& record, StatementFacts& facts,
                            TextColumn& out) {
  text_.clear();
  text_.put('{');
  const auto put = [this](const std::string& key, const trace::Value& value) {
    if (text_.size() != 1) text_.put(',');
    text_.write(key);
    trace::append_json_value(text_, value);
  };
  for (std::size_t i = 0; i < facts.keys.size(); ++i) put(facts.keys[i], record.args[i]);
  if (record.context != nullptr) {
    const auto& keys = facts.context_keys(*record.context->site);
    for (std::size_t i = 0; i < keys.size(); ++i) put(keys[i], record.context->args[i]);
  }
  text_.put('}');
  text_bytes_ += text_.size();
  out.put(text_.text());
}

}  // namespace ringside::fleet
