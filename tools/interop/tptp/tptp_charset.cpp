#include "tools/interop/tptp/tptp_charset.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <iconv.h>
#include <utility>

#include "trace-format/lines/utf8.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

const iconv_t kNoConverter = reinterpret_cast<iconv_t>(-1);

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = trace::utf8_sequence_bytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

bool append_utf8(std::string_view text, std::string& utf8) {
  bool sound = true;
  while (!text.empty()) {
    const std::size_t bytes = trace::utf8_sequence_bytes(text);
    utf8 += bytes == 0 ? kReplacement : text.substr(0, bytes);
    sound = sound && bytes != 0;
    text.remove_prefix(bytes == 0 ? trace::utf8_unsound_bytes(text) : bytes);
  }
  return sound;
}

// Names come from files, so only names that a registry of character sets could contain are
// accepted.
bool is_charset_name(std::string_view name) {
  constexpr std::string_view kOthers = "-_.:+()";
  return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           kOthers.find(c) != std::string_view::npos;
  });
}

std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (c != '-' && c != '_') letters += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  }
  return letters;
}

// Texts end at a zero byte, so no other character may contain one.
bool ends_at_zero(const std::string& name) {
  const iconv_t converter = ::iconv_open(name.c_str(), "UTF-8");
  if (converter == kNoConverter) return true;
  std::array<char, 2> in{'A', 'A'};
  std::array<char, 32> out{};
  char* from = in.data();
  char* to = out.data();
  std::size_t left = in.size();
  std::size_t room = out.size();
  ::iconv(converter, &from, &left, &to, &room);
  ::iconv_close(converter);
  return std::find(out.data(), to, '\0') == to;
}

}  // namespace

Charset::Charset() = default;

Charset::~Charset() {
  if (converter_ != nullptr) ::iconv_close(converter_);
}

Charset::Charset(Charset&& other) noexcept
    : converter_(std::exchange(other.converter_, nullptr)), has_ascii_(other.has_ascii_) {}

Charset& Charset::operator=(Charset&& other) noexcept {
  std::swap(converter_, other.converter_);
  std::swap(has_ascii_, other.has_ascii_);
  return *this;
}

std::unique_ptr<Charset> Charset::open(std::string_view name, std::string* why) {
  auto charset = std::make_unique<Charset>();
  if (letters_of(name) == "UTF8") return charset;
  const std::string text(name);
  const iconv_t converter =
      is_charset_name(name) ? ::iconv_open("UTF-8", text.c_str()) : kNoConverter;
  if (converter == kNoConverter) {
    *why = "iconv does not support this character set";
    return nullptr;
  }
  charset->converter_ = converter;
  if (!ends_at_zero(text)) {
    *why = "texts of this character set contain zero bytes, which end a text in this format";
    return nullptr;
  }
  std::string ascii;
  for (char c = 0x20; c < 0x7F; ++c) ascii += c;
  charset->has_ascii_ = false;
  std::string converted;
  charset->append(ascii, converted);
  charset->has_ascii_ = converted == ascii;
  return charset;
}

bool Charset::is_same(std::string_view text) const {
  if (has_ascii_ && trace::is_printable_ascii(text)) return true;
  return converter_ == nullptr && is_utf8(text);
}

bool Charset::append(std::string_view text, std::string& utf8) {
  if (converter_ == nullptr) return append_utf8(text, utf8);
  bool sound = true;
  std::string input(text);
  char* from = input.data();
  std::size_t left = input.size();
  ::iconv(converter_, nullptr, nullptr, nullptr, nullptr);
  std::array<char, 512> out;
  for (bool more = true; more;) {
    char* to = out.data();
    std::size_t room = out.size();
    // The second call, without input, writes what a stateful character set holds back.
    const bool last = left == 0;
    const std::size_t result = last ? ::iconv(converter_, nullptr, nullptr, &to, &room)
                                    : ::iconv(converter_, &from, &left, &to, &room);
    const int error = result == static_cast<std::size_t>(-1) ? errno : 0;
    utf8.append(out.data(), to);
    if (error == E2BIG) continue;
    if (error != 0) {
      utf8 += kReplacement;
      sound = false;
      if (last) break;
      ++from;
      --left;
    }
    more = !last;
  }
  return sound;
}

}  // namespace ringside::tool::tptp
