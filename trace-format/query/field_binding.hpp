// Positions of a query's fields in each site, checked before any record is read.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trace-format/codec/site_choice.hpp"
#include "trace-format/query/query_error.hpp"
#include "trace-format/query/record_info.hpp"

namespace ringside::trace::query {

// A query's requirement on a field.
struct FieldDemand {
  std::string name;  // as the site names it, or "#3": the third of all fields
  // Null: any type is accepted.
  bool (*takes)(shm::FieldType type) = nullptr;
  std::string_view type;  // for messages
  bool optional = false;  // a site may lack it
  // If a site lacks it, the contexts of its records may have it: see RecordInfo::value(). A field
  // of the site precedes one of a context.
  bool in_context = false;
};

// The first of several fields with this name, or else the only one with this name without
// conversions (static_cast<int>(qty), qty.c_str()). kNoPlace if there is none.
FieldPlace find_field(const Site& site, std::string_view name);

// The same in the statement of a context, whose fields have no numbers.
FieldPlace find_context_field(const Site& context, std::string_view name);

// The indexes of the fields that `demands` names; empty with `*error` if the site does not meet a
// requirement. `service` is for the message. Whether contexts have a field is not checked.
std::optional<std::vector<FieldPlace>> bind_fields(const Site& site, std::string_view service,
                                                   std::span<const FieldDemand> demands,
                                                   QueryError* error);

// The field indexes for all selected sites of one dictionary, by site id.
class SiteBindings {
 public:
  void clear() { by_id_.clear(); }
  // `also`: indexes of other fields to read.
  void add(const Site& site, std::vector<FieldPlace> places, std::vector<std::uint16_t> also,
           SiteChoice& choice);
  void add(const Site& site, std::vector<FieldPlace> places);
  // The statement of a context, which has any number of the fields.
  void add_context(const Site& site, std::span<const FieldDemand> demands);

  // Null if the site was not added.
  const std::vector<FieldPlace>* find(std::uint32_t site_id) const {
    return site_id < by_id_.size() ? by_id_[site_id].get() : nullptr;
  }

 private:
  std::vector<std::unique_ptr<const std::vector<FieldPlace>>> by_id_;
};

}  // namespace ringside::trace::query
