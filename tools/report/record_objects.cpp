#include "tools/report/record_objects.hpp"

#include <algorithm>
#include <string_view>

#include <nlohmann/json.hpp>

#include "tools/report/short_text.hpp"
#include "trace-format/lines/line_event.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

// Objects that are this many times longer than a text may be are cut as a whole.
constexpr std::size_t kMostTexts = 8;
constexpr std::size_t kMostElements = 200;

bool has_long_text(const trace::Value& value, std::size_t most) {
  return value.text.size() > most;
}

bool has_any_long_text(std::span<const trace::Value> values, std::size_t most) {
  return std::any_of(values.begin(), values.end(),
                     [most](const trace::Value& value) { return has_long_text(value, most); });
}

void shorten(json& value, std::size_t most) {
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (text.size() > most) text = std::string(first_bytes(text, most));
    return;
  }
  if (value.is_array() && value.size() > kMostElements)
    value.erase(value.begin() + kMostElements, value.end());
  if (!value.is_structured()) return;
  for (json& part : value) shorten(part, most);
}

// Numbers of more than 64 bits become those of a double.
std::string shortened(const std::string& object, std::size_t most) {
  json parsed = json::parse(object, nullptr, false);
  shorten(parsed, most);
  return parsed.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

bool RecordObjects::cut_values(std::vector<trace::Value>& values, std::size_t most) {
  bool is_cut = false;
  for (trace::Value& value : values) {
    if (!has_long_text(value, most) || shm::is_array(value.type)) continue;
    value.text = first_bytes(value.text, most);
    is_cut = true;
  }
  return is_cut;
}

RecordObjects::Object RecordObjects::of(const trace::Event& event, std::size_t most) {
  trace::LineEvent line = trace::LineEvent::of(event);
  Object object;
  if (event.kind == trace::EventKind::kRecord && has_any_long_text(line.args, most)) {
    values_.assign(line.args.begin(), line.args.end());
    object.is_cut = cut_values(values_, most);
    line.args = values_;
  }
  const trace::RecordContext* const context = line.context();
  if (context != nullptr && has_any_long_text(context->args, most)) {
    context_ = *context;
    object.is_cut = cut_values(context_.args, most) || object.is_cut;
    extension_ = *line.extension;
    extension_.context = &context_;
    line.extension = &extension_;
  }
  sink_.clear();
  texts_.of(event)->append(sink_, line, clocks_);
  object.json = sink_.text();
  while (!object.json.empty() && object.json.back() == '\n') object.json.pop_back();
  if (object.json.size() > most * kMostTexts) {
    object.json = shortened(object.json, most);
    object.is_cut = true;
  }
  return object;
}

}  // namespace ringside::tool
