// `ringcat inspect` for JSON objects, one per line.

#include <array>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "tools/interop/digested_input.hpp"
#include "tools/interop/json/ndjson_format.hpp"
#include "tools/interop/json/ndjson_lines.hpp"
#include "trace-format/lines/json_text.hpp"

namespace ringside::tool {
namespace ndjson {
namespace {

// Further keys are counted but not listed.
constexpr std::size_t kMostInspectedKeys = 10'000;

constexpr std::array<std::string_view, 9> kKindNames{
    "null", "boolean", "integer", "integer", "integer", "number", "string", "array", "object"};

class Inspection {
 public:
  Inspection(InputBytes& input, InspectStyle style, OutputBytes& output)
      : digest_(input), lines_(digest_.bytes()), style_(style), output_(output) {}

  ReadOutcome run(const std::string& name) {
    bool is_first = true;
    for (; lines_.next(); is_first = false) {
      if (is_first && style_ == InspectStyle::kCsv) output_.put("offset,line,bytes,members\n");
      take();
    }
    ReadOutcome outcome;
    if (!lines_.why().empty()) {
      if (is_first) return ReadOutcome::refused(lines_.offset(), lines_.why());
      outcome = ReadOutcome::damaged(lines_.offset(), lines_.why());
    }
    digest_.finish();
    if (style_ == InspectStyle::kJson) put_document(name, outcome);
    if (style_ == InspectStyle::kText) put_summary();
    return outcome;
  }

 private:
  using Kinds = std::map<std::string_view, std::uint64_t>;

  void take() {
    ++events_;
    std::uint64_t members = 0;
    lines_.tree().for_each_in(0, [&](std::uint32_t i) {
      const JsonNode& node = lines_.tree().nodes()[i];
      ++members;
      auto found = keys_.find(node.key);
      if (found == keys_.end() && keys_.size() < kMostInspectedKeys) {
        found = keys_.try_emplace(std::string(node.key)).first;
      }
      if (found == keys_.end()) {
        ++further_;
      } else {
        ++found->second[kKindNames[static_cast<std::size_t>(node.kind)]];
      }
    });
    if (style_ != InspectStyle::kCsv) return;
    output_.put(fmt::format("{},{},{},{}\n", lines_.offset(), lines_.line(),
                            lines_.tree().nodes()[0].text.size(), members));
  }

  void put_document(const std::string& name, const ReadOutcome& outcome) {
    std::string out;
    const auto add = [&out]<class... Args>(fmt::format_string<Args...> format, Args&&... args) {
      fmt::format_to(std::back_inserter(out), format, std::forward<Args>(args)...);
    };
    add("{{\n \"schema\": \"ndjson-1\",\n \"file\": {},\n \"size\": {},\n \"sha256\": \"{}\",\n",
        trace::quoted_json_text(DigestedInput::file_name(name)), digest_.size(), digest_.sha256());
    add(" \"counts\": {{\"events\": {}, \"members_of_further_keys\": {}}},\n \"keys\": {{", events_,
        further_);
    const char* separator = "";
    for (const auto& [key, kinds] : keys_) {
      add("{}\n  {}: {{", separator, trace::quoted_json_text(key));
      separator = ",";
      const char* between = "";
      for (const auto& [kind, count] : kinds) {
        add("{}\"{}\": {}", between, kind, count);
        between = ", ";
      }
      out += '}';
    }
    out += "},\n \"error\": ";
    if (outcome.end == ReadEnd::kWhole) {
      out += "null\n}\n";
    } else {
      add("{{\"offset\": {}, \"message\": {}}}\n}}\n", outcome.offset,
          trace::quoted_json_text(outcome.message));
    }
    output_.put(out);
  }

  void put_summary() {
    output_.put(fmt::format("{} bytes, {} objects\n", digest_.size(), events_));
    for (const auto& [key, kinds] : keys_) {
      for (const auto& [kind, count] : kinds) {
        output_.put(fmt::format("{:>12} {} of type {}\n", count, trace::json_text(key), kind));
      }
    }
  }

  DigestedInput digest_;
  Lines lines_;
  InspectStyle style_;
  OutputBytes& output_;
  std::uint64_t events_ = 0;
  std::uint64_t further_ = 0;
  std::map<std::string, Kinds, std::less<>> keys_;
};

}  // namespace
}  // namespace ndjson

ReadOutcome inspect_ndjson(InputBytes& input, InspectStyle style, OutputBytes& output) {
  return ndjson::Inspection(input, style, output).run(input.name());
}

}  // namespace ringside::tool
