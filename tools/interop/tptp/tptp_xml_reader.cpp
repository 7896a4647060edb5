#include "tools/interop/tptp/tptp_xml_reader.hpp"

#include <algorithm>
#include <expat.h>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tools/interop/tptp/tptp_charset.hpp"
#include "tools/interop/tptp/tptp_xml_element.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
// The bytes in which the first element is searched.
constexpr std::size_t kHeadBytes = 4096;
constexpr int kMostDepth = 100;
constexpr std::string_view kRoot = "TRACE";
constexpr std::string_view kRootStart = "<TRACE>";
constexpr std::string_view kRootEnd = "</TRACE>";

struct FirstElement {
  std::size_t at = 0;
  std::string_view name;
};

// The element after a byte order mark, declarations and comments; empty if there is none.
std::optional<FirstElement> first_element(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  std::size_t at = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  for (;;) {
    at = text.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos || text[at] != '<') return {};
    const std::string_view rest = text.substr(at);
    const std::string_view end = rest.starts_with("<?") ? "?>" : "-->";
    if (!rest.starts_with("<?") && !rest.starts_with("<!--")) break;
    at = text.find(end, at);
    if (at == std::string_view::npos) return {};
    at += end.size();
  }
  const std::string_view name = text.substr(at + 1);
  return FirstElement{at, name.substr(0, name.find_first_of(" \t\r\n/>"))};
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// For UTF-16, keeps ASCII characters, which names of elements consist of, and uses '?' for others.
std::string narrowed(std::string_view text) {
  const bool is_marked = text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF");
  const bool is_little = text.starts_with("\xFF\xFE") || text.starts_with({"<\0", 2});
  const bool is_big = text.starts_with("\xFE\xFF") || text.starts_with({"\0<", 2});
  if (!is_little && !is_big) return std::string(text);
  std::string narrow;
  for (std::size_t i = is_marked ? 2 : 0; i + 1 < text.size(); i += 2) {
    const char high = text[is_little ? i + 1 : i];
    narrow += high == 0 ? text[is_little ? i : i + 1] : '?';
  }
  return narrow;
}

// The name of the root in the document type before the element, if there is one.
std::string_view root_of(std::string_view text, const FirstElement& first) {
  constexpr std::string_view kBlanks = " \t\r\n";
  if (first.name != "!DOCTYPE") return first.name;
  const std::string_view rest = text.substr(first.at + std::string_view("<!DOCTYPE").size());
  const std::string_view name = rest.substr(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  return name.substr(0, name.find_first_of(" \t\r\n[>"));
}

// The code point that a byte stands for, or -1.
int code_point_of(Charset& charset, char byte) {
  std::string utf8;
  if (!charset.append({&byte, 1}, utf8) || utf8.empty()) return -1;
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(utf8[i]); };
  if (utf8.size() == 1) return at(0);
  if (utf8.size() == 2) return (at(0) & 0x1F) << 6 | (at(1) & 0x3F);
  if (utf8.size() == 3) return (at(0) & 0x0F) << 12 | (at(1) & 0x3F) << 6 | (at(2) & 0x3F);
  return -1;
}

// Adds the encodings with one byte per character that expat does not support.
int know_encoding(void*, const XML_Char* name, XML_Encoding* encoding) {
  std::string why;
  const auto charset = Charset::open(name, &why);
  if (charset == nullptr) return XML_STATUS_ERROR;
  for (int byte = 0; byte < 256; ++byte) {
    encoding->map[byte] = code_point_of(*charset, static_cast<char>(byte));
  }
  encoding->data = nullptr;
  encoding->convert = nullptr;
  encoding->release = nullptr;
  return XML_STATUS_OK;
}

}  // namespace

struct XmlReader::Parsing {
  explicit Parsing(XmlReader& of) : reader(of), parser(XML_ParserCreate(nullptr)) {
    XML_SetUserData(parser, this);
    XML_SetElementHandler(
        parser,
        [](void* self, const XML_Char* name, const XML_Char** attributes) {
          static_cast<Parsing*>(self)->start(name, attributes);
        },
        [](void* self, const XML_Char*) { static_cast<Parsing*>(self)->end(); });
    XML_SetStartDoctypeDeclHandler(parser, [](void* self, const XML_Char*, const XML_Char* system,
                                              const XML_Char*, int has_internal_subset) {
      if (system != nullptr || has_internal_subset != 0) {
        static_cast<Parsing*>(self)->stop(
            "a document type with declarations is not supported, because they could declare "
            "entities");
      }
    });
    XML_SetUnknownEncodingHandler(parser, know_encoding, nullptr);
  }
  ~Parsing() { XML_ParserFree(parser); }
  Parsing(const Parsing&) = delete;
  Parsing& operator=(const Parsing&) = delete;

  void begin();
  void parse_more();
  void start(const char* name, const char** attributes);
  void end();
  void stop(std::string message);
  void finish(ReadEnd how, std::uint64_t offset, std::string message);
  // Converts a position that the parser counts to an offset in the file.
  std::uint64_t offset_of(std::uint64_t index) const {
    return index >= inserted_end ? index - inserted : index;
  }
  std::uint64_t offset() const {
    return offset_of(static_cast<std::uint64_t>(XML_GetCurrentByteIndex(parser)));
  }

  XmlReader& reader;
  XML_Parser parser;
  bool begun = false;
  bool ended = false;
  bool is_fragment = false;        // without a root
  std::uint64_t inserted = 0;      // bytes that the parser got but the file does not contain
  std::uint64_t inserted_end = 0;  // their end, as the parser counts
  std::uint64_t given = 0;         // bytes given to the parser
  std::uint64_t progress = 0;      // bytes of these that it had processed
  int depth = 0;
  std::uint64_t elements_seen = 0;
  std::string stopped;

  // Complete elements wait from `next` to `ready`; memory is reused.
  std::vector<XmlElement> elements;
  std::size_t next = 0;
  std::size_t ready = 0;
  XmlElementFaults faults;
};

void XmlReader::Parsing::begin() {
  begun = true;
  InputBytes& input = reader.input_;
  // A sender that pauses is not kept waiting for more than its first element.
  std::string_view head =
      text_of(input.peek(input.is_live() ? 1 : kHeadBytes)).substr(0, kHeadBytes);
  auto first = first_element(head);
  const auto is_whole = [&] { return first && first->at + 1 + first->name.size() < head.size(); };
  for (std::size_t before = 0; !is_whole() && before != head.size() && head.size() < kHeadBytes;) {
    before = head.size();
    head = text_of(input.peek(before + 1)).substr(0, kHeadBytes);
    first = first_element(head);
  }
  if (!first || find_message_type(first->name) == nullptr) return;
  is_fragment = true;
  XML_Parse(parser, head.data(), static_cast<int>(first->at), 0);
  XML_Parse(parser, kRootStart.data(), static_cast<int>(kRootStart.size()), 0);
  input.skip(first->at);
  inserted = kRootStart.size();
  given = inserted_end = first->at + inserted;
}

void XmlReader::Parsing::parse_more() {
  // Grows each time with the bytes that expat must read again: it reads an incomplete tag from its
  // start.
  const std::size_t waiting = static_cast<std::size_t>(given - progress);
  if (waiting > kMostTokenBytes) {
    return finish(ReadEnd::kDamaged, offset_of(progress),
                  "a tag, or the text between two tags, exceeds 16 MiB");
  }
  InputBytes& input = reader.input_;
  const std::size_t wanted =
      std::min(std::max(kChunkBytes, waiting), kMostTokenBytes - waiting + kChunkBytes);
  // From a sender, at least as much that expat does not read a long tag again for every few bytes.
  const std::size_t least = input.is_live() ? std::max<std::size_t>(1, waiting / 4) : wanted;
  const std::string_view chunk = text_of(input.peek(least)).substr(0, wanted);
  const bool last = chunk.size() < least;
  XML_Status status =
      XML_Parse(parser, chunk.data(), static_cast<int>(chunk.size()), last && !is_fragment ? 1 : 0);
  if (status == XML_STATUS_OK && last && is_fragment) {
    status = XML_Parse(parser, kRootEnd.data(), static_cast<int>(kRootEnd.size()), 1);
  }
  given += chunk.size();
  const auto index = XML_GetCurrentByteIndex(parser);
  if (index > 0) progress = std::max(progress, static_cast<std::uint64_t>(index));
  if (status == XML_STATUS_OK) {
    input.skip(chunk.size());
    if (last) finish(ReadEnd::kWhole, 0, {});
    return;
  }
  const std::uint64_t end = input.offset() + chunk.size();
  const std::uint64_t at = std::min(offset(), end);
  std::string why = stopped;
  if (why.empty()) {
    const XML_Error error = XML_GetErrorCode(parser);
    const bool is_cut = error == XML_ERROR_NO_ELEMENTS || error == XML_ERROR_UNCLOSED_TOKEN ||
                        error == XML_ERROR_TAG_MISMATCH || error == XML_ERROR_PARTIAL_CHAR;
    why = is_cut && last && at >= offset_of(progress)
              ? fmt::format("the file ends within the document: {}", XML_ErrorString(error))
              : XML_ErrorString(error);
  }
  finish(elements_seen == 0 ? ReadEnd::kRefused : ReadEnd::kDamaged, at, std::move(why));
}

void XmlReader::Parsing::stop(std::string message) {
  stopped = std::move(message);
  XML_StopParser(parser, XML_FALSE);
}

void XmlReader::Parsing::start(const char* name, const char** attributes) {
  ++depth;
  if (!stopped.empty()) return;
  if (depth > kMostDepth) return stop("elements are nested more than 100 deep");
  if (depth > 1 || !is_fragment) ++elements_seen;
  if (depth == 2) {
    if (ready == elements.size()) elements.emplace_back();
    elements[ready].start(name, attributes, offset(), faults);
  } else if (depth == 3) {
    elements[ready].add_child(name, attributes, faults);
  } else if (depth > 3) {
    ++faults.unknown_children;
  }
}

void XmlReader::Parsing::end() {
  --depth;
  if (depth != 1 || !stopped.empty()) return;
  const auto bytes = static_cast<std::uint64_t>(XML_GetCurrentByteCount(parser));
  elements[ready].end(offset() + bytes, faults);
  ++ready;
}

void XmlReader::Parsing::finish(ReadEnd how, std::uint64_t offset, std::string message) {
  ended = true;
  ReadOutcome& outcome = reader.outcome_;
  outcome.end = how;
  outcome.offset = offset;
  outcome.message = std::move(message);
  const auto warn = [&](std::uint64_t count, std::string_view what) {
    if (count != 0) outcome.warnings.push_back(fmt::format("{} {}", count, what));
  };
  warn(faults.unknown_attributes, "unknown attributes are left out");
  warn(faults.unknown_children, "unknown elements within messages are left out");
  warn(faults.wrong_depths,
       "stack depths differ from the number of frames; the number of frames is used");
}

XmlReader::XmlReader(InputBytes& input)
    : input_(input), parsing_(std::make_unique<Parsing>(*this)) {}

XmlReader::~XmlReader() = default;

Step XmlReader::next(Message& message) {
  Parsing& p = *parsing_;
  if (!p.begun) p.begin();
  while (p.next == p.ready) {
    if (p.ended) return Step::kEnd;
    p.next = p.ready = 0;
    p.parse_more();
  }
  const XmlElement& element = p.elements[p.next++];
  if (element.step() != Step::kMessage) {
    passed_ = element.passed();
  } else {
    element.give(message);
  }
  return element.step();
}

bool recognise_xml(std::span<const std::byte> first_bytes) {
  const std::string text = narrowed(text_of(first_bytes));
  const auto first = first_element(text);
  if (!first) return false;
  const std::string_view root = root_of(text, *first);
  return root == kRoot || find_message_type(root) != nullptr;
}

}  // namespace ringside::tool::tptp
