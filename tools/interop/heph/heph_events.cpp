#include "tools/interop/heph/heph_events.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "shm-layout/record_head.hpp"
#include "tools/interop/heph/heph_format.hpp"

namespace ringside::tool::heph {
namespace {

// After this number of different descriptions, further ones become a field of their records: they
// vary too much.
constexpr std::size_t kMostDescriptions = 50'000;
constexpr std::size_t kMostHephNameBytes = 4096;
// The latest time of a trace: the year 2262.
constexpr std::uint64_t kLastUnixNs = std::numeric_limits<std::int64_t>::max();

constexpr std::string_view kFarTime = "its time became the last possible one, in the year 2262";
constexpr std::string_view kBackwards = "ends before it starts: its duration became 0";
constexpr std::string_view kManyAttributes = "attributes after the 512th are left out";
constexpr std::string_view kManySites =
    "is left out: a trace has at most about a million statements";
constexpr std::string_view kManyStreams =
    "is in another thread, whose losses are unknown: a trace has at most 100000 threads";

std::uint64_t number_of(std::string_view element) {
  return load_big<std::uint64_t>(reinterpret_cast<const std::byte*>(element.data()));
}

shm::FieldType field_type(const Attribute& attribute) {
  using shm::FieldType;
  static constexpr FieldType kTypes[] = {FieldType::none, FieldType::u64, FieldType::i64,
                                         FieldType::f64, FieldType::string};
  const FieldType element = kTypes[attribute.element_type()];
  return attribute.is_array() ? shm::array_of(element) : element;
}

constexpr std::string_view kManyHosts = "hosts after the 200th became '(other hosts)'";

template <class Number>
void append(std::string& out, Number number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

constexpr std::size_t most_attributes(bool with_description) {
  return shm::kMaxFields - (with_description ? 1U : 0U);
}

}  // namespace

void EventImport::take(const Packet& packet, TraceSource& source) {
  if (!packet.is_event) {
    if (!packet.is_epoch) return add_option(packet, source);
    // Another epoch begins another trace.
    if (source.is_reordered && source.has_epoch && source.epoch_ns != packet.epoch_ns) {
      end_numbers(source);
    }
    source.epoch_ns = packet.epoch_ns;
    source.has_epoch = true;
  } else if (take_attributes(packet.attributes)) {
    add_event(packet, source);
  } else {
    ++bad_;
  }
}

void EventImport::warn(ReadOutcome& outcome) const {
  const auto add = [&outcome](std::uint64_t count, std::string_view what) {
    if (count != 0) outcome.warnings.push_back(fmt::format("{} {}", count, what));
  };
  add(bad_, "bad packets were skipped");
  add(options_, "options are unknown: they are kept as records of heph.option");
  add(late_, "events came late: some that count as lost are present");
  add(duplicates_, "events have the number of the event before");
  add(same_, "events arrived twice; the repetitions are left out");
  add(restarts_, "streams began their numbers again; losses before that may be unknown");
}

// False if they are invalid.
bool EventImport::take_attributes(std::span<const std::byte> bytes) {
  AttributeCursor cursor(bytes);
  attributes_.clear();
  attribute_count_ = 0;
  Attribute attribute;
  for (; cursor.next(attribute); ++attribute_count_) {
    if (attribute_count_ < shm::kMaxFields) attributes_.push_back(attribute);
  }
  return cursor.failure() == nullptr;
}

std::uint32_t EventImport::process_of(const TraceSource& source) {
  const auto known = processes_.find(source.host);
  if (known != processes_.end()) return known->second;
  if (processes_.size() == TraceBuilder::kMostProcesses) {
    report_.lost(kManyHosts);
    return builder_.process_of_others();
  }
  ProcessDefinition process;
  process.start_unix_ns = std::min(source.epoch_ns, kLastUnixNs);
  process.service = "heph";
  process.host = source.host;
  return processes_[source.host] = builder_.add_process(process);
}

// Empty: the limit is reached.
std::optional<std::uint32_t> EventImport::new_stream(const TraceSource& source, std::uint32_t id,
                                                     std::string_view name) {
  if (streams_ == TraceBuilder::kMostStreams) return std::nullopt;
  ++streams_;
  return builder_.add_stream(process_of(source), {id, std::string(name)});
}

EventImport::Stream& EventImport::stream_of(std::uint32_t id, TraceSource& source) {
  if (source.last_stream != nullptr && source.last_id == id) return *source.last_stream;
  auto place = source.streams.find(id);
  if (place == source.streams.end()) {
    // One stream is reserved for options.
    const auto index = streams_ < TraceBuilder::kMostStreams - 1
                           ? new_stream(source, id, source.name)
                           : std::nullopt;
    if (!index) {
      // One for all streams beyond the limit: it must not compare their counters, which are
      // unrelated.
      report_.lost(kManyStreams);
      beyond_.counters = {};
      beyond_.window = {};
      return beyond_;
    }
    place = source.streams.try_emplace(id).first;
    place->second.index = *index;
  }
  source.last_id = id;
  return *(source.last_stream = &place->second);
}

std::uint64_t EventImport::unix_ns(std::uint64_t since_epoch, const TraceSource& source) {
  std::uint64_t sum = 0;
  if (!__builtin_add_overflow(source.epoch_ns, since_epoch, &sum) && sum <= kLastUnixNs) return sum;
  report_.lost(kFarTime);
  return kLastUnixNs;
}

// False if the event is a repetition.
bool EventImport::see_counter(const Packet& packet, std::uint64_t begin, TraceSource& source,
                              Stream& stream) {
  if (source.is_reordered) {
    const auto book = [&](const GapWindow::Gap& gap) { book_gap(stream, gap); };
    const std::string_view whole(packet.description.data() - kLeastEventBytes, packet.size);
    switch (stream.window.see(packet.counter, begin, whole, book)) {
      case GapWindow::Seen::kSame:
        ++same_;
        return false;
      case GapWindow::Seen::kRepeated:
        ++duplicates_;
        return true;
      case GapWindow::Seen::kRestarted:
        ++restarts_;
        return true;
      case GapWindow::Seen::kNew:
        return true;
    }
  }
  const std::uint64_t late = stream.counters.late;
  const std::uint64_t duplicates = stream.counters.duplicates;
  const std::uint32_t missing = stream.counters.see(packet.counter);
  late_ += stream.counters.late - late;
  duplicates_ += stream.counters.duplicates - duplicates;
  if (missing != 0) builder_.lost(stream.index, begin, missing);
  return true;
}

void EventImport::end_numbers(TraceSource& source) {
  for (auto& entry : source.streams) {
    Stream& stream = entry.second;
    stream.window.close([&](const GapWindow::Gap& gap) { book_gap(stream, gap); });
  }
}

// The event after the gap has been added already: only an earlier time keeps the loss before it.
void EventImport::book_gap(const Stream& stream, const GapWindow::Gap& gap) {
  builder_.lost(stream.index, gap.unix_ns - std::min<std::uint64_t>(gap.unix_ns, 1), gap.count);
}

void EventImport::add_event(const Packet& packet, TraceSource& source) {
  ++source.events;
  Stream& stream = stream_of(packet.stream, source);
  const std::uint64_t begin = unix_ns(packet.start, source);
  if (!see_counter(packet, begin, source, stream)) return;
  const Shape shape = shape_of(packet.description);
  if (shape.site == 0) return report_.lost(kManySites);
  trace::RecordExtension extension;
  extension.ext_flags = shm::kExtDuration;
  extension.duration = packet.end >= packet.start ? packet.end - packet.start : 0;
  if (packet.end < packet.start) report_.lost(kBackwards);
  if (packet.substream != 0) {
    extension.ext_flags |= shm::kExtSubstream;
    extension.substream = packet.substream;
  }
  builder_.begin(stream.index, shape.site, begin, extension);
  source.last_ns = begin;
  if (shape.with_description) builder_.put_text(packet.description);
  const std::size_t most = most_attributes(shape.with_description);
  for (std::size_t i = 0; i < attributes_.size() && i < most; ++i) put(attributes_[i]);
  if (attribute_count_ > most) report_.lost(kManyAttributes);
  builder_.end();
}

void EventImport::put(const Attribute& attribute) {
  const bool is_text = attribute.element_type() == kString;
  if (!attribute.is_array()) {
    return is_text ? builder_.put_text(attribute.value) : builder_.put(number_of(attribute.value));
  }
  elements_.clear();
  std::string_view left = attribute.value;
  for (std::uint32_t i = 0; i < attribute.count; ++i) {
    if (is_text) {
      const std::string_view text = take_element(left);
      append(elements_, static_cast<std::uint32_t>(text.size()));
      elements_ += text;
    } else {
      append(elements_, number_of(left));
      left.remove_prefix(8);
    }
  }
  builder_.put_array(elements_, attribute.count, is_text ? 0 : 8);
}

// Events with equal keys belong to one statement.
void EventImport::make_key(std::string_view description, bool with_description) {
  key_.clear();
  key_ += with_description ? '\0' : '\1';
  if (!with_description) append_key(description);
  for (std::size_t i = 0; i < attributes_.size() && i < shm::kMaxFields; ++i) {
    key_ += static_cast<char>(attributes_[i].type);
    append_key(attributes_[i].name);
  }
}

void EventImport::append_key(std::string_view text) {
  const auto bytes = static_cast<std::uint16_t>(text.size());
  key_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
  key_ += text;
}

EventImport::Shape EventImport::shape_of(std::string_view description) {
  make_key(description, false);
  const auto found = shapes_.find(key_);
  if (found != shapes_.end()) return found->second;
  const bool with_description =
      description.size() > kMostHephNameBytes || described_ >= kMostDescriptions;
  if (with_description) {
    make_key(description, true);
    const auto general = shapes_.find(key_);
    if (general != shapes_.end()) return general->second;
  } else {
    ++described_;
  }
  Shape shape{0, with_description};
  if (builder_.sites() < TraceBuilder::kMostSites) shape.site = add_site(description, shape);
  if (shape.site != 0) shapes_.emplace(key_, shape);
  return shape;
}

std::uint32_t EventImport::add_site(std::string_view description, const Shape& shape) {
  SiteDefinition site;
  site.kind = shm::SiteKind::kSpan;
  if (shape.with_description) {
    site.name = site.format = "heph";
    site.fields.push_back({.name = std::string(kHephDescription), .type = shm::FieldType::string});
  } else {
    site.name = site.format = description;
  }
  const std::size_t most = most_attributes(shape.with_description);
  for (std::size_t i = 0; i < attributes_.size() && i < most; ++i) {
    site.fields.push_back(
        {.name = std::string(attributes_[i].name), .type = field_type(attributes_[i])});
  }
  return builder_.add_site(site);
}

void EventImport::add_option(const Packet& packet, TraceSource& source) {
  ++options_;
  if (!source.option_stream) source.option_stream = new_stream(source, 0, "metadata");
  if (option_site_ == 0 && builder_.sites() < TraceBuilder::kMostSites) {
    SiteDefinition site;
    site.name = site.format = kHephOption;
    site.category = "heph";
    site.fields = {{.name = "heph.name", .type = shm::FieldType::string},
                   {.name = "heph.value", .type = shm::FieldType::bytes}};
    option_site_ = builder_.add_site(site);
  }
  if (option_site_ == 0 || !source.option_stream) return report_.lost(kManySites);
  builder_.begin(*source.option_stream, option_site_,
                 source.last_ns != 0 ? source.last_ns : unix_ns(0, source));
  builder_.put_text(packet.option);
  builder_.put_text({reinterpret_cast<const char*>(packet.value.data()), packet.value.size()});
  builder_.end();
}

}  // namespace ringside::tool::heph
