#include "tools/interop/fields_of_context.hpp"

#include <utility>

namespace ringside::tool {
namespace {

std::unique_ptr<trace::Site> joined_site(const trace::Site& site, const trace::Site& context,
                                         std::uint32_t id) {
  auto joined = std::make_unique<trace::Site>(site);
  joined->id = id;
  for (std::size_t i = 0; i < context.fields.size(); ++i) {
    trace::Field field = context.fields[i];
    field.name = "context." + field.name;
    field.flags &= static_cast<std::uint8_t>(~shm::kFieldFormatArg);  // no part of the message
    joined->fields.push_back(std::move(field));
    joined->initial_values.push_back(context.initial_values[i]);
  }
  return joined;
}

}  // namespace

const trace::Event& FieldsOfContext::joined(const trace::Event& event) {
  const trace::RecordContext& context = *event.record.context;
  const Key key{event.section, event.record.site->id, context.site->id};
  if (sites_.size() >= kMost) sites_.clear();
  std::unique_ptr<trace::Site>& site = sites_[key];
  // Writers remember statements by number: each has another one, even those that are joined again.
  if (site == nullptr) site = joined_site(*event.record.site, *context.site, next_id_--);
  values_.assign(event.record.args.begin(), event.record.args.end());
  values_.insert(values_.end(), context.args.begin(), context.args.end());
  event_ = event;
  event_.record.site = site.get();
  event_.record.args = values_;
  return event_;
}

}  // namespace ringside::tool
