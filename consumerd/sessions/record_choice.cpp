#include "consumerd/sessions/record_choice.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

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
  if (!spec_.wants(site)) return;
  auto choice = std::make_unique<SiteChoice>();
  if (spec_.condition != nullptr) {
    std::string misfit;
    choice->condition = trace::WhereCondition::of_site(*spec_.condition, site, &misfit);
    if (!misfit.empty()) {
      log_.detail("session " + spec_.name + " leaves out " +
                  std::string(trace::without_folders(site.file)) + ":" + std::to_string(site.line) +
                  " of " + segment_.service + ": " + misfit);
    }
    if (!choice->condition) return;
    if (spec_.condition->uses_message) choice->message.emplace(site);
  }
  sites_.resize(std::max<std::size_t>(sites_.size(), std::size_t{site.id} + 1));
  sites_[site.id] = std::move(choice);
}

bool RecordChoice::wants(const trace::RingRecordView& record, const RingOwner& owner) {
  if (!wants_site(record.site->id)) return false;
  const SiteChoice& choice = *sites_[record.site->id];
  if (!choice.condition) return true;
  if (!trace::decode_ring_arguments(*record.site, record.arguments, &values_)) return false;
  event_.record.site = record.site;
  event_.record.args = values_;
  static_cast<trace::RecordExtension&>(event_.record) = trace::ring_extension(record);
  stream_.thread_id = owner.thread_id;
  stream_.thread_name =
      std::string_view(owner.thread_name, strnlen(owner.thread_name, sizeof owner.thread_name));
  text_.clear();
  if (choice.message) choice.message->append(text_, values_);
  return choice.condition->matches(event_, text_.text());
}

}  // namespace ringside::consumer
