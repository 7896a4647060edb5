#include "tools/interop/netlogger/netlogger_messages.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

namespace ringside::tool::netlogger {
namespace {

constexpr std::size_t kMostDefinitionBytes = std::size_t{256} << 20;
// Memory for each field: its name and value here, and again in the users of the definition.
constexpr std::size_t kFieldBytes = 96;
constexpr std::uint64_t kUnixEpoch = 2'208'988'800;  // in NTP's seconds
constexpr std::uint64_t kEraSeconds = std::uint64_t{1} << 32;
constexpr std::uint32_t kFirstOfEra0 = std::uint32_t{1} << 31;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint8_t kNewestMajor = 1;

std::uint32_t load16(const std::byte* p, bool swap) {
  std::uint16_t value = 0;
  std::memcpy(&value, p, sizeof value);
  return swap ? __builtin_bswap16(value) : value;
}

std::uint32_t load32(const std::byte* p, bool swap) {
  std::uint32_t value = 0;
  std::memcpy(&value, p, sizeof value);
  return swap ? __builtin_bswap32(value) : value;
}

std::uint64_t load64(const std::byte* p, bool swap) {
  std::uint64_t value = 0;
  std::memcpy(&value, p, sizeof value);
  return swap ? __builtin_bswap64(value) : value;
}

// Of a number in a message; 0 for any other type.
std::size_t number_bytes(std::uint8_t type, bool is_extended) {
  if (type == kInt || type == kFloat) return 4;
  if (!is_extended) return 0;
  if (type == kUint32) return 4;
  return type >= kInt64 && type <= kDouble ? 8 : 0;
}

std::uint8_t byte_at(std::span<const std::byte> bytes, std::size_t at) {
  return static_cast<std::uint8_t>(bytes[at]);
}

std::size_t memory_of(const Definition& definition) {
  return sizeof definition + definition.bytes.size() + definition.names.size() * kFieldBytes;
}

// Reads within one message.
class Cursor {
 public:
  Cursor(std::span<const std::byte> bytes, std::size_t at, bool swap, bool is_extended)
      : at_(bytes.data() + at),
        end_(bytes.data() + bytes.size()),
        swap_(swap),
        is_extended_(is_extended) {}

  bool at_end() const { return at_ == end_; }

  bool text(std::string_view& text) {
    if (at_ == end_) return false;
    const auto bytes = static_cast<std::size_t>(*at_);
    if (bytes > left() - 1) return false;
    text = {reinterpret_cast<const char*>(at_ + 1), bytes};
    at_ += 1 + bytes;
    return true;
  }

  // Null, or what is wrong.
  const char* value(Datum& datum) {
    constexpr const char* kLong = "its values are longer than the message";
    if (at_ == end_) return kLong;
    datum.type = static_cast<std::uint8_t>(*at_++);
    if (datum.type == kString) return text(datum.text) ? nullptr : kLong;
    const std::size_t bytes = number_bytes(datum.type, is_extended_);
    if (bytes == 0) return "a value has an unknown type";
    if (left() < bytes) return kLong;
    datum.bits = bytes == 4 ? load32(at_, swap_) : load64(at_, swap_);
    at_ += bytes;
    return nullptr;
  }

 private:
  std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }

  const std::byte* at_;
  const std::byte* end_;
  bool swap_;
  bool is_extended_;
};

}  // namespace

Step Decoder::damaged(std::string why) {
  why_ = std::move(why);
  return Step::kDamaged;
}

Step Decoder::bad(const char* why) {
  why_ = why;
  return Step::kBad;
}

Step Decoder::take(std::span<const std::byte> bytes, Message& message) {
  if (bytes.size() < 3) return need(3);
  if ((byte_at(bytes, 2) & kHeaderFlag) != 0) return take_header(bytes, message);
  if (!knows_order_)
    return damaged("a message precedes the first header, so its byte order is unknown");
  return take_body(bytes, message);
}

// A bad first header means that the file has another format: no valid message precedes it that
// would make its length trustworthy. The length of a later one leads to the next message. The
// definition that it should contain is unknown.
Step Decoder::bad_header(const char* why, const Message& message) {
  if (!knows_order_) return damaged(why);
  const auto known = definitions_.find(message.identifier);
  if (known != definitions_.end()) {
    definition_bytes_ -= memory_of(*known->second);
    definitions_.erase(known);
  }
  last_ = nullptr;
  return bad(why);
}

Step Decoder::take_header(std::span<const std::byte> bytes, Message& message) {
  if (bytes.size() < kHeaderBytes) return need(kHeaderBytes);
  const bool swap = (byte_at(bytes, 8) & kLittleEndian) == 0;
  message.length = load16(bytes.data(), swap);
  if (message.length < kHeaderBytes) {
    return damaged(
        fmt::format("a header of {} bytes; the minimum is {}", message.length, kHeaderBytes));
  }
  message.major = byte_at(bytes, 2) & 0x7F;
  message.minor = byte_at(bytes, 3);
  if (message.major > kNewestMajor && !knows_order_) {
    return damaged(fmt::format("a header of version {}.{}; versions up to {} are supported",
                               message.major, message.minor, kNewestMajor));
  }
  if (bytes.size() < message.length) return need(message.length);
  message.identifier = load32(bytes.data() + 4, swap);
  if (message.major > kNewestMajor) {
    return bad_header("a header of an unknown version", message);
  }
  auto definition = std::make_unique<Definition>();
  definition->identifier = message.identifier;
  definition->arch = byte_at(bytes, 8);
  definition->is_extended = message.minor == kMinorOfExtension;
  definition->bytes.assign(bytes.begin(), bytes.begin() + message.length);
  const std::size_t fields = byte_at(bytes, 9);
  const std::size_t constants = byte_at(bytes, 10);
  if (constants > fields) return bad_header("a header has more constants than fields", message);
  Cursor cursor(definition->bytes, kHeaderBytes, swap, definition->is_extended);
  for (std::size_t i = 0; i < fields; ++i) {
    std::string_view name;
    if (!cursor.text(name)) {
      return bad_header("the names of a header are longer than the header", message);
    }
    definition->names.emplace_back(name);
  }
  for (std::size_t i = 0; i < constants; ++i) {
    const char* const fault = cursor.value(definition->constants.emplace_back());
    if (fault != nullptr) return bad_header("the constants of a header cannot be read", message);
  }
  if (!cursor.at_end()) {
    return bad_header("a header is longer than its names and constants", message);
  }
  definition_bytes_ += memory_of(*definition);
  if (definition_bytes_ > kMostDefinitionBytes) {
    return damaged("definitions exceed 256 MiB; the file is probably corrupt");
  }
  swap_ = swap;
  knows_order_ = true;
  std::unique_ptr<Definition>& place = definitions_[message.identifier];
  message.redefinition = place != nullptr;
  if (place != nullptr) definition_bytes_ -= memory_of(*place);
  place = std::move(definition);
  message.definition = last_ = place.get();
  return Step::kHeader;
}

Step Decoder::take_body(std::span<const std::byte> bytes, Message& message) {
  message.length = load16(bytes.data(), swap_);
  if (message.length < kBodyBytes) {
    return damaged(
        fmt::format("a message of {} bytes; the minimum is {}", message.length, kBodyBytes));
  }
  if (bytes.size() < message.length) return need(message.length);
  bytes = bytes.first(message.length);
  message.major = byte_at(bytes, 2);
  message.minor = byte_at(bytes, 3);
  message.identifier = load32(bytes.data() + 4, swap_);
  message.ntp_seconds = load32(bytes.data() + 8, swap_);
  message.ntp_fraction = load32(bytes.data() + 12, swap_);
  message.values.clear();
  if (last_ == nullptr || last_->identifier != message.identifier) {
    const auto found = definitions_.find(message.identifier);
    if (found == definitions_.end()) return Step::kUnknown;
    last_ = found->second.get();
  }
  message.definition = last_;
  Cursor cursor(bytes, kBodyBytes, swap_, last_->is_extended);
  for (std::size_t i = last_->variables(); i > 0; --i) {
    const char* const fault = cursor.value(message.values.emplace_back());
    if (fault != nullptr) return bad(fault);
  }
  return cursor.at_end() ? Step::kBody : bad("the message is longer than its values");
}

bool may_be_header(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeaderBytes || (byte_at(bytes, 2) & kHeaderFlag) == 0) return false;
  Decoder decoder;
  Message message;
  const Step step = decoder.take(bytes, message);
  // Accepts unknown flags if everything else is valid.
  if (step == Step::kHeader) return true;
  return step == Step::kMore && (byte_at(bytes, 8) & ~kLittleEndian) == 0 &&
         byte_at(bytes, 10) <= byte_at(bytes, 9);
}

std::optional<std::int64_t> unix_ns_of(std::uint32_t ntp_seconds, std::uint32_t ntp_fraction) {
  if (ntp_seconds == 0 && ntp_fraction == 0) return std::nullopt;
  const std::uint64_t seconds =
      ntp_seconds >= kFirstOfEra0 ? ntp_seconds : kEraSeconds + ntp_seconds;
  const auto since_1970 =
      static_cast<std::int64_t>(seconds) - static_cast<std::int64_t>(kUnixEpoch);
  const std::uint64_t ns = ntp_fraction * kNsPerSecond >> 32;
  return since_1970 * static_cast<std::int64_t>(kNsPerSecond) + static_cast<std::int64_t>(ns);
}

bool ntp_of(std::uint64_t unix_ns, std::uint32_t& seconds, std::uint32_t& fraction) {
  const std::uint64_t whole = unix_ns / kNsPerSecond + kUnixEpoch;
  if (whole >= kEraSeconds + kFirstOfEra0) return false;
  seconds = static_cast<std::uint32_t>(whole);
  const std::uint64_t ns = unix_ns % kNsPerSecond;
  fraction = static_cast<std::uint32_t>(((ns << 32) + kNsPerSecond - 1) / kNsPerSecond);
  if (seconds == 0 && fraction == 0) fraction = 1;  // 0/0 would mean an unknown time
  return true;
}

}  // namespace ringside::tool::netlogger
