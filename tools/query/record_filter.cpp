#include "tools/query/record_filter.hpp"

#include "trace-format/codec/site_table.hpp"

namespace ringside::tool {

void RecordFilter::add_fields(const trace::Site& site, std::vector<std::uint16_t>& fields) {
  const EventFilter::SiteDecision decision = filter_.decide(site);
  // A message may use all of them.
  const std::size_t count = decision.message ? site.fields.size() : 0;
  for (std::size_t i = 0; i < count; ++i) fields.push_back(static_cast<std::uint16_t>(i));
  if (!decision.where) {
    // A record in a context may be wanted: then the condition uses whatever the site has.
    for (std::size_t i = count; i < site.fields.size(); ++i) {
      fields.push_back(static_cast<std::uint16_t>(i));
    }
    return;
  }
  for (const std::size_t field : decision.where->fields()) {
    fields.push_back(static_cast<std::uint16_t>(field));
  }
}

bool RecordFilter::wanted(const trace::Event& event) {
  if (event.kind != trace::EventKind::kRecord || !filter_.looks_at_records()) return true;
  const trace::RecordContext* const context = event.record.context;
  const Key key{event.record.site, context != nullptr ? context->site : nullptr, event.section};
  if (last_site_ == nullptr || last_ != key) {
    if (sites_.size() >= kMostSites) sites_.clear();
    const auto [it, is_new] = sites_.try_emplace(key);
    if (is_new) it->second = filter_.decide(*key.site, key.context);
    last_ = key;
    last_site_ = &it->second;
  }
  const EventFilter::SiteDecision& decision = *last_site_;
  if (!decision.wanted) return false;
  if (decision.literal && !decision.literal->matches(event.record.args, text_)) return false;
  const bool by_expression = !decision.grep_decided && !decision.literal;
  const bool by_message = decision.where && filter_.where_uses_message();
  if (!by_expression && !decision.where) return true;
  text_.clear();
  if (decision.message && (by_expression || by_message))
    decision.message->append(text_, event.record.args);
  if (by_expression && !filter_.grep_finds(text_.text())) return false;
  return !decision.where || decision.where->matches(event, text_.text());
}

}  // namespace ringside::tool
