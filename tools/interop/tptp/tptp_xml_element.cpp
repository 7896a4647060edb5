#include "tools/interop/tptp/tptp_xml_element.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace ringside::tool::tptp {
namespace {

constexpr std::string_view kNoNumber = "an attribute is not a number, or exceeds its type";

bool is_digits(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

// The attribute's place in the table, or MessageType::kNone. Tries `from` first, because most
// elements have their attributes in the order of the table.
std::size_t find_attribute(const MessageType& type, std::string_view name, std::size_t from) {
  const std::size_t count = type.attributes.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = from + i < count ? from + i : from + i - count;
    if (type.attributes[at].xml == name) return at;
  }
  return MessageType::kNone;
}

// False if it is not a number or does not fit the type.
bool parse_number(std::string_view text, AttributeType type, std::int64_t& number) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return false;
  if (type == AttributeType::kByte) return number == static_cast<std::int8_t>(number);
  return type != AttributeType::kInteger || number == static_cast<std::int32_t>(number);
}

// A value of the attribute at that place, which must not be a text; `time` is set if it is the
// type's time. False as above.
bool parse_attribute(const MessageType& type, std::size_t attribute, std::string_view text,
                     std::int64_t& number, Time& time) {
  if (attribute != type.time) return parse_number(text, type.attributes[attribute].type, number);
  const bool is_time = parse_time(text, time);
  number = time.nearest_ns();
  return is_time;
}

}  // namespace

bool parse_time(std::string_view text, Time& time) {
  time = {};
  time.negative = text.starts_with('-');
  if (time.negative) text.remove_prefix(1);
  const std::size_t point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction =
      point == std::string_view::npos ? std::string_view() : text.substr(point + 1);
  const char* const end = whole.data() + whole.size();
  const auto result = std::from_chars(whole.data(), end, time.seconds);
  if (whole.empty() || result.ec != std::errc() || result.ptr != end || !is_digits(fraction)) {
    return false;
  }
  for (std::size_t i = 0; i < 9; ++i) {
    const char digit = i < fraction.size() ? fraction[i] : '0';
    time.nanoseconds = time.nanoseconds * 10 + static_cast<std::uint32_t>(digit - '0');
  }
  return true;
}

XmlElement::Place XmlElement::keep(const char* text) {
  const Place place{texts_.size(), std::strlen(text)};
  texts_.append(text, place.bytes);
  return place;
}

void XmlElement::fail(std::string_view what) {
  step_ = Step::kBad;
  what_ = what;
}

void XmlElement::start(const char* tag, const char** attributes, std::uint64_t offset,
                       XmlElementFaults& faults) {
  texts_.clear();
  offset_ = offset;
  what_ = {};
  type_ = find_message_type(std::string_view(tag));
  step_ = type_ == nullptr ? Step::kUnknown : Step::kMessage;
  if (type_ == nullptr) {
    places_[0] = keep(tag);
    return;
  }
  numbers_.fill(0);
  places_.fill({});
  frame_methods_.clear();
  frame_lines_.clear();
  time_ = {};
  std::size_t expected = 0;
  for (; *attributes != nullptr; attributes += 2) {
    const std::size_t at = find_attribute(*type_, attributes[0], expected);
    if (at == MessageType::kNone) {
      ++faults.unknown_attributes;
      continue;
    }
    expected = at + 1;
    take(at, attributes[1]);
  }
}

void XmlElement::take(std::size_t attribute, const char* value) {
  if (type_->attributes[attribute].type == AttributeType::kText) {
    places_[attribute] = keep(value);
  } else if (!parse_attribute(*type_, attribute, value, numbers_[attribute], time_)) {
    fail(kNoNumber);
  }
}

void XmlElement::add_child(const char* tag, const char** attributes, XmlElementFaults& faults) {
  if (type_ == nullptr || type_->depth == MessageType::kNone || std::string_view(tag) != "frame") {
    ++faults.unknown_children;
    return;
  }
  Place& method = frame_methods_.emplace_back();
  std::int64_t& line = frame_lines_.emplace_back();
  for (; *attributes != nullptr; attributes += 2) {
    const std::string_view name = attributes[0];
    if (name == "method") {
      method = keep(attributes[1]);
    } else if (name != "line") {
      ++faults.unknown_attributes;
    } else if (!parse_number(attributes[1], AttributeType::kLong, line)) {
      fail(kNoNumber);
    }
  }
}

void XmlElement::end(std::uint64_t end_offset, XmlElementFaults& faults) {
  bytes_ = end_offset - offset_;
  if (type_ == nullptr || type_->depth == MessageType::kNone) return;
  const auto frames = static_cast<std::int64_t>(frame_methods_.size());
  if (numbers_[type_->depth] != frames) ++faults.wrong_depths;
  numbers_[type_->depth] = frames;
}

void XmlElement::give(Message& message) const {
  message.type = type_;
  message.offset = offset_;
  message.bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes_, std::numeric_limits<std::uint32_t>::max()));
  message.extra_bytes = 0;
  message.numbers = numbers_;
  for (std::size_t i = 0; i < type_->attributes.size(); ++i) message.texts[i] = kept(places_[i]);
  message.frame_methods.clear();
  for (const Place& place : frame_methods_) message.frame_methods.push_back(kept(place));
  message.frame_lines = frame_lines_;
  message.time = time_;
}

Passed XmlElement::passed() const {
  Passed passed{offset_, bytes_, 0, {}, what_};
  if (type_ != nullptr) passed.id = type_->id;
  passed.tag = type_ != nullptr ? type_->tag : kept(places_[0]);
  return passed;
}

}  // namespace ringside::tool::tptp
