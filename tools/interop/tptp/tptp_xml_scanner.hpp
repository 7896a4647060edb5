#pragma once
// Reads the plain part of a TPTP trace in XML, several times faster than a parser of all XML.

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

// Plain, in UTF-8, are: a declaration without further statements, the root's start tag, and a
// sequence of elements with ASCII names, attributes, blanks between them and inner `frame`
// elements. Comments, sections, document types, elements of more than kMostElementBytes, and
// anything that is cut or is not XML are not plain: the caller leaves them, and everything after
// them, to the parser.
class XmlScanner {
 public:
  static constexpr std::size_t kMostElementBytes = std::size_t{1} << 20;

  explicit XmlScanner(InputBytes& input) : input_(input) {}

  // Skips everything before the first message. False if that is not plain; then the input is
  // unchanged.
  bool begin();
  // Whether the root's start tag was found.
  bool has_root() const { return has_root_; }

  // The next element in the input. Empty: it is not plain, and the input is positioned before it.
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

  // In the current element.
  const char* at_ = nullptr;
  const char* end_ = nullptr;  // of the bytes in memory
  std::string decoded_;        // values with references; never exceeds the reserved size
  std::uint32_t seen_ = 0;     // attributes of the type, one bit each
  std::array<std::string_view, kMostUnknownNames> unknown_names_;
  std::size_t unknown_count_ = 0;
  std::size_t expected_ = 0;  // the next attribute in the table
  std::string_view tag_;
  std::string_view fault_;  // of an attribute's value
  XmlElementFaults faults_;

  std::array<const MessageType*, 64> types_{};  // by a digest of the tag, as last found
};

}  // namespace ringside::tool::tptp
