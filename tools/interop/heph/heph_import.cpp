// Converts Heph traces to Ringside traces: one stream per stream, one span per event.

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "shm-layout/record_head.hpp"
#include "tools/interop/heph/heph_format.hpp"
#include "tools/interop/heph/heph_packets.hpp"

namespace ringside::tool {
namespace heph {
namespace {

// After this number of different descriptions, further ones become a field of their records: they
// vary too much.
constexpr std::size_t kMostDescriptions = 50'000;
constexpr std::size_t kMostHephNameBytes = 4096;
// The latest time of a trace: the year 2262.
constexpr std::uint64_t kLastUnixNs = std::numeric_limits<std::int64_t>::max();

constexpr std::string_view kFarTime = "its time became the last possible one, in the year 2262";
constexpr std::string_view kBackwards = "ends before it starts: its duration became 0";
constexpr std::string_view kManyAttributes = "attributes after the 64th are left out";
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

class Import {
 public:
  Import(TraceBuilder& builder, ConversionReport& report) : builder_(builder), report_(report) {}

  ReadOutcome run(InputBytes& whole) {
    EpochSearch search = find_first_epoch(whole);
    if (!search.failure.empty()) return ReadOutcome::refused(0, search.failure);
    InputBytes& input = search.replay != nullptr ? *search.replay : whole;
    epoch_ = search.epoch_ns.value_or(0);
    PacketReader reader(input);
    Packet packet;
    Step step = reader.next(packet);
    if (step == Step::kDamaged) return ReadOutcome::refused(packet.offset, reader.why());
    ProcessDefinition process;
    process.start_unix_ns = std::min(epoch_, kLastUnixNs);
    process.service = "heph";
    process_ = builder_.add_process(process);
    for (; step == Step::kPacket || step == Step::kBad; step = reader.next(packet)) {
      if (step == Step::kBad || (packet.is_event && !take(packet.attributes))) {
        ++bad_;
      } else if (packet.is_event) {
        add_event(packet);
      } else if (packet.is_epoch) {
        epoch_ = packet.epoch_ns;
      } else {
        add_option(packet);
      }
    }
    ReadOutcome outcome;
    if (step == Step::kDamaged) outcome = ReadOutcome::damaged(packet.offset, reader.why());
    if (!search.epoch_ns && events_ != 0) {
      outcome.warnings.emplace_back("no epoch is set; times count from the beginning of 1970");
    }
    warn(bad_, "bad packets were skipped", outcome);
    warn(options_, "options are unknown: they are kept as records of heph.option", outcome);
    warn(late_, "events came late: some that count as lost are present", outcome);
    warn(duplicates_, "events have the number of the event before", outcome);
    return outcome;
  }

 private:
  struct Stream {
    std::uint32_t index = 0;
    CounterWatch counters;
  };
  struct Shape {
    std::uint32_t site = 0;  // 0: the limit is reached
    bool with_description = false;
  };

  static void warn(std::uint64_t count, std::string_view what, ReadOutcome& outcome) {
    if (count != 0) outcome.warnings.push_back(fmt::format("{} {}", count, what));
  }

  // False if they are invalid.
  bool take(std::span<const std::byte> bytes) {
    AttributeCursor cursor(bytes);
    attributes_.clear();
    attribute_count_ = 0;
    Attribute attribute;
    for (; cursor.next(attribute); ++attribute_count_) {
      if (attribute_count_ < shm::kMaxFields) attributes_.push_back(attribute);
    }
    return cursor.failure() == nullptr;
  }

  Stream& stream_of(std::uint32_t id) {
    if (last_stream_ != nullptr && last_stream_id_ == id) return *last_stream_;
    auto place = streams_.find(id);
    if (place == streams_.end()) {
      // One stream is reserved for options.
      if (streams_.size() >= TraceBuilder::kMostStreams - 1) return stream_beyond();
      place = streams_.try_emplace(id).first;
      place->second.index = builder_.add_stream(process_, {.thread_id = id, .thread_name = {}});
    }
    last_stream_id_ = id;
    return *(last_stream_ = &place->second);
  }

  // One for all streams beyond the limit: it must not compare their counters, which are unrelated.
  Stream& stream_beyond() {
    report_.lost(kManyStreams);
    beyond_.counters = {};
    return beyond_;
  }

  std::uint64_t unix_ns(std::uint64_t since_epoch) {
    std::uint64_t sum = 0;
    if (!__builtin_add_overflow(epoch_, since_epoch, &sum) && sum <= kLastUnixNs) return sum;
    report_.lost(kFarTime);
    return kLastUnixNs;
  }

  void add_event(const Packet& packet) {
    ++events_;
    Stream& stream = stream_of(packet.stream);
    const std::uint64_t late = stream.counters.late;
    const std::uint64_t duplicates = stream.counters.duplicates;
    const std::uint32_t missing = stream.counters.see(packet.counter);
    late_ += stream.counters.late - late;
    duplicates_ += stream.counters.duplicates - duplicates;
    const std::uint64_t begin = unix_ns(packet.start);
    if (missing != 0) builder_.lost(stream.index, begin, missing);
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
    last_time_ = begin;
    if (shape.with_description) builder_.put_text(packet.description);
    const std::size_t most = most_attributes(shape);
    for (std::size_t i = 0; i < attributes_.size() && i < most; ++i) put(attributes_[i]);
    if (attribute_count_ > most) report_.lost(kManyAttributes);
    builder_.end();
  }

  static std::size_t most_attributes(const Shape& shape) {
    return shm::kMaxFields - (shape.with_description ? 1U : 0U);
  }

  void put(const Attribute& attribute) {
    const bool is_text = attribute.element_type() == kString;
    if (!attribute.is_array()) {
      return is_text ? builder_.put_text(attribute.value)
                     : builder_.put(number_of(attribute.value));
    }
    elements_.clear();
    std::string_view left = attribute.value;
    for (std::uint32_t i = 0; i < attribute.count; ++i) {
      if (is_text) {
        const std::string_view text = take_element(left);
        append(static_cast<std::uint32_t>(text.size()));
        elements_ += text;
      } else {
        append(number_of(left));
        left.remove_prefix(8);
      }
    }
    builder_.put_array(elements_, attribute.count, is_text ? 0 : 8);
  }

  template <class Number>
  void append(Number number) {
    elements_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }

  // Events with equal keys belong to one statement.
  void make_key(std::string_view description, bool with_description) {
    key_.clear();
    key_ += with_description ? '\0' : '\1';
    if (!with_description) append_key(description);
    for (std::size_t i = 0; i < attributes_.size() && i < shm::kMaxFields; ++i) {
      key_ += static_cast<char>(attributes_[i].type);
      append_key(attributes_[i].name);
    }
  }
  void append_key(std::string_view text) {
    const auto bytes = static_cast<std::uint16_t>(text.size());
    key_.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
    key_ += text;
  }

  Shape shape_of(std::string_view description) {
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

  std::uint32_t add_site(std::string_view description, const Shape& shape) {
    SiteDefinition site;
    site.kind = shm::SiteKind::kSpan;
    if (shape.with_description) {
      site.name = site.format = "heph";
      site.fields.push_back(
          {.name = std::string(kHephDescription), .type = shm::FieldType::string});
    } else {
      site.name = site.format = description;
    }
    const std::size_t most = most_attributes(shape);
    for (std::size_t i = 0; i < attributes_.size() && i < most; ++i) {
      site.fields.push_back(
          {.name = std::string(attributes_[i].name), .type = field_type(attributes_[i])});
    }
    return builder_.add_site(site);
  }

  void add_option(const Packet& packet) {
    ++options_;
    if (option_site_ == 0) {
      option_stream_ = builder_.add_stream(process_, {.thread_id = 0, .thread_name = "metadata"});
      SiteDefinition site;
      site.name = site.format = kHephOption;
      site.category = "heph";
      site.fields = {{.name = "heph.name", .type = shm::FieldType::string},
                     {.name = "heph.value", .type = shm::FieldType::bytes}};
      option_site_ = builder_.add_site(site);
    }
    builder_.begin(option_stream_, option_site_, last_time_ != 0 ? last_time_ : unix_ns(0));
    builder_.put_text(packet.option);
    builder_.put_text({reinterpret_cast<const char*>(packet.value.data()), packet.value.size()});
    builder_.end();
  }

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::uint32_t process_ = 0;
  std::uint64_t epoch_ = 0;
  std::unordered_map<std::uint32_t, Stream> streams_;
  std::uint32_t last_stream_id_ = 0;
  Stream* last_stream_ = nullptr;
  Stream beyond_;
  std::unordered_map<std::string, Shape> shapes_;
  std::size_t described_ = 0;
  std::vector<Attribute> attributes_;  // of the current event, as many as a record can have
  std::size_t attribute_count_ = 0;    // all
  std::string key_;
  std::string elements_;
  std::uint32_t option_site_ = 0;
  std::uint32_t option_stream_ = 0;
  std::uint64_t last_time_ = 0;
  std::uint64_t events_ = 0;
  std::uint64_t bad_ = 0;
  std::uint64_t options_ = 0;  // unknown ones
  std::uint64_t late_ = 0;
  std::uint64_t duplicates_ = 0;
};

}  // namespace
}  // namespace heph

ReadOutcome read_heph(InputBytes& input, TraceBuilder& builder, ConversionReport& report) {
  return heph::Import(builder, report).run(input);
}

}  // namespace ringside::tool
