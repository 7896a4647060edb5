#include "tools/query/event_filter.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/query/record_filter.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/condition/field_name.hpp"
#include "trace-format/condition/glob.hpp"
#include "trace-format/condition/level_name.hpp"
#include "trace-format/condition/statement_pattern.hpp"

namespace ringside::tool {

std::unique_ptr<EventFilter> EventFilter::make(const FilterOptions& options, std::uint64_t now_ns,
                                               bool utc, std::string* why) {
  std::unique_ptr<EventFilter> filter(new EventFilter);
  filter->options_ = options;
  std::string fault;
  const auto refuse = [&](std::string_view option) {
    *why = fmt::format("{}: {}", option, fault);
    return nullptr;
  };
  trace::ReadOptions& times = filter->times_;
  if (!options.since.empty()) {
    const auto since = parse_time(options.since, now_ns, utc, &fault);
    if (!since) return refuse("--since");
    times.since_ns = *since;
  }
  if (!options.until.empty()) {
    const auto until = parse_time(options.until, now_ns, utc, &fault);
    if (!until) return refuse("--until");
    times.until_ns = *until;
  }
  if (!options.since.empty() && !options.until.empty() && times.since_ns >= times.until_ns) {
    fault = fmt::format("'{}' must be before --until '{}'", options.since, options.until);
    return refuse("--since");
  }
  if (!options.level.empty()) {
    std::string_view name = options.level;
    if (name.ends_with('+')) name.remove_suffix(1);
    const auto level = trace::level_of_name(name);
    fault = fmt::format("invalid level '{}'; use one of {}", name, trace::level_names());
    if (!level) return refuse("--level");
    filter->least_level_ = *level;
  }
  if (!options.grep.empty()) {
    filter->grep_.emplace();
    if (!filter->grep_->parse(options.grep, &fault)) return refuse("--grep");
  }
  if (!options.where.empty()) {
    filter->where_ = trace::parse_where(options.where, &fault);
    if (!filter->where_) return refuse("--where");
    fault = trace::WhereCondition::fault(*filter->where_);
    if (!fault.empty()) return refuse("--where");
  }
  return filter;
}

trace::ReadOptions EventFilter::read_options() const {
  trace::ReadOptions options = times_;
  options.losses = !options_.no_losses;
  const bool by_site = least_level_ != shm::Level::kNone || !options_.categories.empty() ||
                       !options_.sites.empty() || grep_ || where_;
  if (by_site) {
    options.site = [this](const trace::Site& site, const trace::SegmentInfo&) {
      return wants_site(site);
    };
  }
  if (grep_ && !grep_->literal().empty()) {
    options.text = grep_->literal();
    options.needs_text = [this](const trace::Site& site) { return decide(site).needs_text; };
  }
  if (!options_.threads.empty() || !options_.services.empty()) {
    options.stream = [this](const trace::StreamInfo& stream, const trace::SegmentInfo& segment) {
      return wants_stream(stream, segment);
    };
  }
  return options;
}

trace::query::Scope EventFilter::scope() const {
  trace::query::Scope scope;
  scope.reading = read_options();
  // Sites of other services do not belong to the question.
  scope.reading.site = [this](const trace::Site& site, const trace::SegmentInfo& segment) {
    return wants_service(segment) && wants_site(site);
  };
  if (looks_at_records()) {
    scope.record_test = [this] { return std::make_unique<RecordFilter>(*this); };
  }
  return scope;
}

bool EventFilter::wants_service(const trace::SegmentInfo& segment) const {
  return options_.services.empty() ||
         trace::any_service_glob_fits(options_.services, segment.service);
}

bool EventFilter::wants_site(const trace::Site& site) const {
  if (site.kind == shm::SiteKind::kContext) {
    note_context(site);
    return false;  // its records are not shown: those after them show the context
  }
  if (site.level < least_level_) return false;
  if (!options_.categories.empty() && !trace::any_glob_fits(options_.categories, {site.category})) {
    return false;
  }
  const auto fits = [&](const std::string& glob) {
    return trace::site_glob_fits(glob, trace::StatementView::of(site));
  };
  if (!options_.sites.empty() && std::none_of(options_.sites.begin(), options_.sites.end(), fits)) {
    return false;
  }
  return !looks_at_records() || decide(site).wanted || may_be_decided_by_context(site);
}

void EventFilter::note_context(const trace::Site& context) const {
  if (!where_) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const trace::Field& field : context.fields) context_fields_.insert(field.name);
}

// Whether contexts have all fields of --where that the site lacks, of which there is one.
bool EventFilter::may_be_decided_by_context(const trace::Site& site) const {
  if (!where_) return false;
  const std::lock_guard<std::mutex> lock(mutex_);
  bool lacks_one = false;
  for (const std::string& name : where_->field_names) {
    if (trace::find_field(site, name)) continue;
    lacks_one = true;
    if (!context_fields_.contains(name)) return false;
  }
  return lacks_one;
}

bool EventFilter::wants_stream(const trace::StreamInfo& stream,
                               const trace::SegmentInfo& segment) const {
  return wants_service(segment) &&
         (options_.threads.empty() || any_thread_glob_fits(options_.threads, stream));
}

bool any_thread_glob_fits(const std::vector<std::string>& globs, const trace::StreamInfo& stream) {
  const std::string id = std::to_string(stream.thread_id);
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& one) {
    return one == id || trace::glob_fits(one, stream.thread_name);
  });
}

std::vector<std::string> EventFilter::where_fields() const {
  return where_ ? where_->field_names : std::vector<std::string>();
}

std::vector<std::string> EventFilter::where_properties() const {
  return where_ ? where_->plain_names : std::vector<std::string>();
}

std::optional<trace::WhereCondition> EventFilter::condition_of(const trace::Site& site,
                                                               const trace::Site* context) const {
  std::string misfit;
  auto condition = trace::WhereCondition::of_site(*where_, site, &misfit, context);
  if (!misfit.empty()) {
    const std::lock_guard<std::mutex> lock(mutex_);
    notes_.insert(fmt::format("--where: {}:{} \"{}\" never matches: {}", site.file, site.line,
                              site.format, misfit));
  }
  return condition;
}

EventFilter::SiteDecision EventFilter::decide(const trace::Site& site,
                                              const trace::Site* context) const {
  SiteDecision decision;
  if (where_) {
    decision.where = condition_of(site, context);
    decision.wanted = decision.where.has_value();
  }
  decision.grep_decided = !grep_;
  if (!decision.wanted || (!grep_ && !where_->uses_message)) return decision;
  decision.message.emplace(site);
  if (!grep_) return decision;
  if (!decision.message->is_fixed()) {
    if (!grep_->literal().empty()) decide_literal(site, decision);
    return decision;
  }
  trace::TextSink text;
  decision.message->append(text, {});
  decision.grep_decided = true;
  decision.wanted = grep_->matches(text.text());
  return decision;
}

// For a message that has values.
void EventFilter::decide_literal(const trace::Site& site, SiteDecision& decision) const {
  using Answer = trace::MessageLiteral::Answer;
  const std::string& literal = grep_->literal();
  decision.literal.emplace(decision.message->format(), literal);
  const Answer answer = decision.literal->answer();
  decision.wanted = answer != Answer::kNever;
  decision.grep_decided = answer == Answer::kAlways || answer == Answer::kNever;
  if (decision.grep_decided) decision.literal.reset();
  // The values of constants are not in the extents.
  decision.needs_text = answer == Answer::kByTexts &&
                        std::none_of(site.fields.begin(), site.fields.end(),
                                     [](const trace::Field& field) { return field.is_constant(); });
}

std::vector<std::string> EventFilter::notes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return {notes_.begin(), notes_.end()};
}

}  // namespace ringside::tool
