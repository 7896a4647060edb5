#include "trace-format/condition/site_message.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "shm-layout/format_style.hpp"

namespace ringside::trace {

SiteMessage::SiteMessage(const Site& site) {
  std::vector<FormatField> fields;
  fields.reserve(site.fields.size());
  for (const Field& field : site.fields) {
    fields.push_back({field.name, field.is_array ? shm::array_of(field.type) : field.type});
  }
  std::string why;
  auto parsed =
      MessageFormat::parse(static_cast<shm::FormatStyle>(site.style), site.format, fields, &why);
  if (parsed) {
    format_ = std::make_shared<const MessageFormat>(std::move(*parsed));
  } else {
    refusal_ = fmt::format("<invalid format \"{}\": {}>", site.format, why);
  }
}

void SiteMessage::append(TextSink& out, std::span<const Value> args) const {
  if (format_ == nullptr) {
    out.write(refusal_);
  } else {
    format_->append(out, args);
  }
}

}  // namespace ringside::trace
