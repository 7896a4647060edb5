#pragma once
// Segments that should be drained but are not, and why.

#include <cstddef>
#include <map>
#include <string>

#include "consumerd/log/log.hpp"

namespace ringside::consumer {

// Bounded: any user can create segments.
class UndrainedSegments {
 public:
  // `waits`: the obstacle may pass.
  void put(const std::string& name, const std::string& why, bool waits);
  void erase(const std::string& name) { segments_.erase(name); }
  bool contains(const std::string& name) const { return segments_.contains(name); }
  bool empty() const { return segments_.empty(); }

  // Whether the obstacle of any of them may pass.
  bool any_waits() const;
  // Their number, and the reason of one; empty if there are none.
  std::string summary() const;
  void log_all(const Log& log) const;

 private:
  struct Segment {
    std::string why;
    bool waits;
  };
  std::map<std::string, Segment> segments_;  // by name
};

}  // namespace ringside::consumer
