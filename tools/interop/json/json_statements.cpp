#include "tools/interop/json/json_statements.hpp"

#include "tools/interop/site_format.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"
#include "trace-format/lines/json_value.hpp"
#include "trace-format/text/text_sink.hpp"

namespace ringside::tool {
namespace {

constexpr std::string_view kManyJsonFields = "fields after the 512th are left out";

}  // namespace

std::uint32_t JsonStatements::site_of(const JsonRecord& record, std::size_t most) {
  key_ = record.key();
  const auto found = sites_.find(key_);
  if (found != sites_.end()) return found->second;
  const bool fits = sites_.size() < most && bytes_ < kMostBytes && key_.size() <= kMostTextBytes;
  if (!fits && most != SIZE_MAX) return 0;
  bytes_ += key_.size();
  SiteDefinition definition = record.definition();
  if (!can_format(definition)) definition.style = shm::FormatStyle::none;
  const std::uint32_t site = builder_.add_site(definition);
  sites_.emplace(key_, site);
  return site;
}

void JsonStatements::put(std::uint32_t site, std::uint32_t stream, std::uint64_t unix_ns,
                         const JsonRecord& record, const trace::RecordExtension& extension) {
  builder_.begin(stream, site, unix_ns, extension);
  builder_.put_values(record.values());
  builder_.end();
}

void JsonStatements::add(std::uint32_t stream, std::uint64_t unix_ns, const JsonRecord& record,
                         const trace::RecordExtension& extension) {
  if (record.left_out() != 0) report_.lost(kManyJsonFields);
  if (record.nulls() != 0) report_.lost("fields that are null are left out");
  if (const std::uint32_t site = site_of(record, kMostNamed)) {
    return put(site, stream, unix_ns, record, extension);
  }
  make_general(record, true);
  std::uint32_t site = site_of(general_, kMostShaped);
  if (site == 0) {
    make_general(record, false);
    site = site_of(general_, SIZE_MAX);
  }
  if (general_.left_out() != 0) report_.lost(kManyJsonFields);
  put(site, stream, unix_ns, general_, extension);
}

void JsonStatements::make_general(const JsonRecord& record, bool with_fields) {
  const SiteDefinition site = record.definition();
  JsonHead head;
  head.kind = site.kind;
  head.level = site.level;
  head.name = head.format = format_;
  general_.begin(head);
  const auto add_unless_empty = [this](std::string_view what, std::string_view text) {
    if (!text.empty()) general_.add_text(format_ + "." + std::string(what), text);
  };
  if (with_fields) {
    add_unless_empty("name", site.name);
    add_unless_empty("category", site.category);
    add_unless_empty("message", site.format == site.name ? "" : site.format);
    record.for_each_field([this](std::string_view name, const trace::Value& value, bool) {
      general_.add_value(name, value);
    });
    return;
  }
  general_.add_text(format_ + ".name", site.name);
  general_.add_text(format_ + ".category", site.category);
  general_.add_text(format_ + ".message", site.format);
  trace::TextSink fields;
  std::string_view separator = "{";
  record.for_each_field([&](std::string_view name, const trace::Value& value, bool) {
    fields.write(separator);
    fields.write(trace::quoted_json_text(name));
    fields.put(':');
    trace::append_json_value(fields, value);
    separator = ",";
  });
  fields.write(separator == "{" ? "{}" : "}");
  general_.add_text(format_ + ".fields", fields.text());
}

}  // namespace ringside::tool
