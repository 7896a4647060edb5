#include "tools/site_message.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

#include "shm-layout/format_style.hpp"

namespace ringside::tool {

SiteMessage::SiteMessage(const trace::Site& site) {
  std::vector<trace::FormatField> fields;
  fields.reserve(site.fields.size());
  for (const trace::Field& field : site.fields) {
    fields.push_back({field.name, field.is_array ? shm::array_of(field.type) : field.type});
  }
  std::string why;
  auto parsed = trace::MessageFormat::parse(static_cast<shm::FormatStyle>(site.style), site.format,
                                            fields, &why);
  if (parsed) {
    format_ = std::make_shared<const trace::MessageFormat>(std::move(*parsed));
  } else {
    refusal_ = fmt::format("<format \"{}\" cannot be used: {}>", site.format, why);
  }
}

void SiteMessage::append(trace::TextSink& out, std::span<const trace::Value> args) const {
  if (format_ == nullptr) {
    out.write(refusal_);
  } else {
    format_->append(out, args);
  }
}

}  // namespace ringside::tool
