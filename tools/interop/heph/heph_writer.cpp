// Converts Ringside traces to Heph traces.

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "shm-layout/record_head.hpp"
#include "tools/interop/heph/heph_format.hpp"
#include "tools/interop/heph/heph_packets.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/utf8.hpp"
#include "trace-format/text/array_elements.hpp"
#include "trace-format/text/value_text.hpp"

namespace ringside::tool {
namespace heph {
namespace {

using shm::FieldType;

// A section with a time before 1971 has no wall clock.
constexpr std::uint64_t kFirstWallClockNs = 365ULL * 24 * 3600 * 1'000'000'000;
constexpr std::uint32_t kFirstFreeStream = 0x80000000;

template <std::unsigned_integral Number>
void append_big(std::string& out, Number number) {
  std::array<std::byte, sizeof number> bytes{};
  std::memcpy(bytes.data(), &number, sizeof number);
  number = load_big<Number>(bytes.data());  // swaps
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <std::unsigned_integral Number>
void store_big(std::string& out, std::size_t at, Number number) {
  std::array<std::byte, sizeof number> bytes{};
  std::memcpy(bytes.data(), &number, sizeof number);
  number = load_big<Number>(bytes.data());
  std::memcpy(out.data() + at, &number, sizeof number);
}

// For scalars; arrays have the type of their elements, and kArray.
std::uint8_t type_of(FieldType type) {
  switch (type) {
    case FieldType::boolean:
    case FieldType::u8:
    case FieldType::u16:
    case FieldType::u32:
    case FieldType::u64:
    case FieldType::pointer:
      return kUnsigned;
    case FieldType::i8:
    case FieldType::i16:
    case FieldType::i32:
    case FieldType::i64:
      return kSigned;
    case FieldType::f32:
    case FieldType::f64:
    case FieldType::f80:
      return kFloat;
    default:
      return kString;
  }
}

class Writer final : public TraceWriter {
 public:
  Writer(OutputBytes& output, ConversionReport& report) : output_(output), report_(report) {}

  void add(const trace::Event& event) override {
    if (event.kind == trace::EventKind::kSiteLoss) return;
    Stream& stream = stream_of(event);
    if (event.kind == trace::EventKind::kLoss) {
      stream.lost += event.lost;
      return;
    }
    SiteText& site = text_of(event);
    if (site.is_option) return add_option(event);
    ++site.records;
    count_extension(event.record);
    set_epoch(event);
    packet_.clear();
    append_big(packet_, kEventMagic);
    append_big(packet_, std::uint32_t{0});
    append_big(packet_, stream.id);
    if (stream.lost != 0) count_losses(stream);
    append_big(packet_, stream.counter++);
    stream.has_events = true;
    append_big(packet_, event.record.substream & flag_mask(event.record, shm::kExtSubstream));
    const std::uint64_t start = event.unix_ns - epoch_;
    append_big(packet_, start);
    append_big(packet_, start + duration_ns(event));
    append_description(event, site);
    for (std::size_t i = site.first_field; i < site.fields.size(); ++i) {
      packet_ += site.fields[i];
      append_value(event.record.args[i]);
    }
    store_big(packet_, 4, static_cast<std::uint32_t>(packet_.size()));
    output_.put(packet_);
  }

  void end() override {
    for (const auto& [key, stream] : streams_) untold_ += stream.lost;
    if (untold_ != 0) {
      report_.lost(
          "lost before the first or after the last record of a thread: not reported in Heph traces",
          untold_);
    }
    for (const auto& [key, site] : sites_) {
      for (const std::string_view kind : site.lost) {
        if (site.records != 0) report_.lost(kind, site.records);
      }
    }
    for (std::size_t i = 0; i < kExtensionParts.size(); ++i) {
      if (lost_parts_[i] != 0) report_.lost(kExtensionParts[i].second, lost_parts_[i]);
    }
  }

 private:
  struct Stream {
    std::uint32_t id = 0;
    std::uint32_t counter = 0;
    std::uint64_t lost = 0;  // since its last event
    bool has_events = false;
  };
  struct SiteText {
    std::string description;             // with its length
    std::vector<std::string> fields;     // name and type, of each
    std::vector<std::string_view> lost;  // of each record
    std::optional<trace::SiteMessage> message;
    std::size_t first_field = 0;  // 1: the field before it is the description
    bool is_option = false;
    std::uint64_t records = 0;
  };

  static constexpr std::array<std::pair<std::uint32_t, std::string_view>, 3> kExtensionParts{
      {{shm::kExtActivity, "activity ids are left out: Heph traces have no place for them"},
       {shm::kExtRelatedActivity,
        "related activity ids are left out: Heph traces have no place for them"},
       {shm::kExtStack, "stack ids are left out: Heph traces have no place for them"}}};

  static std::uint64_t flag_mask(const trace::Record& record, std::uint32_t flag) {
    return (record.ext_flags & flag) != 0 ? ~std::uint64_t{0} : 0;
  }

  // A gap in the counters can express fewer than 2^31 losses, and needs an event on either side.
  void count_losses(Stream& stream) {
    constexpr std::uint64_t kMostMissing = (std::uint64_t{1} << 31) - 2;
    const std::uint64_t told = stream.has_events ? std::min(stream.lost, kMostMissing) : 0;
    stream.counter += static_cast<std::uint32_t>(told);
    untold_ += stream.lost - told;
    stream.lost = 0;
  }

  void count_extension(const trace::Record& record) {
    if ((record.ext_flags & ~(shm::kExtDuration | shm::kExtSubstream)) == 0) return;
    for (std::size_t i = 0; i < kExtensionParts.size(); ++i) {
      lost_parts_[i] += (record.ext_flags & kExtensionParts[i].first) != 0 ? 1U : 0U;
    }
  }

  static std::uint64_t duration_ns(const trace::Event& event) {
    if ((event.record.ext_flags & shm::kExtDuration) == 0) return 0;
    const std::uint64_t hz = event.segment->tick_hz;
    if (hz == 0 || hz == 1'000'000'000) return event.record.duration;
    __extension__ using HephWide = unsigned __int128;
    return static_cast<std::uint64_t>(HephWide{event.record.duration} * 1'000'000'000 / hz);
  }

  // A stream has its thread's number unless another stream of the trace has that number.
  Stream& stream_of(const trace::Event& event) {
    if (event.section == last_section_ && event.stream->id == last_stream_id_ &&
        last_stream_ != nullptr) {
      return *last_stream_;
    }
    last_section_ = event.section;
    last_stream_id_ = event.stream->id;
    const auto [place, is_new] =
        streams_.try_emplace(std::pair(event.segment->uuid, event.stream->id));
    last_stream_ = &place->second;
    if (!is_new) return *last_stream_;
    std::uint32_t id = event.stream->thread_id;
    while (!taken_.insert(id).second) id = next_free_++;
    last_stream_->id = id;
    return *last_stream_;
  }

  SiteText& text_of(const trace::Event& event) {
    const std::uint64_t key = std::uint64_t{event.section} << 32 | event.record.site->id;
    if (last_site_ != nullptr && last_site_key_ == key) return *last_site_;
    const auto [place, is_new] = sites_.try_emplace(key);
    if (is_new) prepare(*event.record.site, place->second);
    last_site_key_ = key;
    return *(last_site_ = &place->second);
  }

  void prepare(const trace::Site& site, SiteText& text) {
    text.is_option = site.name == kHephOption && site.category == "heph" &&
                     site.fields.size() == 2 && site.fields[0].type == FieldType::string &&
                     site.fields[1].type == FieldType::bytes;
    const bool described = !site.fields.empty() && site.fields[0].name == kHephDescription &&
                           site.fields[0].type == FieldType::string && !site.fields[0].is_array;
    text.first_field = described ? 1 : 0;
    if (!described && site.name.empty()) text.message.emplace(site);
    append_text(text.description, site.name);
    for (const trace::Field& field : site.fields) {
      std::string& head = text.fields.emplace_back();
      append_text(head, field.name);
      head += static_cast<char>(type_of(field.type) | (field.is_array ? kArray : 0));
    }
    const auto loses = [&text](bool lost, std::string_view kind) {
      if (lost) text.lost.push_back(kind);
    };
    loses(site.kind != shm::SiteKind::kSpan, "became a span: Heph traces have only spans");
    loses(site.level != shm::Level::kInfo && site.level != shm::Level::kNone,
          "levels are left out: Heph traces have no place for them");
    loses(!site.category.empty(), "categories are left out: Heph traces have no place for them");
    loses(site.keywords != 0, "keywords are left out: Heph traces have no place for them");
    loses(!site.file.empty() || !site.function.empty(),
          "places in the source are left out: Heph traces have no place for them");
  }

  void put_metadata(std::string_view option, std::string_view value) {
    packet_.clear();
    append_big(packet_, kMetadataMagic);
    append_big(packet_, std::uint32_t{0});
    append_text(packet_, option);
    packet_ += value;
    store_big(packet_, 4, static_cast<std::uint32_t>(packet_.size()));
    output_.put(packet_);
  }

  void add_option(const trace::Event& event) {
    set_epoch(event);
    put_metadata(event.record.args[0].text, event.record.args[1].text);
  }

  // All times count from the begin of the first process, or from the first record if that is
  // earlier.
  void set_epoch(const trace::Event& event) {
    const bool on_wall_clock = event.unix_ns >= kFirstWallClockNs;
    if (event.unix_ns >= epoch_ && started_ && (has_epoch_ || !on_wall_clock)) [[likely]]
      return;
    const std::uint64_t begin = event.segment->start_realtime_ns;
    epoch_ = std::min(started_ ? epoch_ : begin, event.unix_ns);
    started_ = true;
    // Without a wall clock the trace has none either, until an event has one: then the events
    // before it also count from 1970.
    if (begin == 0 && !on_wall_clock) return;
    has_epoch_ = true;
    std::string value;
    append_big(value, epoch_);
    put_metadata(kEpoch, value);
  }

  void append_description(const trace::Event& event, const SiteText& site) {
    if (site.first_field != 0) return append_text(packet_, event.record.args[0].text);
    if (!site.message) {
      packet_ += site.description;
      return;
    }
    message_.clear();
    if (event.record.site->style == static_cast<std::uint8_t>(shm::FormatStyle::none)) {
      message_.write(event.record.site->format);
    } else {
      site.message->append(message_, event.record.args);
    }
    append_text(packet_, message_.text());
  }

  // UTF-8 of at most 65535 bytes, after its length.
  void append_text(std::string& out, std::string_view text) {
    const std::size_t at = out.size();
    append_big(out, std::uint16_t{0});
    bool sound = true;
    while (!text.empty()) {
      const std::size_t bytes = trace::utf8_sequence_bytes(text);
      const std::string_view piece =
          bytes != 0 ? text.substr(0, bytes) : std::string_view("\xEF\xBF\xBD");
      if (out.size() - at - 2 + piece.size() > kMostTextBytes) {
        report_.lost("texts are truncated after 65535 bytes");
        break;
      }
      out += piece;
      sound = sound && bytes != 0;
      text.remove_prefix(bytes != 0 ? bytes : trace::utf8_unsound_bytes(text));
    }
    if (!sound) report_.lost("bytes that are not UTF-8 became U+FFFD");
    store_big(out, at, static_cast<std::uint16_t>(out.size() - at - 2));
  }

  void append_value(const trace::Value& value) {
    if (!shm::is_array(value.type)) return append_scalar(value);
    const std::size_t at = packet_.size();
    append_big(packet_, std::uint16_t{0});
    trace::ArrayElements elements(value);
    trace::Value element;
    std::uint16_t count = 0;
    while (elements.next(element)) {
      if (count == kMostElements) {
        report_.lost("arrays are truncated after 65535 elements");
        break;
      }
      append_scalar(element);
      ++count;
    }
    store_big(packet_, at, count);
  }

  void append_scalar(const trace::Value& value) {
    switch (value.type) {
      case FieldType::f32:
        return append_big(packet_, std::bit_cast<std::uint64_t>(static_cast<double>(value.f32)));
      case FieldType::f80: {
        const long double wide = value.as_f80().value_or(0);
        const auto rounded = static_cast<double>(wide);
        if (static_cast<long double>(rounded) != wide && wide == wide) {
          report_.lost("floating-point numbers of 80 bits were rounded to 64");
        }
        return append_big(packet_, std::bit_cast<std::uint64_t>(rounded));
      }
      case FieldType::string:
        return append_text(packet_, value.text);
      case FieldType::enumeration:
        if (!value.text.empty()) return append_text(packet_, value.text);
        return append_text(packet_, std::to_string(value.i64));
      case FieldType::character: {
        const char character = static_cast<char>(value.u64);
        return append_text(packet_, {&character, 1});
      }
      case FieldType::bytes:
      case FieldType::i128:
      case FieldType::u128:
      case FieldType::none:
        message_.clear();
        trace::write_value(message_, value);
        return append_text(packet_, message_.text());
      default:
        return append_big(packet_, value.u64);
    }
  }

  OutputBytes& output_;
  ConversionReport& report_;
  std::string packet_;
  trace::TextSink message_;
  bool started_ = false;
  std::uint64_t epoch_ = 0;
  bool has_epoch_ = false;  // already written
  std::map<std::pair<std::array<std::uint8_t, 16>, std::uint64_t>, Stream> streams_;
  std::unordered_set<std::uint32_t> taken_;
  std::uint32_t next_free_ = kFirstFreeStream;
  std::uint64_t untold_ = 0;
  Stream* last_stream_ = nullptr;
  std::uint32_t last_section_ = 0;
  std::uint64_t last_stream_id_ = 0;
  std::unordered_map<std::uint64_t, SiteText> sites_;
  SiteText* last_site_ = nullptr;
  std::uint64_t last_site_key_ = 0;
  std::array<std::uint64_t, kExtensionParts.size()> lost_parts_{};
};

}  // namespace
}  // namespace heph

std::unique_ptr<TraceWriter> write_heph(OutputBytes& output, ConversionReport& report) {
  return std::make_unique<heph::Writer>(output, report);
}

}  // namespace ringside::tool
