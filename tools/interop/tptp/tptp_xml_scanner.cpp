#include "tools/interop/tptp/tptp_xml_scanner.hpp"

#include <algorithm>
#include <cstring>

#include "tools/interop/tptp/xml_characters.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::size_t kFirstWindow = std::size_t{64} << 10;
constexpr std::size_t kMostCharacterBytes = 12;  // also of a reference

enum CharacterClass : std::uint8_t {
  kOther = 0,
  kNameCharacter = 1,  // of ASCII
  kNameStart = 2,      // in addition
  kBlank = 4,
  kPlainValue = 8,  // literal in a value, except the quote that encloses it
};

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  const auto add = [&](int from, int to, int what) {
    for (int c = from; c <= to; ++c) {
      classes[static_cast<std::size_t>(c)] |= static_cast<std::uint8_t>(what);
    }
  };
  add('a', 'z', kNameCharacter | kNameStart);
  add('A', 'Z', kNameCharacter | kNameStart);
  add('_', '_', kNameCharacter | kNameStart);
  add('0', '9', kNameCharacter);
  add('-', '.', kNameCharacter);
  for (const char c : {' ', '\t', '\r', '\n'}) add(c, c, kBlank);
  add(0x20, 0x7F, kPlainValue);
  for (const std::size_t c : {0x22U, 0x26U, 0x27U, 0x3CU}) classes[c] = kOther;  // " & ' <
  return classes;
}();

bool is(char c, CharacterClass what) {
  return (kClasses[static_cast<unsigned char>(c)] & what) != 0;
}

// The text after a declaration that names no other encoding; empty if there is another declaration.
std::optional<std::string_view> without_declaration(std::string_view text) {
  if (!text.starts_with("<?")) return text;
  for (const std::string_view declaration :
       {std::string_view("<?xml version=\"1.0\"?>"),
        std::string_view("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"),
        std::string_view("<?xml version='1.0' encoding='UTF-8'?>"),
        std::string_view("<?xml version=\"1.0\" encoding=\"utf-8\"?>")}) {
    if (text.starts_with(declaration)) return text.substr(declaration.size());
  }
  return {};
}

}  // namespace

bool XmlScanner::begin() {
  const std::span<const std::byte> bytes = input_.peek(4096);
  const std::string_view whole(reinterpret_cast<const char*>(bytes.data()),
                               std::min<std::size_t>(bytes.size(), 4096));
  const auto rest = without_declaration(whole);
  if (!rest) return false;
  at_ = rest->data();
  end_ = at_ + rest->size();
  pass_blanks();
  const std::string_view first(at_, static_cast<std::size_t>(end_ - at_));
  constexpr std::string_view kRootBegin = "<TRACE>";
  has_root_ = first.starts_with(kRootBegin);
  if (!has_root_) {
    const auto name_end = std::find_if_not(first.begin() + (first.empty() ? 0 : 1), first.end(),
                                           [](char c) { return is(c, kNameCharacter); });
    const std::string_view name(first.begin(), name_end);
    if (name.empty() || name[0] != '<' || find_message_type(name.substr(1)) == nullptr)
      return false;
  } else {
    at_ += kRootBegin.size();
  }
  input_.skip(static_cast<std::size_t>(at_ - whole.data()));
  return true;
}

std::optional<Step> XmlScanner::next(Message& message, Passed& passed, XmlElementFaults& faults) {
  for (std::size_t wanted = 1;;) {
    const std::span<const std::byte> bytes = input_.peek(wanted);
    const std::string_view window(reinterpret_cast<const char*>(bytes.data()),
                                  std::min(bytes.size(), kMostElementBytes));
    const Scan found = scan(window, message);
    if (found == Scan::kFound) {
      const std::uint64_t offset =
          input_.offset() + static_cast<std::uint64_t>(tag_.data() - 1 - window.data());
      const auto element_bytes = static_cast<std::uint32_t>(at_ - (tag_.data() - 1));
      faults.unknown_attributes += faults_.unknown_attributes;
      faults.wrong_depths += faults_.wrong_depths;
      input_.skip(static_cast<std::size_t>(at_ - window.data()));
      message.offset = offset;
      message.bytes = element_bytes;
      if (message.type != nullptr && fault_.empty()) return Step::kMessage;
      passed = {offset, element_bytes, 0, tag_, fault_};
      if (message.type == nullptr) return Step::kUnknown;
      passed.id = message.type->id;
      return Step::kBad;
    }
    // The window has the whole rest of the input, or as much as is ever examined.
    const bool is_all = bytes.size() < wanted || window.size() == kMostElementBytes;
    if (found == Scan::kNotPlain || is_all) return {};
    wanted = std::max(kFirstWindow, 2 * window.size());
  }
}

void XmlScanner::pass_blanks() {
  while (at_ != end_ && is(*at_, kBlank)) ++at_;
}

const MessageType* XmlScanner::type_of(std::string_view tag) {
  const std::size_t first = static_cast<unsigned char>(tag.front());
  const std::size_t last = static_cast<unsigned char>(tag.back());
  const std::size_t digest = (5 * tag.size() + 3 * first + last) % types_.size();
  const MessageType*& known = types_[digest];
  if (known == nullptr || known->tag != tag) {
    const MessageType* const found = find_message_type(tag);
    if (found == nullptr) return nullptr;
    known = found;
  }
  return known;
}

XmlScanner::Scan XmlScanner::scan(std::string_view window, Message& message) {
  at_ = window.data();
  end_ = at_ + window.size();
  decoded_.clear();
  decoded_.reserve(window.size());
  fault_ = {};
  faults_ = {};
  pass_blanks();
  Tag tag;
  if (const Scan found = scan_start(tag); found != Scan::kFound) return found;
  tag_ = tag.name;
  const MessageType* const type = type_of(tag.name);
  message.type = nullptr;
  if (type != nullptr) message.start(*type);
  if (const Scan found = scan_attributes(type, message, tag); found != Scan::kFound) return found;
  if (!tag.is_empty) {
    if (const Scan found = scan_frames(type, tag, message); found != Scan::kFound) return found;
  }
  if (type == nullptr || type->depth == MessageType::kNone) return Scan::kFound;
  const auto frames = static_cast<std::int64_t>(message.frame_methods.size());
  if (message.numbers[type->depth] != frames) ++faults_.wrong_depths;
  message.numbers[type->depth] = frames;
  return Scan::kFound;
}

// "<name"
XmlScanner::Scan XmlScanner::scan_start(Tag& tag) {
  if (end_ - at_ < 2) return Scan::kIncomplete;
  if (at_[0] != '<' || !is(at_[1], kNameStart)) return Scan::kNotPlain;
  const char* const begin = ++at_;
  while (!at_end() && is(*at_, kNameCharacter)) ++at_;
  tag.name = {begin, static_cast<std::size_t>(at_ - begin)};
  return at_end() ? Scan::kIncomplete : Scan::kFound;
}

// Reads up to and including ">" or "/>". `type`: null if it is unknown.
XmlScanner::Scan XmlScanner::scan_attributes(const MessageType* type, Message& message, Tag& tag) {
  seen_ = 0;
  unknown_count_ = expected_ = 0;
  for (;;) {
    const char* const before = at_;
    pass_blanks();
    if (end_ - at_ < 2) return Scan::kIncomplete;
    if (*at_ == '>' || *at_ == '/') {
      tag.is_empty = *at_ == '/';
      if (tag.is_empty && *++at_ != '>') return Scan::kNotPlain;
      ++at_;
      return Scan::kFound;
    }
    if (at_ == before) return Scan::kNotPlain;
    std::string_view name;
    std::string_view value;
    if (const Scan found = scan_attribute(name, value); found != Scan::kFound) return found;
    if (type == nullptr ? !note(name) : !take(*type, name, value, message)) return Scan::kNotPlain;
  }
}

// name="value", or with '
XmlScanner::Scan XmlScanner::scan_attribute(std::string_view& name, std::string_view& value) {
  if (!is(*at_, kNameStart)) return Scan::kNotPlain;
  const char* const begin = at_;
  while (!at_end() && is(*at_, kNameCharacter)) ++at_;
  name = {begin, static_cast<std::size_t>(at_ - begin)};
  if (end_ - at_ < 2) return Scan::kIncomplete;
  const char quote = at_[1];
  if (at_[0] != '=' || (quote != '"' && quote != '\'')) return Scan::kNotPlain;
  at_ += 2;
  return scan_value(quote, value);
}

XmlScanner::Scan XmlScanner::scan_value(char quote, std::string_view& value) {
  const char* begin = at_;  // start of the part that is not copied yet
  const std::size_t decoded_at = decoded_.size();
  bool is_copied = false;
  for (;;) {
    while (at_ != end_ && is(*at_, kPlainValue)) ++at_;
    if (at_end()) return Scan::kIncomplete;
    if (*at_ == quote) break;
    if (*at_ == '"' || *at_ == '\'') {
      ++at_;
      continue;
    }
    std::string_view left(at_, static_cast<std::size_t>(end_ - at_));
    // If the window's end cuts it, more input is needed first.
    const Scan none = left.size() < kMostCharacterBytes ? Scan::kIncomplete : Scan::kNotPlain;
    if (*at_ != '&') {
      const std::size_t bytes = xml_character_bytes(left);
      if (bytes == 0) return none;
      at_ += bytes;
      continue;
    }
    decoded_.append(begin, at_);
    is_copied = true;
    if (!append_xml_reference(left, decoded_)) return none;
    begin = at_ = left.data();
  }
  if (is_copied) {
    decoded_.append(begin, at_);
    value = std::string_view(decoded_).substr(decoded_at);
  } else {
    value = {begin, static_cast<std::size_t>(at_ - begin)};
  }
  ++at_;
  return Scan::kFound;
}

// False: the element already has the attribute, or it is beyond the number that is checked.
bool XmlScanner::note(std::string_view name) {
  const auto end = unknown_names_.begin() + static_cast<std::ptrdiff_t>(unknown_count_);
  if (unknown_count_ == kMostUnknownNames || std::find(unknown_names_.begin(), end, name) != end) {
    return false;
  }
  unknown_names_[unknown_count_++] = name;
  return true;
}

bool XmlScanner::take(const MessageType& type, std::string_view name, std::string_view value,
                      Message& message) {
  const std::size_t at = find_attribute(type, name, expected_);
  if (at == MessageType::kNone) {
    ++faults_.unknown_attributes;
    return note(name);
  }
  expected_ = at + 1;
  const std::uint32_t bit = std::uint32_t{1} << at;
  if ((seen_ & bit) != 0) return false;
  seen_ |= bit;
  if (type.attributes[at].type == AttributeType::kText) {
    message.texts[at] = value;
  } else if (!parse_attribute(type, at, value, message.numbers[at], message.time)) {
    fault_ = kNoNumber;
  }
  return true;
}

// Reads the content after the start tag, and the end tag.
XmlScanner::Scan XmlScanner::scan_frames(const MessageType* type, const Tag& tag,
                                         Message& message) {
  for (;;) {
    pass_blanks();
    if (end_ - at_ < 2) return Scan::kIncomplete;
    if (at_[0] != '<') return Scan::kNotPlain;
    if (at_[1] == '/') return scan_end(tag.name);
    if (type == nullptr || type->depth == MessageType::kNone) return Scan::kNotPlain;
    if (const Scan found = scan_frame(message); found != Scan::kFound) return found;
  }
}

// <frame method="..." line="..."/>
XmlScanner::Scan XmlScanner::scan_frame(Message& message) {
  constexpr std::string_view kFrame = "<frame ";
  constexpr std::string_view kEnd = "/>";
  std::string_view& method = message.frame_methods.emplace_back();
  std::int64_t& line = message.frame_lines.emplace_back();
  const auto starts_with = [this](std::string_view text) {
    return std::string_view(at_, static_cast<std::size_t>(end_ - at_)).starts_with(text);
  };
  if (static_cast<std::size_t>(end_ - at_) < kFrame.size()) return Scan::kIncomplete;
  if (!starts_with(kFrame)) return Scan::kNotPlain;
  at_ += kFrame.size();
  for (const std::string_view wanted : {std::string_view("method"), std::string_view("line")}) {
    pass_blanks();
    if (at_end()) return Scan::kIncomplete;
    std::string_view name;
    std::string_view value;
    if (const Scan found = scan_attribute(name, value); found != Scan::kFound) return found;
    if (name != wanted) return Scan::kNotPlain;
    if (name == "method") {
      method = value;
    } else if (!parse_number(value, AttributeType::kLong, line)) {
      fault_ = kNoNumber;
    }
    if (end_ - at_ < 2) return Scan::kIncomplete;
    if (name == "method" && !is(*at_, kBlank)) return Scan::kNotPlain;
  }
  if (!starts_with(kEnd)) return Scan::kNotPlain;
  at_ += kEnd.size();
  return Scan::kFound;
}

// "</name>"
XmlScanner::Scan XmlScanner::scan_end(std::string_view name) {
  const std::size_t bytes = name.size() + 3;
  const std::string_view left(at_, static_cast<std::size_t>(end_ - at_));
  if (left.size() < bytes) return Scan::kIncomplete;
  if (left.substr(2, name.size()) != name || left[bytes - 1] != '>') return Scan::kNotPlain;
  at_ += bytes;
  return Scan::kFound;
}

}  // namespace ringside::tool::tptp
