#include "consumerd/sessions/record_choice.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "trace-format/codec/context_task.hpp"
#include "trace-format/codec/ring_arguments.hpp"

namespace ringside::consumer {

RecordChoice::RecordChoice(const SessionSpec& spec, const std::string& service, std::uint32_t pid,
                           std::uint64_t tick_hz, const Log& log)
    : spec_(spec), log_(log) {
  segment_.service = service;
  segment_.pid = pid;
  segment_.tick_hz = tick_hz;
  event_.segment = &segment_;
  event_.stream = &stream_;
}

void RecordChoice::follow(const trace::SiteTable& sites) {
  for (; considered_ < sites.size(); ++considered_) consider(sites.defined(considered_));
}

void RecordChoice::consider(const trace::Site& site) {
  const trace::WhereExpression* const expression = spec_.condition.get();
  // The chosen records need the contexts between them.
  const bool is_context = site.kind == shm::SiteKind::kContext;
  if (!is_context && !spec_.wants(site)) return;
  auto choice = std::make_unique<SiteChoice>();
  if (is_context && expression != nullptr) {
    trace::add_named_fields(*expression, site, context_fields_);
  } else if (expression != nullptr) {
    std::string misfit;
    choice->condition.emplace(*expression, site, &misfit);
    log_misfit(site, misfit);
    if (!choice->condition->can_match_in_some()) return;
    if (expression->uses_message) choice->message.emplace(site);
  }
  sites_.resize(std::max<std::size_t>(sites_.size(), std::size_t{site.id} + 1));
  sites_[site.id] = std::move(choice);
}

void RecordChoice::log_misfit(const trace::Site& site, const std::string& misfit) const {
  if (misfit.empty()) return;
  log_.detail("session " + spec_.name + " leaves out " +
              std::string(trace::without_folders(site.file)) + ":" + std::to_string(site.line) +
              " of " + segment_.service + ": " + misfit);
}

bool RecordChoice::wants(const trace::SiteTable& sites, const trace::RingRecordView& record,
                         const RecordPlace& place) {
  if (!may_want(record.site->id)) return false;
  SiteChoice& choice = *sites_[record.site->id];
  if (!choice.condition) return true;
  // Also without a field of it: a task's number is the substream of its records.
  const trace::RecordContext* const context = place.context.decoded(sites);
  std::string misfit;
  const trace::WhereCondition* const condition =
      choice.condition->in(context == nullptr ? nullptr : context->site, &misfit);
  log_misfit(*record.site, misfit);
  if (condition == nullptr) return false;
  if (!trace::decode_ring_arguments(*record.site, record.arguments, &values_)) return false;
  event_.record.site = record.site;
  event_.record.args = values_;
  static_cast<trace::RecordExtension&>(event_.record) = trace::ring_extension(record);
  if (context != nullptr) trace::add_task(*context, event_.record);
  event_.record.context = context;
  event_.record.processor = place.processor;
  const RingOwner& owner = place.owner;
  stream_.thread_id = owner.thread_id;
  stream_.thread_name =
      std::string_view(owner.thread_name, strnlen(owner.thread_name, sizeof owner.thread_name));
  text_.clear();
  if (choice.message) choice.message->append(text_, values_);
  return condition->matches(event_, text_.text());
}

}  // namespace ringside::consumer
