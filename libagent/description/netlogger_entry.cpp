#include "libagent/description/netlogger_entry.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

#include "libagent/include/ringside/netlogger_text.hpp"
#include "shm-layout/format_style.hpp"

namespace ringside {
namespace {

constexpr std::size_t kMaxNetloggerTextBytes = 64U << 10;

template <class Number>
bool is_number(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end;
}

// A text such as 007 or inf is a name rather than a number, and must be preserved.
bool looks_like_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.empty() || text.front() < '0' || text.front() > '9') return false;
  return text.size() == 1 || text[0] != '0' || text[1] < '0' || text[1] > '9';
}

std::string_view bounded_text(const char* text) {
  return std::string_view(text, strnlen(text, kMaxNetloggerTextBytes));
}

}  // namespace

void set_netlogger_level(rs_site& site) {
  const std::string_view event = bounded_text(site.arguments);
  if (event.size() == kMaxNetloggerTextBytes) return;
  site.level = detail::netlogger_level(bounded_text(site.arguments + event.size() + 1));
}

void NetloggerConstants::set_number(std::string_view text, Constant& constant) const {
  if (!looks_like_number(text)) return;
  std::int64_t integer = 0;
  double number = 0;
  if (is_number(text, integer)) {
    const bool narrow = integer == static_cast<std::int32_t>(integer);
    constant.type = narrow ? shm::FieldType::i32 : shm::FieldType::i64;
    std::memcpy(constant.number.data(), &integer, sizeof integer);  // the low bytes first
  } else if (text.find_first_of(".eE") != std::string_view::npos && is_number(text, number) &&
             std::isfinite(number)) {
    constant.type = shm::FieldType::f64;
    std::memcpy(constant.number.data(), &number, sizeof number);
  }
}

bool NetloggerConstants::add(std::string_view name, std::string_view value, bool is_quoted) {
  if (count_ == constants_.size()) return false;
  Constant& constant = constants_[count_++];
  constant.type = shm::FieldType::string;
  constant.name = name;
  constant.text = value;
  if (!is_quoted) set_number(value, constant);
  return true;
}

std::size_t NetloggerConstants::describe(std::span<shm::FieldDescription> fields) const {
  for (std::size_t i = 0; i < count_; ++i) {
    const Constant& constant = constants_[i];
    shm::FieldDescription& field = fields[i];
    field = {};
    field.type = constant.type;
    field.flags = shm::kFieldConstant;
    field.name = constant.name;
    field.constant = constant.type == shm::FieldType::string
                         ? constant.text
                         : std::string_view(constant.number.data(), shm::fixed_size(constant.type));
  }
  return count_;
}

bool read_netlogger_texts(const rs_site& site, shm::SiteDescription& description,
                          std::span<std::string_view> names, NetloggerConstants& constants) {
  const std::string_view event = bounded_text(site.arguments);
  if (event.size() == kMaxNetloggerTextBytes) return false;
  const std::string_view constant_text = bounded_text(site.arguments + event.size() + 1);
  const std::string_view variables = bounded_text(site.format);
  if (detail::netlogger_error(event, constant_text, variables) != detail::NetloggerError::none) {
    return false;
  }
  detail::NetloggerWord word;
  detail::NetloggerWords constant_words(constant_text);
  while (constant_words.next(word)) {
    if (!constants.add(word.name, word.value, word.is_quoted)) return false;
  }
  detail::NetloggerWords variable_words(variables);
  for (std::string_view& name : names) {
    if (!variable_words.next(word)) return false;
    name = word.name;
  }
  description.kind = shm::SiteKind::kEvent;
  description.format_style = static_cast<std::uint8_t>(shm::FormatStyle::none);
  description.name = event;
  description.format = event;
  return true;
}

}  // namespace ringside
