// One aggregate for each key that occurs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace-format/query/group_key.hpp"

namespace ringside::trace::query {

// Not thread-safe; mergeable if Aggregate is: void merge(const Aggregate&). Memory is bounded by
// `most` groups; records with other keys go to one aggregate, rest().
template <class Aggregate>
class Groups {
 public:
  struct Group {
    std::vector<KeyText> key;
    Aggregate aggregate;
  };

  explicit Groups(std::vector<KeyPart> parts, Aggregate prototype = {}, std::size_t most = 1 << 20)
      : parts_(std::move(parts)), prototype_(prototype), rest_(std::move(prototype)), most_(most) {}

  // The aggregate of the record's group. Valid until the next call.
  Aggregate& of(const RecordInfo& record) {
    bytes_.clear();
    append_key(bytes_, parts_, record);
    // Records of one group often follow each other.
    if (recent_ < groups_.size() && bytes_ == recent_bytes_) return groups_[recent_].aggregate;
    const auto found = places_.find(bytes_);
    if (found != places_.end()) return remember(found->second, bytes_);
    if (groups_.size() >= most_) {
      ++overflowed_;
      return rest_;
    }
    return insert(bytes_, {key_texts(parts_, record), prototype_});
  }

  void merge(const Groups& other) {
    for (const auto& [bytes, place] : other.places_) {
      const Group& group = other.groups_[place];
      const auto found = places_.find(bytes);
      if (found != places_.end()) {
        groups_[found->second].aggregate.merge(group.aggregate);
      } else if (groups_.size() < most_) {
        insert(bytes, group);
      } else {
        ++overflowed_;
        rest_.merge(group.aggregate);
      }
    }
    rest_.merge(other.rest_);
    overflowed_ += other.overflowed_;
  }

  std::size_t size() const { return groups_.size(); }
  const Aggregate& rest() const { return rest_; }
  bool has_rest() const { return overflowed_ != 0; }

  // By key, see sorts_before(). Valid until a group is added.
  std::vector<const Group*> sorted() const {
    std::vector<const Group*> list;
    for (const Group& group : groups_) list.push_back(&group);
    std::sort(list.begin(), list.end(),
              [](const Group* a, const Group* b) { return sorts_before(a->key, b->key); });
    return list;
  }

 private:
  Aggregate& insert(const std::string& bytes, Group group) {
    groups_.push_back(std::move(group));
    const std::size_t place = groups_.size() - 1;
    places_.emplace(bytes, place);
    return remember(place, bytes);
  }
  Aggregate& remember(std::size_t place, const std::string& bytes) {
    recent_ = place;
    recent_bytes_ = bytes;
    return groups_[place].aggregate;
  }

  std::vector<KeyPart> parts_;
  Aggregate prototype_;
  Aggregate rest_;
  std::size_t most_;
  std::uint64_t overflowed_ = 0;
  std::vector<Group> groups_;
  std::unordered_map<std::string, std::size_t> places_;  // by key bytes
  std::string bytes_;
  std::string recent_bytes_;
  std::size_t recent_ = 0;
};

}  // namespace ringside::trace::query
