#include "tools/report/path_tree.hpp"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

namespace ringside::tool {

std::uint32_t PathTree::below(std::uint32_t parent, std::int64_t name) {
  if (parent != kNone) {
    const std::uint32_t latest = latest_[parent];
    if (latest != kNone && nodes_[latest].name == name) return latest;
  }
  const auto found = known_.find({parent, name});
  std::uint32_t node = 0;
  if (found != known_.end()) {
    node = found->second;
  } else {
    const std::uint32_t depth = parent == kNone ? 0 : nodes_[parent].depth + 1;
    if (nodes_.size() >= kMostNodes || depth > kMostDepth) {
      has_left_out_ = true;
      return kNone;
    }
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({.parent = parent, .depth = depth, .name = name});
    latest_.push_back(kNone);
    known_.emplace(Key{parent, name}, node);
  }
  if (parent != kNone) latest_[parent] = node;
  return node;
}

nlohmann::json PathTree::document(std::size_t most) const {
  // A node is at least as heavy as each below it: so those that are shown have their parents.
  std::vector<std::uint64_t> weights(nodes_.size());
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    weights[i] = std::max(weights[i], nodes_[i].total);
    if (nodes_[i].parent != kNone)
      weights[nodes_[i].parent] = std::max(weights[nodes_[i].parent], weights[i]);
  }
  std::vector<std::uint32_t> shown(nodes_.size());
  std::iota(shown.begin(), shown.end(), 0U);
  if (shown.size() > most) {
    const auto end = shown.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(shown.begin(), end, shown.end(), [&](std::uint32_t a, std::uint32_t b) {
      return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
    });
    shown.erase(end, shown.end());
    std::sort(shown.begin(), shown.end());
  }
  std::vector<std::uint32_t> rows(nodes_.size(), kNone);
  for (std::size_t i = 0; i < shown.size(); ++i) rows[shown[i]] = static_cast<std::uint32_t>(i);

  std::vector<std::uint64_t> others(nodes_.size());
  std::vector<std::uint64_t> other_counts(nodes_.size());
  std::uint64_t left_out = 0;
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    others[i] += nodes_[i].others;
    other_counts[i] += nodes_[i].other_count;
    if (rows[i] != kNone || nodes_[i].parent == kNone) continue;
    ++left_out;
    others[nodes_[i].parent] +=
        others[i] + static_cast<std::uint64_t>(std::max<std::int64_t>(nodes_[i].self, 0));
    other_counts[nodes_[i].parent] += other_counts[i] + nodes_[i].count;
  }

  nlohmann::json parent = nlohmann::json::array();
  nlohmann::json name = nlohmann::json::array();
  nlohmann::json count = nlohmann::json::array();
  nlohmann::json total = nlohmann::json::array();
  nlohmann::json self = nlohmann::json::array();
  nlohmann::json left = nlohmann::json::array();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const Node& node = nodes_[shown[i]];
    parent.push_back(node.parent == kNone ? -1 : static_cast<std::int64_t>(rows[node.parent]));
    name.push_back(node.name);
    count.push_back(node.count);
    total.push_back(node.total);
    self.push_back(std::max<std::int64_t>(node.self, 0));
    if (other_counts[shown[i]] != 0)
      left.insert(left.end(), {i, other_counts[shown[i]], others[shown[i]]});
  }
  return {{"parent", std::move(parent)}, {"name", std::move(name)},
          {"count", std::move(count)},   {"total", std::move(total)},
          {"self", std::move(self)},     {"others", std::move(left)},
          {"nodes_left_out", left_out},  {"is_incomplete", has_left_out_}};
}

}  // namespace ringside::tool
