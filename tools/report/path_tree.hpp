#pragma once
// Paths of nested names with their weights: what a flame graph shows.

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace ringside::tool {

// Below each thread one tree. Not thread-safe. Memory: kMostNodes.
class PathTree {
 public:
  static constexpr std::size_t kMostNodes = 200'000;
  static constexpr std::size_t kMostShown = 20'000;
  static constexpr std::uint32_t kMostDepth = 250;

  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Node {
    std::uint32_t parent = kNone;  // kNone: a thread, whose number is the name
    std::uint32_t depth = 0;
    std::int64_t name = 0;
    std::uint64_t count = 0;
    std::uint64_t total = 0;
    std::int64_t self = 0;
    std::uint64_t others = 0;  // `self` of nodes below it that are left out
    std::uint64_t other_count = 0;
  };

  std::uint32_t thread(std::uint32_t number) { return below(kNone, number); }

  // The node `name` below another one; kNone if there are too many: then leave_out().
  std::uint32_t child(std::uint32_t parent, std::int64_t name) { return below(parent, name); }

  Node& at(std::uint32_t node) { return nodes_[node]; }
  const std::vector<Node>& nodes() const { return nodes_; }
  bool has_left_out() const { return has_left_out_; }

  // README.md, "flame": of the heaviest nodes; the others are counted at their parents.
  nlohmann::json document(std::size_t most = kMostShown) const;

 private:
  struct Key {
    std::uint32_t parent = 0;
    std::int64_t name = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return (static_cast<std::size_t>(key.name) * 0x9E3779B97F4A7C15U ^ key.parent) *
             0xBF58476D1CE4E5B9U;
    }
  };

  std::uint32_t below(std::uint32_t parent, std::int64_t name);

  std::vector<Node> nodes_;            // parents come before their children
  std::vector<std::uint32_t> latest_;  // by node: its child that was asked for last
  std::unordered_map<Key, std::uint32_t, KeyHash> known_;
  bool has_left_out_ = false;
};

}  // namespace ringside::tool
