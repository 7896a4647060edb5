#pragma once
// What all records of a statement share in OTLP/JSON.

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/interop/event_facts.hpp"
#include "tools/interop/viewers/otlp_values.hpp"
#include "tools/interop/viewers/sampled_stacks.hpp"
#include "trace-format/condition/site_message.hpp"
#include "trace-format/lines/field_keys.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool::otlp {

struct SiteFacts {
  std::string name;               // quoted, as JSON
  std::string severity;           // of logs: ,"severityNumber":9,"severityText":"INFO"
  std::string category;           // as JSON, without quotes
  std::string attributes;         // shared by all its records, each with a preceding comma
  std::vector<std::string> keys;  // of the fields: ,{"key":"name","value":
  trace::SiteMessage message;
  bool can_have_stack = false;
};

inline SiteFacts facts_of(const trace::Site& site) {
  SiteFacts facts{.name = trace::quoted_json_text(event_name(site)),
                  .severity = {},
                  .category = trace::json_text(site.category),
                  .attributes = {},
                  .keys = {},
                  .message = trace::SiteMessage(site),
                  .can_have_stack = false};
  trace::TextSink out;
  const std::string_view level = shm::level_name(site.level);
  out.write(",\"severityNumber\":");
  put_number(out, severity(site.level));
  out.write(",\"severityText\":\"");
  out.write(level);
  out.put('"');
  facts.severity = out.text();
  out.clear();
  const auto put = [&out](std::string_view key, const auto& value) {
    out.put(',');
    put_attribute(out, key, value);
  };
  put("ringside.kind", kind_name(site.kind));
  put("ringside.level", level);
  if (!site.name.empty()) put("ringside.name", std::string_view(site.name));
  if (site.keywords != 0) put("ringside.keywords", site.keywords);
  if (!site.file.empty()) {
    put("code.file.path", std::string_view(site.file));
    put("code.line.number", std::uint64_t{site.line});
  }
  if (!site.function.empty()) put("code.function.name", std::string_view(site.function));
  facts.attributes = out.text();
  facts.can_have_stack =
      std::any_of(site.fields.begin(), site.fields.end(), SampledStacks::is_stack);
  for (const std::string& key : trace::field_keys(site, trace::json_text)) {
    facts.keys.push_back(",{\"key\":\"field." + key + "\",\"value\":");
  }
  return facts;
}

}  // namespace ringside::tool::otlp
