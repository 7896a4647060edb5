#include "tools/interop/tptp/tptp_encoder.hpp"

#include "tools/interop/tptp/tptp_binary_reader.hpp"
#include "tools/interop/tptp/tptp_charset.hpp"
#include "tools/interop/tptp/tptp_xml_text.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::string_view kNoText = "bytes that are not UTF-8, or zero, became U+FFFD";
constexpr std::string_view kControls =
    "control characters, which XML does not allow, became U+FFFD";

constexpr std::string_view kXmlHead = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<TRACE>\n";
constexpr std::string_view kXmlTail = "</TRACE>\n";

template <class Number>
void append(std::string& bytes, Number number) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof number);
  trace::store(reinterpret_cast<std::byte*>(bytes.data() + at), number);
}

}  // namespace

void BinaryEncoder::begin() {
  constexpr std::string_view kEncoding = "UTF8";
  bytes_ = kMagic;
  bytes_ += static_cast<char>(kMajorVersion);
  bytes_ += '\0';  // minor version
  bytes_ += '\1';  // 64 bit
  bytes_ += '\1';  // little-endian
  append(bytes_, static_cast<std::uint32_t>(kHeaderBytes));
  append(bytes_, kEncodingId);
  append(bytes_, static_cast<std::uint32_t>(kMessageHeaderBytes + kEncoding.size() + 1));
  bytes_ += kEncoding;
  bytes_ += '\0';
  output_.put(bytes_);
}

void BinaryEncoder::append_text(std::string_view text) {
  if (text.find('\0') == std::string_view::npos && Charset().is_same(text)) {
    bytes_ += text;
  } else {
    report_.lost(kNoText);
    std::string sound;
    Charset().append(text, sound);
    for (const char c : sound) {
      if (c == '\0') {
        bytes_ += "\xEF\xBF\xBD";
      } else {
        bytes_ += c;
      }
    }
  }
  bytes_ += '\0';
}

void BinaryEncoder::append_attribute(const Message& message, std::size_t i) {
  const std::int64_t number = message.numbers[i];
  switch (message.type->attributes[i].type) {
    case AttributeType::kByte:
      return append(bytes_, static_cast<std::int8_t>(number));
    case AttributeType::kInteger:
      return append(bytes_, static_cast<std::int32_t>(number));
    case AttributeType::kLong:
      return append(bytes_, number);
    case AttributeType::kText:
      return append_text(message.texts[i]);
    case AttributeType::kTexts:
      for (const std::string_view method : message.frame_methods) append_text(method);
      return;
    case AttributeType::kLongs:
      for (const std::int64_t line : message.frame_lines) append(bytes_, line);
  }
}

void BinaryEncoder::put(const Message& message) {
  bytes_.clear();
  append(bytes_, message.type->id);
  append(bytes_, std::uint32_t{0});
  for (std::size_t i = 0; i < message.type->attributes.size(); ++i) append_attribute(message, i);
  trace::store(reinterpret_cast<std::byte*>(bytes_.data() + sizeof message.type->id),
               static_cast<std::uint32_t>(bytes_.size()));
  output_.put(bytes_);
}

void XmlEncoder::begin() {
  output_.put(kXmlHead);
}

void XmlEncoder::put(const Message& message) {
  line_.clear();
  const std::uint64_t changed = append_xml(line_, message);
  if (changed != 0) report_.lost(kControls, changed);
  if (!Charset().is_same(line_)) {
    report_.lost(kNoText);
    std::string sound;
    Charset().append(line_, sound);
    line_ = sound;
  }
  line_ += '\n';
  output_.put(line_);
}

void XmlEncoder::end() {
  output_.put(kXmlTail);
}

}  // namespace ringside::tool::tptp
