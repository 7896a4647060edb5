// Any bytes as dictionary entries, of a segment or a file, and the formats in them.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shm-layout/dictionary_entry.hpp"
#include "trace-format/codec/site_table.hpp"
#include "trace-format/text/message_text.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringside;
  auto rest = std::as_bytes(std::span(data, size));
  trace::SiteTable sites;
  std::string why;
  // One by one, so that an invalid entry does not hide those after it.
  while (const std::uint32_t bytes = shm::entry_bytes(rest)) {
    sites.add(rest.first(bytes), &why);
    rest = rest.subspan(bytes);
  }
  sites.for_each([&why](const trace::Site& site) {
    std::vector<trace::FormatField> fields;
    for (const trace::Field& field : site.fields) {
      fields.push_back({field.name, field.is_array ? shm::array_of(field.type) : field.type});
    }
    const auto format = trace::MessageFormat::parse(static_cast<shm::FormatStyle>(site.style),
                                                    site.format, fields, &why);
    std::string text;
    if (format) format->append(text, site.initial_values);
  });
  return 0;
}
