#include "trace-format/query/field_binding.hpp"

#include <charconv>
#include <utility>

#include "shm-layout/field_type_name.hpp"
#include "shm-layout/plain_expression.hpp"
#include "trace-format/query/field_reader.hpp"
#include "trace-format/query/site_selector.hpp"

namespace ringside::trace::query {
namespace {

shm::FieldType full_type(const Field& field) {
  return field.is_array ? shm::array_of(field.type) : field.type;
}

std::string known_fields(const Site& site) {
  if (site.fields.empty()) return "it has no fields";
  std::string list = "its fields are ";
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const Field& field = site.fields[i];
    if (i > 0) list += ", ";
    list += "#" + std::to_string(i + 1);
    if (!field.name.empty()) list += " " + field.name;
    list += " (" + std::string(shm::name(full_type(field))) + ")";
  }
  return list;
}

QueryError missing(const Site& site, std::string_view service, const FieldDemand& demand) {
  QueryError error{site_label(site), demand.name, std::string(demand.type), {}, {}, {}};
  error.what = std::string(service) + ": site " + error.site + " has no field \"" + demand.name +
               "\"" + (demand.type.empty() ? "" : " to read as " + error.wanted);
  error.remedy =
      known_fields(site) + "; choose one of these by name or number, or select fewer sites";
  return error;
}

QueryError mismatch(const Site& site, std::string_view service, const FieldDemand& demand,
                    shm::FieldType type) {
  QueryError error{site_label(site),
                   demand.name,
                   std::string(demand.type),
                   std::string(shm::name(type)),
                   {},
                   {}};
  error.what = std::string(service) + ": field \"" + demand.name + "\" of site " + error.site +
               " is " + error.found + ", which " + error.wanted + " cannot hold without loss";
  const std::string_view taker = type_that_takes(type);
  error.remedy =
      taker.empty() ? "read it with RecordInfo::value()" : "read it as " + std::string(taker);
  if (demand.takes == &FieldReader<AnyNumber>::takes) {
    error.what = std::string(service) + ": field \"" + demand.name + "\" of site " + error.site +
                 " is " + error.found + ", which is not a number";
    error.remedy = "choose a numeric field: " + known_fields(site);
  }
  return error;
}

// The only field that has this name without conversions, for expressions as earlier libraries
// stored them and as programs that read such traces name them.
FieldPlace find_plain_field(const Site& site, std::string_view name, std::size_t count) {
  const std::string_view plain = shm::plain_expression(name);
  FieldPlace found = kNoPlace;
  for (std::size_t i = 0; i < count && !plain.empty(); ++i) {
    if (shm::plain_expression(site.fields[i].name) != plain) continue;
    if (found != kNoPlace) return kNoPlace;
    found = static_cast<FieldPlace>(i);
  }
  return found;
}

}  // namespace

FieldPlace find_field(const Site& site, std::string_view name) {
  const std::size_t count = std::min<std::size_t>(site.fields.size(), 256);
  for (std::size_t i = 0; i < count; ++i) {
    if (site.fields[i].name == name) return static_cast<FieldPlace>(i);
  }
  if (name.size() < 2 || name.front() != '#') return find_plain_field(site, name, count);
  std::size_t number = 0;
  const char* const end = name.data() + name.size();
  const auto [at, failure] = std::from_chars(name.data() + 1, end, number);
  const bool known = failure == std::errc() && at == end && number >= 1 && number <= count;
  return known ? static_cast<FieldPlace>(number - 1) : kNoPlace;
}

FieldPlace find_context_field(const Site& context, std::string_view name) {
  return name.starts_with('#') ? kNoPlace : find_field(context, name);
}

std::optional<std::vector<FieldPlace>> bind_fields(const Site& site, std::string_view service,
                                                   std::span<const FieldDemand> demands,
                                                   QueryError* error) {
  std::vector<FieldPlace> places;
  for (const FieldDemand& demand : demands) {
    FieldPlace place = find_field(site, demand.name);
    if (place == kNoPlace && demand.in_context) place = kInContext;
    if (place == kNoPlace && !demand.optional) {
      if (error != nullptr) *error = missing(site, service, demand);
      return std::nullopt;
    }
    if (place < kInContext && demand.takes != nullptr) {
      const shm::FieldType type = full_type(site.fields[place]);
      if (!demand.takes(type)) {
        if (error != nullptr) *error = mismatch(site, service, demand, type);
        return std::nullopt;
      }
    }
    places.push_back(place);
  }
  return places;
}

void SiteBindings::add(const Site& site, std::vector<FieldPlace> places,
                       std::vector<std::uint16_t> also, SiteChoice& choice) {
  for (const FieldPlace place : places) {
    if (place < kInContext) also.push_back(static_cast<std::uint16_t>(place));
  }
  choice.add(site, also);
  add(site, std::move(places));
}

void SiteBindings::add(const Site& site, std::vector<FieldPlace> places) {
  if (site.id >= by_id_.size()) by_id_.resize(std::size_t{site.id} + 1);
  by_id_[site.id] = std::make_unique<const std::vector<FieldPlace>>(std::move(places));
}

void SiteBindings::add_context(const Site& site, std::span<const FieldDemand> demands) {
  std::vector<FieldPlace> places;
  for (const FieldDemand& demand : demands) {
    places.push_back(demand.in_context ? find_context_field(site, demand.name) : kNoPlace);
  }
  add(site, std::move(places));
}

const Value* RecordInfo::value_in_context(std::size_t index) const {
  if (places[index] == kNoPlace || context == nullptr || contexts == nullptr) return nullptr;
  const std::vector<FieldPlace>* const there = contexts->find(context->site->id);
  const FieldPlace place = there == nullptr ? kNoPlace : (*there)[index];
  return place < context->args.size() ? &context->args[place] : nullptr;
}

}  // namespace ringside::trace::query
