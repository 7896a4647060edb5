// The sites whose records a reader wants, and the values that it wants of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "trace-format/codec/read_plan.hpp"
#include "trace-format/codec/site_table.hpp"

namespace ringside::trace {

// For the sites of one SiteTable, which must outlive it. Not thread-safe: it creates the plan of a
// site at first use.
class SiteChoice {
 public:
  struct Plan {
    ReadPlan reading;
    bool chosen = false;
  };

  // Selects the site's records, with the values of these fields (indexes among the site's fields,
  // at most all of them). Other values of its records are undefined, except texts and constants. Do
  // not call while a decoder that uses this choice is open.
  void add(const Site& site, std::span<const std::uint16_t> fields);
  void add(const Site& site);  // with all fields

  // The records of this site, which is a context's, are read with all their values, chosen or not.
  // Do not call while a decoder that uses this choice is open.
  void follow(const Site& site);

  bool empty() const { return wanted_.empty(); }

  // The plan for the site's arguments. Lives until the next add() or follow().
  const Plan& plan(const Site& site);

 private:
  std::unordered_map<std::uint32_t, std::vector<bool>> wanted_;  // by site id, by field
  std::vector<std::unique_ptr<Plan>> plans_;                     // by site id
  bool numbers_ = false;  // a selected f64 may refer to one of any site
};

}  // namespace ringside::trace
