#include "tools/report/stack_part.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <nlohmann/json.hpp>

#include "shm-layout/field_type.hpp"
#include "tools/crash/crash_record.hpp"
#include "tools/crash/recorded_modules.hpp"
#include "tools/crash/stack_text.hpp"
#include "tools/report/halved.hpp"
#include "tools/symbols/symboliser.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr std::size_t kMostFunctionBytes = 2'000;  // of a function
constexpr std::size_t kLeastFunctionBytes = 60;

// Inlined into the function that logs.
bool is_log_call(const CodePlace& place) {
  return place.is_inlined && (place.function.starts_with("ringside::CallStack::") ||
                              place.function.find("ringside::detail::") != std::string::npos);
}

}  // namespace

void StackPart::know(Statement& statement, const trace::Record& record) {
  statement.stack_field = Statement::kNone;
  const trace::Site& site = *record.site;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const trace::Field& field = site.fields[i];
    if (field.name == "stack" && field.is_array && field.type == shm::FieldType::pointer)
      statement.stack_field = static_cast<std::int32_t>(i);
  }
  statement.is_module = is_library_event(site, kModuleEvent);
  statement.is_crash = is_library_event(site, kCrashEvent);
}

std::int64_t StackPart::frame_of(const Process& process, std::uint64_t address) {
  const auto found = known_.find({process, address});
  if (found != known_.end()) {
    ++frames_[static_cast<std::size_t>(found->second)].records;
    return found->second;
  }
  if (frames_.size() == kMostAddresses) return -1;
  const auto number = static_cast<std::int64_t>(frames_.size());
  frames_.push_back({process, address, 1});
  known_.emplace(std::pair(process, address), number);
  return number;
}

void StackPart::add_stack(const ReportEvent& event) {
  const std::uint32_t number = event.place.site->number;
  if (number >= statements_.size()) [[unlikely]]
    statements_.resize(std::size_t{number} + 1);
  Statement& statement = statements_[number];
  if (statement.stack_field == Statement::kUnknown) [[unlikely]]
    know(statement, event.event.record);
  if (statement.is_module) [[unlikely]] {
    add_module(modules_[event.event.segment->uuid], read_module(event.event.record));
    return;
  }
  if (statement.stack_field == Statement::kNone || event.place.stream == nullptr) [[likely]]
    return;
  const std::vector<std::uint64_t> stack = read_stack(event.event.record);
  if (stack.empty()) return;
  ++stacks_;
  std::uint32_t node = tree_.thread(event.place.stream->number);
  if (node == PathTree::kNone) {
    ++left_out_;
    return;
  }
  const auto weigh = [&] {
    ++tree_.at(node).count;
    ++tree_.at(node).total;
  };
  weigh();
  for (std::size_t i = stack.size(); i-- > 0;) {
    const std::int64_t frame =
        frame_of(event.event.segment->uuid, instruction_of(stack, i, statement.is_crash));
    const std::uint32_t next = frame < 0 ? PathTree::kNone : tree_.child(node, frame);
    if (next == PathTree::kNone) {
      ++tree_.at(node).others;
      ++tree_.at(node).other_count;
      return;
    }
    node = next;
    weigh();
  }
  const std::uint32_t leaf = tree_.child(node, -static_cast<std::int64_t>(number) - 1);
  if (leaf != PathTree::kNone) {
    node = leaf;
    weigh();
  }
  ++tree_.at(node).self;
}

void StackPart::find_functions() {
  // The functions of frames, outermost first: a frame has several if some were inlined.
  std::vector<std::uint32_t> order(frames_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return frames_[a].records > frames_[b].records;
  });
  std::map<std::string, std::int64_t> numbers;
  const auto number_of = [&](std::string&& name) {
    const auto [at, is_new] = numbers.emplace(name, static_cast<std::int64_t>(names_.size()));
    if (is_new) names_.push_back(std::move(name));
    return at->second;
  };
  std::vector<std::vector<std::int64_t>> functions(frames_.size());
  Symboliser symboliser;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Frame& frame = frames_[order[i]];
    std::vector<std::int64_t>& own = functions[order[i]];
    const auto modules = modules_.find(frame.process);
    const MappedCode* const code =
        modules == modules_.end() ? nullptr : module_of(modules->second, frame.address);
    if (code == nullptr) {
      own.push_back(number_of("unknown module"));
      continue;
    }
    std::vector<CodePlace> places;
    if (i < kMostNamed) places = symboliser.places_of(*code, frame.address);
    for (std::size_t j = places.size(); j-- > 0;) {
      if (!places[j].function.empty() && !is_log_call(places[j]))
        own.push_back(number_of(std::move(places[j].function)));
    }
    if (!own.empty()) ++with_function_;
    if (own.empty()) own.push_back(number_of(offset_text(*code, frame.address)));
  }
  // The same paths, by names: several addresses are in one function.
  std::vector<std::uint32_t> places(tree_.nodes().size(), PathTree::kNone);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const PathTree::Node& node = tree_.nodes()[i];
    std::uint32_t at = 0;
    if (node.parent == PathTree::kNone) {
      at = named_.thread(static_cast<std::uint32_t>(node.name));
    } else {
      at = places[node.parent];
      std::vector<std::int64_t> below{node.name};
      if (node.name >= 0) below = functions[static_cast<std::size_t>(node.name)];
      for (std::size_t j = 0; j < below.size() && at != PathTree::kNone; ++j) {
        const std::uint32_t next = named_.child(at, below[j]);
        const bool is_last = j + 1 == below.size();
        if (next != PathTree::kNone && !is_last) {
          named_.at(next).count += node.count;
          named_.at(next).total += node.total;
        }
        at = next;
      }
    }
    places[i] = at;
    if (at == PathTree::kNone) {
      left_out_ += static_cast<std::uint64_t>(std::max<std::int64_t>(node.self, 0));
      continue;
    }
    PathTree::Node& sum = named_.at(at);
    sum.count += node.count;
    sum.total += node.total;
    sum.self += node.self;
    sum.others += node.others;
    sum.other_count += node.other_count;
  }
}

json StackPart::document(unsigned level) {
  if (!has_functions_) find_functions();
  has_functions_ = true;
  json document = named_.document(halved(PathTree::kMostShown, level));
  // Only the names of nodes that are shown.
  std::vector<std::int64_t> numbers(names_.size(), -1);
  json names = json::array();
  json& nodes = document["name"];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    json& name = nodes[i];
    const auto number = name.get<std::int64_t>();
    const bool is_thread = document["parent"][i] == -1;
    if (is_thread || number < 0) continue;
    std::int64_t& known = numbers[static_cast<std::size_t>(number)];
    if (known < 0) {
      known = static_cast<std::int64_t>(names.size());
      names.push_back(first_bytes(names_[static_cast<std::size_t>(number)],
                                  halved(kMostFunctionBytes, level, kLeastFunctionBytes)));
    }
    name = known;
  }
  document["stacks"] = stacks_;
  document["stacks_left_out"] = left_out_;
  document["names"] = std::move(names);
  document["addresses"] = frames_.size();
  document["addresses_with_function"] = with_function_;
  return document;
}

}  // namespace ringside::tool
