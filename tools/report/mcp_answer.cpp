#include "tools/report/mcp_answer.hpp"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "tools/text/first_bytes.hpp"
#include "trace-format/lines/loss_text.hpp"

namespace ringside::tool {
namespace {

using nlohmann::ordered_json;

// For the members beside the array.
constexpr std::size_t kFrameBytes = 256;

struct ElementBounds {
  std::size_t most_text = kMostTextInJson;
  std::size_t most_elements = SIZE_MAX;  // of each array
};
// For an element that is too large as a whole.
constexpr ElementBounds kFew{.most_text = 64, .most_elements = 16};

std::string json_line(const ordered_json& value) {
  return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

// Returns how many texts and arrays were cut.
std::uint64_t cut_texts(ordered_json& value, const ElementBounds& bounds) {
  std::uint64_t cut = 0;
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (text.size() <= bounds.most_text) return 0;
    text = std::string(first_bytes(text, bounds.most_text));
    return 1;
  }
  if (value.is_array() && value.size() > bounds.most_elements) {
    value.erase(value.begin() + static_cast<std::ptrdiff_t>(bounds.most_elements), value.end());
    ++cut;
  }
  if (value.is_structured()) {
    for (ordered_json& part : value) cut += cut_texts(part, bounds);
  }
  return cut;
}

ordered_json notes_of(const std::string& errors) {
  ordered_json notes = ordered_json::array();
  for (std::size_t at = 0; at < errors.size();) {
    const std::size_t end = std::min(errors.find('\n', at), errors.size());
    if (end > at) notes.push_back(errors.substr(at, end - at));
    at = end + 1;
  }
  return notes;
}

// The elements of a kLines answer, as text: most of them are not parsed.
class Elements {
 public:
  Elements(const AnswerForm& form, std::size_t most_bytes) : form_(form), most_bytes_(most_bytes) {}

  void take(const CommandResult& result) {
    const std::string_view output = result.output;
    std::vector<std::string_view> lines;
    std::size_t at = 0;
    for (std::size_t end; (end = output.find('\n', at)) != std::string_view::npos; at = end + 1)
      lines.push_back(output.substr(at, end - at));
    is_all_ = !result.is_cut;
    const bool has_further = form_.most_elements != 0 && lines.size() > form_.most_elements;
    if (has_further) {
      is_all_ = false;
      if (form_.keeps_last)
        lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(form_.most_elements));
      lines.resize(form_.most_elements);
    }
    if (form_.keeps_last) std::reverse(lines.begin(), lines.end());
    for (const std::string_view line : lines) {
      if (!add(line)) break;
    }
    left_out_ = lines.size() - kept_.size();
  }

  std::string text() const {
    std::string all;
    for (const std::string& one : kept_) all += (all.empty() ? "" : ",") + one;
    return "[" + all + "]";
  }
  bool has_more() const { return !is_all_ || left_out_ != 0; }
  // Empty if their number is not known.
  std::optional<std::uint64_t> left_out() const {
    return is_all_ && left_out_ != 0 ? std::optional(left_out_) : std::nullopt;
  }
  std::uint64_t cut() const { return cut_; }

 private:
  // False if there is no room.
  bool add(std::string_view line) {
    std::string element(line);
    std::uint64_t cut = 0;
    if (line.size() > kMostTextInJson) {
      ordered_json value = ordered_json::parse(line, nullptr, false);
      if (value.is_discarded()) return false;
      cut = cut_texts(value, {});
      if (cut != 0) element = json_line(value);
      // The first one must fit, or the ones after it could never be reached.
      if (kept_.empty() && element.size() > most_bytes_) {
        cut = std::max(cut, cut_texts(value, kFew));
        element = json_line(value);
      }
    }
    if (bytes_ + element.size() + 1 > most_bytes_) return false;
    bytes_ += element.size() + 1;
    cut_ += cut;
    if (form_.keeps_last) {
      kept_.push_front(std::move(element));
    } else {
      kept_.push_back(std::move(element));
    }
    return true;
  }

  const AnswerForm& form_;
  const std::size_t most_bytes_;
  std::deque<std::string> kept_;
  std::size_t bytes_ = 0;
  bool is_all_ = true;
  std::uint64_t left_out_ = 0;
  std::uint64_t cut_ = 0;
};

std::string lines_answer(const CommandResult& result, const AnswerForm& form,
                         std::size_t most_bytes, const ordered_json& notes) {
  Elements elements(form, most_bytes);
  elements.take(result);
  ordered_json rest{{"has_more", elements.has_more()}};
  if (elements.left_out()) rest["left_out"] = {{std::string(form.array), *elements.left_out()}};
  if (elements.cut() != 0) rest["cut_texts"] = elements.cut();
  if (!notes.empty()) rest["notes"] = notes;
  return "{\"" + std::string(form.array) + "\":" + elements.text() + "," +
         json_line(rest).substr(1);
}

// Makes the largest array smaller by half. False if there is none.
bool halve_largest_array(ordered_json& document) {
  ordered_json* largest = nullptr;
  std::string name;
  std::size_t most = 0;
  for (auto& [key, value] : document.items()) {
    if (!value.is_array() || value.empty() || key == "notes" || key == "causes") continue;
    const std::size_t size = json_line(value).size();
    if (size <= most) continue;
    most = size;
    largest = &value;
    name = key;
  }
  if (largest == nullptr) return false;
  const std::size_t kept = largest->size() / 2;
  const std::size_t left_out = largest->size() - kept;
  largest->erase(largest->begin() + static_cast<std::ptrdiff_t>(kept), largest->end());
  ordered_json& counts = document["left_out"];
  counts[name] = (counts.contains(name) ? counts[name].get<std::uint64_t>() : 0) + left_out;
  return true;
}

// The causes that occur, with what to do.
ordered_json causes_of(const ordered_json& stats) {
  ordered_json causes = ordered_json::array();
  for (const trace::LossCauseText& each : trace::loss_cause_texts()) {
    const bool is_lost = shm::is_lost(each.cause);
    const ordered_json by_cause =
        is_lost ? stats.value("lost_by_cause", ordered_json::object()) : stats;
    const auto records = by_cause.find(each.token);
    if (records == by_cause.end()) continue;
    causes.push_back({{"cause", each.token},
                      {"records", *records},
                      {"is_lost", is_lost},
                      {"meaning", each.meaning},
                      {"remedy", each.remedy}});
  }
  return causes;
}

ordered_json losses_of(const ordered_json& stats) {
  ordered_json losses{{"records", stats.value("records", std::uint64_t{0})},
                      {"lost", stats.value("lost", std::uint64_t{0})},
                      {"causes", causes_of(stats)}};
  for (const char* const name : {"streams", "sites", "interval_ns", "intervals", "late_records",
                                 "damaged_bytes", "left_out"}) {
    if (stats.contains(name)) losses[name] = stats[name];
  }
  return losses;
}

}  // namespace

std::optional<std::string> mcp_answer(const CommandResult& result, const AnswerForm& form,
                                      std::size_t most_bytes, std::string* why) {
  const ordered_json notes = notes_of(result.errors);
  const std::size_t frame = kFrameBytes + (notes.empty() ? 0 : json_line(notes).size());
  const std::size_t room = most_bytes - std::min(most_bytes, frame);
  const bool is_whole_needed = form.shape != AnswerShape::kLines || form.keeps_last;
  if (result.is_cut && is_whole_needed) {
    *why = "the answer is too large; narrow the question, for example by since, until or limit";
    return std::nullopt;
  }
  if (form.shape == AnswerShape::kLines) return lines_answer(result, form, room, notes);
  ordered_json document = ordered_json::parse(result.output, nullptr, false);
  if (!document.is_object()) {
    *why = "the answer is not JSON; ask a narrower question, or run ringcat to see it";
    return std::nullopt;
  }
  if (form.shape == AnswerShape::kLosses) document = losses_of(document);
  const std::uint64_t cut = cut_texts(document, {});
  while (json_line(document).size() > room) {
    if (halve_largest_array(document)) continue;
    *why = "the answer does not fit --answer-kib; start ringcat mcp with a greater one";
    return std::nullopt;
  }
  document["has_more"] = document.contains("left_out");
  if (cut != 0) document["cut_texts"] = cut;
  if (!notes.empty()) document["notes"] = notes;
  return json_line(document);
}

}  // namespace ringside::tool
