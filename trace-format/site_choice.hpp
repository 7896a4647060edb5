// Which sites' records, and which of their values, a reader wants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace-format/read_plan.hpp"
#include "trace-format/site_table.hpp"

namespace ringside::trace {

// Of the sites of one SiteTable, which must outlive it. Not thread-safe: it learns what to do with
// a site when it first meets it.
class SiteChoice {
 public:
  struct Plan {
    ReadPlan reading;
    bool chosen = false;
  };

  // The site's records count, with the values of these fields (places among the site's fields, at
  // most all of them); the other values of its records mean nothing then, but for texts and
  // constants. Not while a decoder is open that uses this choice.
  void add(const Site& site, std::span<const std::uint8_t> fields);
  void add(const Site& site);  // with all fields

  bool empty() const { return wanted_.empty(); }

  // What to do with the site's arguments. Lives until the next add().
  const Plan& plan(const Site& site);

 private:
  std::unordered_map<std::uint32_t, std::vector<bool>> wanted_;  // by site id, by field
  std::vector<std::unique_ptr<Plan>> plans_;                     // by site id
  bool numbers_ = false;  // a chosen f64 may refer to one of any site
};

}  // namespace ringside::trace
