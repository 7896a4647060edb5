#include "tools/interop/json/chrome_reader.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace ringside::tool::chrome {
namespace {

constexpr std::size_t kMostKeyBytes = 64 << 10;

}  // namespace

Step Reader::fail(std::string why, std::size_t at) {
  why_ = std::move(why);
  damaged_at_ = input_.offset() + at;
  place_ = Place::kEnd;
  return has_delivered_ ? Step::kDamaged : Step::kRefused;
}

Step Reader::next() {
  for (;;) {
    std::optional<Step> step;
    switch (place_) {
      case Place::kBegin:
        step = begin();
        break;
      case Place::kMembers:
        step = next_member();
        break;
      case Place::kEvents:
        step = next_event();
        break;
      case Place::kEnd:
        return Step::kEnd;
    }
    if (step) return *step;
  }
}

std::optional<Step> Reader::begin() {
  constexpr std::byte kMark[] = {std::byte{0xEF}, std::byte{0xBB}, std::byte{0xBF}};
  const auto bytes = input_.peek(sizeof kMark);
  if (bytes.size() >= sizeof kMark && std::equal(kMark, kMark + sizeof kMark, bytes.begin())) {
    input_.skip(sizeof kMark);
  }
  if (cutter_.pass('{')) {
    is_object_ = true;
    place_ = Place::kMembers;
  } else if (cutter_.pass('[')) {
    place_ = Place::kEvents;
  } else {
    return fail("expected an array of trace events, or an object that contains one");
  }
  has_delivered_ = true;
  return {};
}

bool Reader::cut(std::size_t most, std::span<const std::byte>& bytes) {
  switch (cutter_.cut(most, bytes)) {
    case JsonCut::kValue:
      return true;
    case JsonCut::kEnd:
      why_ = "the file ends within a value";
      return false;
    case JsonCut::kTooLong:
      why_ = fmt::format("a value is longer than {} bytes", most);
      return false;
    case JsonCut::kNone:
      break;
  }
  why_ = "expected a JSON value";
  return false;
}

bool Reader::take_key(std::string& key) {
  std::span<const std::byte> bytes;
  if (cutter_.next() != '"') {
    why_ = "expected the name of a member";
    return false;
  }
  if (!cut(kMostKeyBytes, bytes)) return false;
  key.assign(reinterpret_cast<const char*>(bytes.data()) + 1, bytes.size() - 2);
  input_.skip(bytes.size());
  if (cutter_.pass(':')) return true;
  why_ = "expected a colon";
  return false;
}

std::optional<Step> Reader::next_member() {
  if (cutter_.pass('}')) {
    if (cutter_.next() != '\0') return fail("unexpected text after the trace's object");
    place_ = Place::kEnd;
    return Step::kEnd;
  }
  if (!is_first_ && !cutter_.pass(',')) {
    return fail(cutter_.next() == '\0' ? "the file ends within the trace's object"
                                       : "expected a comma");
  }
  is_first_ = false;
  std::string key;
  if (!take_key(key)) return fail(why_);
  const char first = cutter_.next();
  if (key == "traceEvents" && first == '[') {
    input_.skip(1);
    is_first_ = true;
    place_ = Place::kEvents;
    return {};
  }
  if (members_.size() < kMostMembers) members_.push_back(key);
  std::span<const std::byte> bytes;
  if (key == "otherData" && first == '{' &&
      cutter_.cut(kMostFactsBytes, bytes) != JsonCut::kTooLong) {
    if (!cut(kMostFactsBytes, bytes)) return fail(why_);
    if (!tree_.parse(bytes)) return fail(tree_.why(), tree_.damaged_at());
    take_facts();
    input_.skip(bytes.size());
    return {};
  }
  const JsonCut passed = cutter_.pass_value();
  if (passed == JsonCut::kEnd) return fail("the file ends within a value");
  if (passed == JsonCut::kNone) return fail("expected a JSON value");
  return {};
}

void Reader::take_facts() {
  tree_.for_each_in(0, [this](std::uint32_t i) {
    const JsonNode& node = tree_.nodes()[i];
    if (node.key == "producer") is_own_ = node.text == "ringside";
    if (node.key != "base_unix_ns" || !node.is_text()) return;
    std::from_chars(node.text.data(), node.text.data() + node.text.size(), base_unix_ns_);
  });
}

std::optional<Step> Reader::end_array() {
  is_closed_ = true;
  is_first_ = false;
  place_ = is_object_ ? Place::kMembers : Place::kEnd;
  if (!is_object_ && cutter_.next() != '\0') return fail("unexpected text after the trace's array");
  return {};
}

std::optional<Step> Reader::next_event() {
  for (;;) {
    if (cutter_.pass(']')) return end_array();
    if (!is_first_ && cutter_.next() != '\0' && !cutter_.pass(',')) {
      return fail("expected a comma or the end of the array");
    }
    is_first_ = false;
    if (cutter_.pass(']')) return end_array();
    if (cutter_.next() == '\0') {
      // Producers that can crash omit the closing bracket, and readers must accept that.
      if (is_object_) return fail("the file ends within traceEvents");
      place_ = Place::kEnd;
      return Step::kEnd;
    }
    std::span<const std::byte> bytes;
    if (!cut(kMostEventBytes, bytes)) return fail(why_);
    if (!tree_.parse(bytes)) return fail(tree_.why(), tree_.damaged_at());
    event_.offset = input_.offset();
    input_.skip(bytes.size());
    if (tree_.nodes().size() == 1) continue;  // {}, after the last comma
    look();
    return Step::kEvent;
  }
}

void Reader::look() {
  const std::uint64_t offset = event_.offset;
  std::vector<std::uint32_t> others = std::move(event_.others);
  others.clear();
  event_ = TraceEvent();
  event_.offset = offset;
  event_.others = std::move(others);
  tree_.for_each_in(0, [this](std::uint32_t i) {
    const JsonNode& node = tree_.nodes()[i];
    const auto is = [&node](std::string_view key, const JsonNode*& place) {
      if (node.key != key || place != nullptr) return false;
      place = &node;
      return true;
    };
    if (node.key == "ph" && node.text.size() == 1 && event_.phase == '\0') {
      event_.phase = node.text.front();
    } else if (node.key == "args" && node.kind == JsonKind::kObject && !event_.args) {
      event_.args = i;
    } else if (!is("name", event_.name) && !is("cat", event_.category) && !is("pid", event_.pid) &&
               !is("tid", event_.tid) && !is("ts", event_.time) && !is("dur", event_.duration) &&
               !is("id", event_.id)) {
      event_.others.push_back(i);
    }
  });
}

}  // namespace ringside::tool::chrome
