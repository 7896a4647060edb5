#include "tests/interop/random_trace.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <span>
#include <string>
#include <string_view>

#include "shm-layout/record_head.hpp"

namespace ringside::tool::testing {
namespace {

using shm::FieldType;
using shm::SiteKind;

constexpr std::uint64_t kFirstUnixNs = 1'700'000'000'123'456'789;
constexpr std::uint64_t kFarNs = std::uint64_t{1} << 43;

template <class Number>
std::string raw(Number number) {
  std::string bytes(sizeof number, '\0');
  std::memcpy(bytes.data(), &number, sizeof number);
  return bytes;
}

class RandomTrace {
 public:
  RandomTrace(TraceBuilder& builder, std::uint64_t seed, const RandomTraceShape& shape)
      : builder_(builder), shape_(shape), random_(seed) {}

  void make() {
    for (std::uint32_t p = 0; p < shape_.processes; ++p) add_process(p);
    for (std::uint32_t i = 0; i < shape_.sites; ++i) add_site(i);
    for (std::uint64_t i = 0; i < shape_.records; ++i) {
      now_ += one_of(20) ? 0 : below(1 + below(100'000));
      if (one_of(150)) now_ += below(kFarNs);
      const std::size_t thread = below(threads_.size());
      if (shape_.losses && one_of(60)) add_loss(thread);
      add_record(thread, sites_[below(one_of(2) ? 3 : sites_.size()) % sites_.size()]);
    }
  }

 private:
  struct Site {
    std::uint32_t id = 0;
    SiteDefinition definition;
  };
  struct Thread {
    std::uint32_t stream = 0;
    std::vector<std::uint64_t> ends;  // of the open spans
  };

  std::uint64_t below(std::uint64_t limit) { return random_() % limit; }
  bool one_of(std::uint64_t count) { return below(count) == 0; }
  template <class Choices>
  auto pick(const Choices& choices) {
    return choices[below(std::size(choices))];
  }

  void add_process(std::uint32_t number) {
    ProcessDefinition process;
    process.pid = 1000 + 7 * number;
    process.uid = number;
    process.start_unix_ns = kFirstUnixNs - 1'000'000;
    process.service = "random-" + std::to_string(number);
    process.executable = "/usr/bin/random" + std::to_string(number);
    process.host = number == 0 ? "" : "host" + std::to_string(number);
    const std::uint32_t index = builder_.add_process(process);
    for (std::uint32_t t = 0; t < shape_.threads; ++t) {
      StreamDefinition stream;
      stream.thread_id = 1000 + 7 * number + t;  // with many threads, also those of another process
      stream.thread_name = name("thread ", t);
      threads_.push_back({builder_.add_stream(index, stream), {}});
    }
  }

  std::string name(std::string_view stem, std::uint64_t number) {
    static constexpr std::string_view kOdd[] = {"",   "\"quoted\"",       "a,b;c",   "back\\slash",
                                                "ü€", "\xF0\x9F\x90\x8C", "x=y {z}", " blank "};
    std::string result = std::string(stem) + std::to_string(number);
    if (shape_.odd_names && one_of(4)) result += pick(kOdd);
    return result;
  }

  FieldType type() {
    if (!shape_.types.empty()) return pick(shape_.types);
    const auto element = static_cast<FieldType>(1 + below(shm::kLastFieldType));
    return one_of(5) ? shm::array_of(element) : element;
  }

  void add_site(std::uint32_t number) {
    static constexpr SiteKind kKinds[] = {SiteKind::kSpan, SiteKind::kLog, SiteKind::kEvent,
                                          SiteKind::kCounter};
    static constexpr std::string_view kCategories[] = {"", "net.http", "storage", "café"};
    Site site;
    SiteDefinition& d = site.definition;
    d.kind = kKinds[number % std::size(kKinds)];
    d.level = static_cast<shm::Level>(1 + below(7));
    d.keywords = one_of(2) ? 0 : random_();
    d.name = one_of(8) ? "" : name("site.", number);
    d.category = pick(kCategories);
    d.format = one_of(8) ? "" : name("message ", number);
    if (!one_of(4)) {
      d.file = "src/" + name("file", number) + ".cpp";
      d.line = static_cast<std::uint32_t>(below(5000));
      d.function = "do_" + std::to_string(number);
    }
    const std::uint64_t fields = one_of(8) ? below(65) : below(5);
    for (std::uint64_t i = 0; i < fields; ++i) {
      FieldDefinition& field = d.fields.emplace_back();
      field.name = name("field_", i);
      field.type = type();
      if (shm::element_type(field.type) == FieldType::enumeration) {
        field.enum_names = {{-1, "none"}, {0, "zero"}, {7, "sev\"en"}};
      }
      if (one_of(6)) {
        const std::string bytes = value_bytes(field.type);
        const bool has_length = shm::is_variable_length(field.type);
        field.constant = has_length ? bytes.substr(4) : bytes;
      }
    }
    const bool is_printf = d.kind == SiteKind::kLog && shape_.types.empty() && one_of(3);
    if (is_printf) {
      d.style = shm::FormatStyle::printf;
      d.format = "%d of \"%s\", 100%%";
      // A conversion without a length modifier records an integer of any width.
      d.fields = {{.name = "number", .type = number % 2 == 0 ? FieldType::i32 : FieldType::i64},
                  {.name = "text", .type = FieldType::string}};
    }
    if (!is_printf && number % 8 == 1 && shape_.types.empty()) {  // half of the logs
      d.style = shm::FormatStyle::brace;
      if (d.name.empty()) d.name = name("site.", number);
      d.format = "{text:>8} has {{{count}}} of {0} {seen}";
      d.fields = {{.name = "price", .type = FieldType::f64},
                  {.name = "text", .type = FieldType::string},
                  {.name = "count", .type = FieldType::i64},
                  {.name = "seen", .type = FieldType::boolean}};
    }
    site.id = builder_.add_site(d);
    sites_.push_back(std::move(site));
  }

  // As a ring stores it.
  std::string value_bytes(FieldType type) {
    if (shm::is_array(type)) {
      const auto count = static_cast<std::uint32_t>(below(6));
      std::string bytes = raw(count);
      for (std::uint32_t i = 0; i < count; ++i) bytes += value_bytes(shm::element_type(type));
      return bytes;
    }
    switch (type) {
      case FieldType::boolean:
        return raw(static_cast<std::uint8_t>(below(2)));
      case FieldType::character:
        return raw(static_cast<std::uint8_t>(one_of(6) ? below(128) : 'a' + below(26)));
      case FieldType::f32:
        return raw(static_cast<float>(floating()));
      case FieldType::f64:
        return raw(floating());
      case FieldType::f80:
        return f80();
      case FieldType::enumeration:
        return raw(static_cast<std::int64_t>(below(9)) - 1);
      case FieldType::string:
      case FieldType::bytes: {
        const bool any = type == FieldType::bytes || shape_.any_bytes_in_texts;
        const std::string value = any ? bytes() : text();
        return raw(static_cast<std::uint32_t>(value.size())) + value;
      }
      default:
        return integer(shm::fixed_size(type));
    }
  }

  std::string integer(std::size_t bytes) {
    std::uint64_t low = below(200);
    std::uint64_t high = 0;
    if (one_of(3)) low = (std::uint64_t{1} << below(64)) - below(2);
    if (one_of(3)) low = random_();
    if (one_of(3)) high = random_();
    if (one_of(4)) {
      low = ~low;
      high = ~high;
    }
    std::string result = raw(low) + raw(high);
    result.resize(bytes);
    return result;
  }

  double floating() {
    switch (below(16)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return one_of(2) ? std::numeric_limits<double>::infinity()
                         : -std::numeric_limits<double>::infinity();
      case 2:
        return -0.0;
      case 3:
        return 1e300 / static_cast<double>(1 + below(1000));
      case 4:
        return 5e-324 * static_cast<double>(below(1000));
      default:
        return (static_cast<double>(below(2'000'001)) - 1e6) / 1024;
    }
  }

  // A normal number: a 64-bit integer with its highest bit set.
  std::string f80() {
    const std::uint64_t mantissa = random_() | std::uint64_t{1} << 63;
    const auto exponent = static_cast<std::uint16_t>(16383 - 100 + below(200));
    return raw(mantissa) + raw(static_cast<std::uint16_t>(exponent | below(2) << 15));
  }

  std::string text() {
    static constexpr std::string_view kPieces[] = {
        "a",       "bc", " ",  "=", "\"", "\\", ",",    "\n",   "\t",
        "'",       "ß",  "中", "{", "}",  "%",  "\x01", "\x7F", "\xF0\x9F\x90\x8C",
        "\xC2\x85"};
    std::string result;
    const std::uint64_t pieces = one_of(40) ? below(3000) : below(10);
    for (std::uint64_t i = 0; i < pieces; ++i) {
      result += one_of(50) ? std::string(1, '\0') : std::string(pick(kPieces));
    }
    return result;
  }

  std::string bytes() {
    std::string result(one_of(40) ? below(3000) : below(20), '\0');
    for (char& byte : result) byte = static_cast<char>(below(256));
    return result;
  }

  void add_loss(std::size_t thread) {
    static constexpr shm::LossCause kCauses[] = {
        shm::LossCause::kRingFull, shm::LossCause::kNoConsumer, shm::LossCause::kOverwritten,
        shm::LossCause::kUnknown};
    builder_.lost(threads_[thread].stream, now_, 1 + below(1000), pick(kCauses));
  }

  std::uint64_t span_duration(Thread& thread) {
    while (!thread.ends.empty() && thread.ends.back() <= now_) thread.ends.pop_back();
    std::uint64_t duration = one_of(10) ? 0 : below(1 + below(10'000'000));
    if (!thread.ends.empty() && !(shape_.overlaps && one_of(10))) {
      duration = std::min(duration, thread.ends.back() - now_);
    }
    thread.ends.push_back(now_ + duration);
    return duration;
  }

  std::array<std::uint8_t, 16> activity() {
    std::array<std::uint8_t, 16> id{};
    id[0] = static_cast<std::uint8_t>(below(8));
    id[15] = 0xA0;
    return id;
  }

  void add_record(std::size_t thread, const Site& site) {
    trace::RecordExtension extension;
    if (shape_.extensions && one_of(5)) {
      extension.ext_flags = static_cast<std::uint32_t>(below(shm::kExtDuration));
      extension.substream = one_of(2) ? below(3) : random_();
      extension.activity = activity();
      extension.related = activity();
      extension.stack_id = static_cast<std::uint32_t>(below(100));
    }
    const bool odd_duration = shape_.extensions && shape_.overlaps && one_of(100);
    if (site.definition.kind == SiteKind::kSpan || odd_duration) {
      extension.ext_flags |= shm::kExtDuration;
      extension.duration = span_duration(threads_[thread]);
    }
    builder_.begin(threads_[thread].stream, site.id, now_, extension);
    for (const FieldDefinition& field : site.definition.fields) {
      if (!field.constant) put(field.type);
    }
    builder_.end();
  }

  void put(FieldType type) {
    const std::string bytes = value_bytes(type);
    if (shm::is_array(type)) {
      std::uint32_t count = 0;
      std::memcpy(&count, bytes.data(), sizeof count);
      return builder_.put_value(
          trace::Value::of_array(type, std::string_view(bytes).substr(4), count));
    }
    if (shm::is_variable_length(type)) return builder_.put_text(std::string_view(bytes).substr(4));
    for (const char byte : bytes) builder_.put(static_cast<std::uint8_t>(byte));
  }

  TraceBuilder& builder_;
  const RandomTraceShape& shape_;
  std::mt19937_64 random_;
  std::uint64_t now_ = kFirstUnixNs;
  std::vector<Thread> threads_;
  std::vector<Site> sites_;
};

}  // namespace

void add_random_trace(TraceBuilder& builder, std::uint64_t seed, const RandomTraceShape& shape) {
  RandomTrace(builder, seed, shape).make();
}

}  // namespace ringside::tool::testing
