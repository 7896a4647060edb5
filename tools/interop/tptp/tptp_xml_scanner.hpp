#pragma once
// The plain part of a TPTP trace in XML, read several times faster than by a parser of all XML.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/interop/input_bytes.hpp"
#include "tools/interop/tptp/tptp_message.hpp"
#include "tools/interop/tptp/tptp_xml_element.hpp"

namespace ringside::tool::tptp {

// Plain are, in UTF-8: a declaration that says nothing else, the root's start tag, and elements one
// after the other with ASCII names, attributes, blanks between them and `frame` elements within.
// Comments, sections, document types, elements of more than kMostElementBytes and all that is no
// XML, or cut, are not: whoever finds such a thing leaves it to the parser, with what follows it.
class XmlScanner {
 public:
  static constexpr std::size_t kMostElementBytes = std::size_t{1} << 20;

  explicit XmlScanner(InputBytes& input) : input_(input) {}

  // Passes over what precedes the first message. False, and the input is as it was: not plain.
  bool begin();
  // Whether there was the root's start tag.
  bool has_root() const { return has_root_; }

  // The element that follows in the input. Nothing: it is not plain, and the input is before it.
  // `passed` is set unless it is a message; views are valid until the next call.
  std::optional<Step> next(Message& message, Passed& passed, XmlElementFaults& faults);

 private:
  enum class Scan : std::uint8_t { kFound, kIncomplete, kNotPlain };
  struct Tag {
    std::string_view name;
    bool is_empty = false;  // ends with "/>"
  };

  Scan scan(std::string_view window, Message& message);
  Scan scan_start(Tag& tag);
  Scan scan_attributes(const MessageType* type, Message& message, Tag& tag);
  Scan scan_attribute(std::string_view& name, std::string_view& value);
  Scan scan_value(char quote, std::string_view& value);
  Scan scan_frames(const MessageType* type, const Tag& tag, Message& message);
  Scan scan_frame(Message& message);
  Scan scan_end(std::string_view name);
  bool take(const MessageType& type, std::string_view name, std::string_view value,
            Message& message);
  bool note(std::string_view name);
  const MessageType* type_of(std::string_view tag);
  void pass_blanks();
  bool at_end() const { return at_ == end_; }

  static constexpr std::size_t kMostUnknownNames = 16;

  InputBytes& input_;
  bool has_root_ = false;

  // Of the element at hand.
  const char* at_ = nullptr;
  const char* end_ = nullptr;  // of what can be seen
  std::string decoded_;        // values with references; never grows beyond what is reserved
  std::uint32_t seen_ = 0;     // attributes of the type, a bit each
  std::array<std::string_view, kMostUnknownNames> unknown_names_;
  std::size_t unknown_count_ = 0;
  std::size_t expected_ = 0;  // the attribute that follows in the table
  std::string_view tag_;
  std::string_view fault_;  // of an attribute's value
  XmlElementFaults faults_;

  std::array<const MessageType*, 64> types_{};  // by a digest of the tag, as found last
};

}  // namespace ringside::tool::tptp
