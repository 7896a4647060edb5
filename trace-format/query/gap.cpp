#include "trace-format/query/gap.hpp"

#include <map>
#include <utility>

#include "trace-format/query/field_binding.hpp"
#include "trace-format/query/group_key.hpp"
#include "trace-format/reader/trace_set.hpp"

namespace ringside::trace::query {
namespace {

std::vector<FieldDemand> demands_of(const std::vector<std::string>& names, bool optional = false) {
  std::vector<FieldDemand> demands;
  demands.reserve(names.size());
  for (const std::string& name : names) demands.push_back({name, nullptr, {}, optional, true});
  return demands;
}

// The role of a site in the query.
struct Role {
  std::optional<std::vector<FieldPlace>> from;
  std::optional<std::vector<FieldPlace>> to;
};

// The sites of each section, by the section's index and the site's id.
class Roles {
 public:
  Roles(const GapQuery& query, const std::vector<FieldDemand>& from,
        const std::vector<FieldDemand>& to)
      : query_(query), from_(from), to_(to) {}

  const Role& of(const Event& event) {
    const Site& site = *event.record.site;
    const auto [at, is_new] = roles_.try_emplace(std::pair(event.section, site.id));
    Role& role = at->second;
    if (is_new) {
      if (query_.from.matches(site)) role.from = bind_fields(site, {}, from_, nullptr);
      if (query_.to.matches(site)) role.to = bind_fields(site, {}, to_, nullptr);
    }
    return role;
  }

  // What a query reads of a record in a role.
  RecordInfo from_info(const Event& event, const Role& role) {
    return info_of(event, *role.from, from_, from_contexts_[event.section]);
  }
  RecordInfo to_info(const Event& event, const Role& role) {
    return info_of(event, *role.to, to_, to_contexts_[event.section]);
  }

 private:
  static RecordInfo info_of(const Event& event, const std::vector<FieldPlace>& places,
                            const std::vector<FieldDemand>& demands, SiteBindings& contexts) {
    const Record& record = event.record;
    if (record.context != nullptr && contexts.find(record.context->site->id) == nullptr) {
      contexts.add_context(*record.context->site, demands);
    }
    return {event.unix_ns,      record.tsc,        record.sequence, record.site,
            event.stream,       event.segment,     &record,         record.processor,
            record.args.data(), std::span(places), record.context,  &contexts};
  }

  const GapQuery& query_;
  const std::vector<FieldDemand>& from_;
  const std::vector<FieldDemand>& to_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Role> roles_;
  std::map<std::uint32_t, SiteBindings> from_contexts_;  // by section
  std::map<std::uint32_t, SiteBindings> to_contexts_;
};

// Whether the record has the fields that join: a field of a context may be absent.
bool has_fields(const RecordInfo& info, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (info.value(i) == nullptr) return false;
  }
  return true;
}

void run(TraceSet& set, const GapQuery& query, Roles& roles, GapCounts& counts,
         const std::function<void(const Gap&)>& visit) {
  std::vector<KeyPart> parts;
  if (!query.across_processes) parts.push_back({KeyPartKind::kProcess, 0, 1});
  for (std::size_t i = 0; i < query.by.size(); ++i) parts.push_back({KeyPartKind::kField, i, 1});
  OpenBegins begins(query.most_open);
  std::string key;
  const std::unique_ptr<RecordTest> test =
      query.scope.record_test ? query.scope.record_test() : nullptr;
  Event event;
  while (set.next(event)) {
    if (event.kind != EventKind::kRecord || event.record.site == nullptr) continue;
    if (test != nullptr && !test->wanted(event)) continue;
    const Role& role = roles.of(event);
    if (role.to) {
      const RecordInfo info = roles.to_info(event, role);
      key.clear();
      append_key(key, parts, info);
      const std::optional<std::uint64_t> began =
          has_fields(info, query.by.size()) ? begins.end(key, counts) : std::nullopt;
      if (began) {
        // A late record may be older than its beginning.
        visit({event.unix_ns < *began ? 0 : event.unix_ns - *began, &info});
      } else if (!role.from) {
        ++counts.unmatched_ends;
      }
    }
    if (role.from) {
      const RecordInfo info = roles.from_info(event, role);
      if (!has_fields(info, query.by.size())) {
        ++counts.unmatched_begins;
        continue;
      }
      key.clear();
      append_key(key, parts, info);
      begins.begin(key, event.unix_ns, counts);
    }
  }
  counts.unmatched_begins += begins.size();
}

}  // namespace

void OpenBegins::begin(const std::string& key, std::uint64_t unix_ns, GapCounts& counts) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    ++counts.restarted;
    ++counts.unmatched_begins;
    const auto begin = found->second;
    begin->unix_ns = unix_ns;
    by_age_.splice(by_age_.end(), by_age_, begin);
    return;
  }
  if (by_key_.size() >= most_) {
    ++counts.evicted;
    ++counts.unmatched_begins;
    if (by_age_.empty()) return;
    by_key_.erase(by_age_.front().key);
    by_age_.pop_front();
  }
  by_age_.push_back({key, unix_ns});
  by_key_.emplace(by_age_.back().key, std::prev(by_age_.end()));
}

std::optional<std::uint64_t> OpenBegins::end(const std::string& key, GapCounts& counts) {
  const auto found = by_key_.find(key);
  if (found == by_key_.end()) return std::nullopt;
  const auto begin = found->second;
  const std::uint64_t unix_ns = begin->unix_ns;
  by_key_.erase(found);
  by_age_.erase(begin);
  ++counts.matched;
  return unix_ns;
}

std::string GapResult::text() const {
  if (unreadable) return unreadable->text();
  return error ? error->text() : std::string();
}

GapResult visit_gaps(std::span<const std::string> paths, const GapQuery& query,
                     const std::function<void(const Gap&)>& visit) {
  GapResult result;
  const std::vector<std::string>& to_by = query.to_by.empty() ? query.by : query.to_by;
  if (to_by.size() != query.by.size()) {
    result.error = QueryError{};
    result.error->what = "the gap joins " + std::to_string(query.by.size()) +
                         " fields of the first sites with " + std::to_string(to_by.size()) +
                         " of the second";
    result.error->remedy = "name the same number of fields for both";
    return result;
  }
  ReadError error;
  const std::optional<std::vector<std::string>> files = files_of(paths, &error);
  if (!files) {
    result.unreadable = std::move(error);
    return result;
  }
  const std::vector<FieldDemand> from = demands_of(query.by);
  std::vector<FieldDemand> to = demands_of(to_by);
  for (FieldDemand& demand : demands_of(query.to_fields)) to.push_back(std::move(demand));
  for (FieldDemand& demand : demands_of(query.to_optional, true)) to.push_back(std::move(demand));
  SiteCheck first = check_sites(*files, query.from, from, query.scope);
  result.from = std::move(first.matched);
  SiteCheck second = check_sites(*files, query.to, to, query.scope);
  result.to = std::move(second.matched);
  result.unreadable = std::move(first.unreadable);
  result.error = first.error ? std::move(first.error) : std::move(second.error);
  if (!result.ok()) return result;

  ReadOptions options = query.scope.reading;
  options.site = [&query](const Site& site, const SegmentInfo& segment) {
    if (site.kind == shm::SiteKind::kContext) {
      query.scope.wants_site(site, segment);  // a filter has to know it
      return false;
    }
    return (query.from.matches(site) || query.to.matches(site)) &&
           query.scope.wants_site(site, segment);
  };
  options.losses = false;
  options.threads = query.threads;
  std::optional<TraceSet> set = TraceSet::open(paths, options, &error);
  if (!set) {
    result.unreadable = std::move(error);
    return result;
  }
  Roles roles(query, from, to);
  run(*set, query, roles, result.counts, visit);
  result.report = set->report();
  return result;
}

}  // namespace ringside::trace::query
