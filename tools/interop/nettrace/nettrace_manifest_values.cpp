#include "tools/interop/nettrace/nettrace_manifest_values.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/interop/nettrace/nettrace_facts.hpp"
#include "tools/interop/nettrace/nettrace_metadata.hpp"
#include "tools/interop/nettrace/nettrace_values.hpp"
#include "tools/interop/nettrace/payload_bytes.hpp"
#include "tools/interop/nettrace/utf16_text.hpp"
#include "trace-format/blocks/little_endian.hpp"

namespace ringside::tool::nettrace {
namespace {

using shm::FieldType;

// Limit of one list in the tables; a test checks all lists.
constexpr std::size_t kMostFieldsOfList = 40;
using Counts = std::array<std::uint64_t, kMostFieldsOfList>;

std::size_t columns_of(const ManifestField& field) {
  if (field.type != ManifestType::kStructure) return 1;
  std::size_t columns = 0;
  for (const ManifestField& part : field.parts) columns += columns_of(part);
  return columns;
}

// Whether `fields[index]` is the count of another field.
bool is_count(const std::vector<ManifestField>& fields, std::size_t index) {
  return std::any_of(fields.begin(), fields.end(),
                     [index](const ManifestField& f) { return f.count_field == index; });
}

}  // namespace

ManifestValues::ManifestValues(ManifestEvent event, std::size_t pointer_bytes)
    : event_(std::move(event)), pointer_bytes_(pointer_bytes) {
  for (const FieldDefinition& column : event_.columns()) {
    columns_.push_back({column.type, shm::fixed_size(shm::element_type(column.type)), {}, 0});
  }
}

std::size_t ManifestValues::read(std::span<const std::byte> payload, ConversionReport& report) {
  for (Column& column : columns_) {
    column.data.clear();
    column.count = 0;
  }
  rest_ = payload;
  report_ = &report;
  return read_fields(event_.fields, 0) ? payload.size() - rest_.size() : kNoValue;
}

bool ManifestValues::read_fields(const std::vector<ManifestField>& fields, std::size_t column) {
  Counts counts{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const ManifestField& field = fields[i];
    if (is_count(fields, i)) {
      const std::size_t bytes = bytes_of(field.type);
      if (rest_.size() < bytes) return false;
      counts[i] = trace::load_bytes(rest_.data(), bytes);
    }
    const std::uint64_t count = field.is_counted() ? counts[field.count_field] : 1;
    if (!read_field(field, count, column)) return false;
    column += columns_of(field);
  }
  return true;
}

bool ManifestValues::read_field(const ManifestField& field, std::uint64_t count,
                                std::size_t column) {
  if (field.type == ManifestType::kBytes) {
    if (rest_.size() < count) return false;
    columns_[column].data += as_text(rest_.first(count));
    rest_ = rest_.subspan(count);
    return true;
  }
  // Every element takes bytes, so a count that is too large ends with the payload.
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool whole = field.type == ManifestType::kStructure
                           ? read_fields(field.parts, column)
                           : read_value(field.type, columns_[column]);
    if (!whole) return false;
  }
  return true;
}

std::size_t ManifestValues::bytes_of(ManifestType type) const {
  switch (type) {
    case ManifestType::kU8:
      return 1;
    case ManifestType::kU16:
      return 2;
    case ManifestType::kU32:
    case ManifestType::kI32:
    case ManifestType::kBoolean:
      return 4;
    case ManifestType::kGuid:
      return 16;
    case ManifestType::kPointer:
      return pointer_bytes_;
    default:
      return 8;
  }
}

bool ManifestValues::read_value(ManifestType type, Column& column) {
  const bool is_text = type == ManifestType::kText;
  std::size_t bytes = bytes_of(type);
  std::size_t end_bytes = 0;
  if (is_text) {
    bytes = utf16_text_bytes(rest_);
    if (bytes == kNoUtf16End) return false;
    end_bytes = 2;
  } else if (type == ManifestType::kAnsiText) {
    bytes = as_text(rest_).find('\0');
    if (bytes == std::string_view::npos) return false;
    end_bytes = 1;
  } else if (rest_.size() < bytes) {
    return false;
  }
  const std::span<const std::byte> value = rest_.first(bytes);
  rest_ = rest_.subspan(bytes + end_bytes);
  ++column.count;
  std::string& out = column.data;
  switch (type) {
    case ManifestType::kBoolean:
      out += trace::load<std::uint32_t>(value.data()) != 0 ? '\1' : '\0';
      return true;
    case ManifestType::kPointer: {
      const std::uint64_t address = trace::load_bytes(value.data(), bytes);
      out.append(reinterpret_cast<const char*>(&address), sizeof address);
      return true;
    }
    case ManifestType::kText:
    case ManifestType::kAnsiText:
    case ManifestType::kGuid: {
      const std::size_t at = out.size();
      const bool is_element = shm::is_array(column.type);
      if (is_element) append_length(out, 0);
      if (type == ManifestType::kGuid) {
        out += guid_text(value);
      } else if (!is_text) {
        out += as_text(value);
      } else if (!append_utf8_of_utf16(out, value)) {
        report_->lost(kLoneSurrogates);
      }
      if (is_element) {
        trace::store(reinterpret_cast<std::byte*>(out.data() + at),
                     static_cast<std::uint32_t>(out.size() - at - 4));
      }
      return true;
    }
    default:
      out += as_text(value);
      return true;
  }
}

void ManifestValues::put(TraceBuilder& builder) const {
  for (const Column& column : columns_) {
    if (shm::is_array(column.type)) {
      builder.put_array(column.data, column.count, column.element_bytes);
    } else if (column.element_bytes == 0) {
      builder.put_text(column.data);
    } else {
      builder.put_values(column.data);
    }
  }
}

namespace {

// Writes the values that ManifestValues reads. A record that was cut, or that has another origin,
// can have fewer values than its count: the count is written unchanged.
class PayloadWriter {
 public:
  PayloadWriter(std::span<const trace::Value> values, std::string& out, ConversionReport& report)
      : out_(out), report_(report) {
    for (const trace::Value& value : values) columns_.push_back({&value, value.text, value.count});
  }

  void put_fields(const std::vector<ManifestField>& fields, std::size_t column) {
    Counts counts{};
    const std::size_t first = column;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const ManifestField& field = fields[i];
      if (is_count(fields, i)) {
        counts[i] = count_there(fields, i, first, number_of(columns_[column]));
        put_number(field.type, counts[i]);
        pass_number(columns_[column]);
      } else if (field.type == ManifestType::kBytes) {
        out_ += columns_[column].rest.substr(0, counts[field.count_field]);
      } else {
        const std::uint64_t count = field.is_counted() ? counts[field.count_field] : 1;
        for (std::uint64_t element = 0; element < count; ++element) {
          if (field.type == ManifestType::kStructure) {
            put_fields(field.parts, column);
          } else {
            put_value(field.type, columns_[column]);
          }
        }
      }
      column += columns_of(field);
    }
  }

 private:
  struct Column {
    const trace::Value* value;
    std::string_view rest;  // of an array or a text
    std::uint64_t left;     // elements
  };

  static bool is_array(const Column& column) { return shm::is_array(column.value->type); }

  std::uint64_t count_there(const std::vector<ManifestField>& fields, std::size_t index,
                            std::size_t column, std::uint64_t most) const {
    for (const ManifestField& field : fields) {
      const std::size_t columns = columns_of(field);
      if (field.count_field == index && field.type == ManifestType::kBytes) {
        most = std::min<std::uint64_t>(most, columns_[column].rest.size());
      } else if (field.count_field == index) {
        std::size_t part_column = column;
        most = std::min(most, field.parts.empty() ? columns_[column].left : most);
        for (const ManifestField& part : field.parts) {
          if (!part.is_counted()) most = std::min(most, columns_[part_column].left);
          part_column += columns_of(part);
        }
      }
      column += columns;
    }
    return most;
  }

  static std::uint64_t number_of(const Column& column) {
    if (!is_array(column)) return column.value->u64;
    const std::size_t bytes = shm::fixed_size(shm::element_type(column.value->type));
    if (column.rest.size() < bytes) return 0;
    return trace::load_bytes(reinterpret_cast<const std::byte*>(column.rest.data()), bytes);
  }
  static void pass_number(Column& column) {
    if (!is_array(column)) return;
    const std::size_t bytes = shm::fixed_size(shm::element_type(column.value->type));
    column.rest.remove_prefix(std::min(bytes, column.rest.size()));
    column.left -= column.left != 0 ? 1 : 0;
  }

  static std::string_view take_text(Column& column) {
    if (!is_array(column)) return column.value->text;
    std::string_view& rest = column.rest;
    if (rest.size() < 4) return {};
    const auto bytes = trace::load<std::uint32_t>(reinterpret_cast<const std::byte*>(rest.data()));
    const std::string_view text = rest.substr(4, bytes);
    rest.remove_prefix(4 + text.size());
    return text;
  }

  void put_number(ManifestType type, std::uint64_t number) {
    std::size_t bytes = 8;
    if (type == ManifestType::kU8) bytes = 1;
    if (type == ManifestType::kU16) bytes = 2;
    if (type == ManifestType::kU32 || type == ManifestType::kI32 ||
        type == ManifestType::kBoolean) {
      bytes = 4;
    }
    out_.append(reinterpret_cast<const char*>(&number), bytes);
  }

  void put_value(ManifestType type, Column& column) {
    switch (type) {
      case ManifestType::kText: {
        const std::string_view text = take_text(column);
        const std::size_t end = text.find('\0');
        if (end != std::string_view::npos) report_.lost(kNullCharacter);
        if (!append_utf16_of_utf8(out_, text.substr(0, end))) report_.lost(kNoUtf8);
        out_.append(2, '\0');
        return;
      }
      case ManifestType::kAnsiText: {
        const std::string_view text = take_text(column);
        const std::size_t end = text.find('\0');
        if (end != std::string_view::npos) report_.lost(kNullCharacter);
        out_ += text.substr(0, end);
        out_ += '\0';
        return;
      }
      case ManifestType::kGuid:
        return put_guid(take_text(column));
      default:
        put_number(type, number_of(column));
        pass_number(column);
    }
  }

  // A text that is not a GUID becomes zeros.
  void put_guid(std::string_view text) {
    Guid guid{};
    std::size_t digits = 0;
    for (const char c : text) {
      if (c == '-') continue;
      const std::size_t digit = std::string_view("0123456789abcdef").find(c);
      if (digit == std::string_view::npos || digits == 32) return put_guid({});
      guid[digits / 2] = static_cast<std::uint8_t>(unsigned{guid[digits / 2]} << 4U | digit);
      ++digits;
    }
    if (digits != 32) guid = {};
    guid = in_order_of_text(guid);
    out_.append(reinterpret_cast<const char*>(guid.data()), guid.size());
  }

  std::vector<Column> columns_;
  std::string& out_;
  ConversionReport& report_;
};

}  // namespace

void append_manifest_payload(const ManifestEvent& event, std::span<const trace::Value> values,
                             std::string& out, ConversionReport& report) {
  PayloadWriter(values, out, report).put_fields(event.fields, 0);
}

}  // namespace ringside::tool::nettrace
