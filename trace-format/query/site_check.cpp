#include "trace-format/query/site_check.hpp"

#include <algorithm>
#include <utility>

#include "trace-format/reader/site_scan.hpp"
#include "trace-format/reader/trace_paths.hpp"

namespace ringside::trace::query {
namespace {

bool same(const Site& a, const Site& b) {
  const auto same_field = [](const Field& x, const Field& y) {
    return x.type == y.type && x.is_array == y.is_array && x.name == y.name;
  };
  return a.line == b.line && a.file == b.file && a.name == b.name && a.format == b.format &&
         a.category == b.category && a.kind == b.kind &&
         std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(), same_field);
}

// Without pointers to the dictionary.
Site detached(const Site& site) {
  Site copy;
  copy.id = site.id;
  copy.line = site.line;
  copy.keywords = site.keywords;
  copy.kind = site.kind;
  copy.level = site.level;
  copy.name = site.name;
  copy.category = site.category;
  copy.format = site.format;
  copy.file = site.file;
  copy.function = site.function;
  copy.fields = site.fields;
  for (Field& field : copy.fields) field.enum_table = nullptr;
  return copy;
}

QueryError no_site(const SiteSelector& selector, std::size_t known,
                   const std::vector<std::string>& examples) {
  QueryError error;
  error.what = "no site matches " + selector.description() + " among " + std::to_string(known) +
               " in the dictionaries";
  for (const std::string& example : examples) {
    error.remedy += (error.remedy.empty() ? "sites of the files, for example: " : ", ") + example;
  }
  if (error.remedy.empty()) error.remedy = "the files contain no sites";
  return error;
}

void add_context(const Site& site, const std::string& service, std::span<const FieldDemand> demands,
                 SiteCheck& check) {
  const bool is_asked = std::any_of(demands.begin(), demands.end(), [&](const FieldDemand& one) {
    return one.in_context && find_context_field(site, one.name) != kNoPlace;
  });
  const bool seen = std::any_of(
      check.contexts.begin(), check.contexts.end(),
      [&](const MatchedSite& known) { return known.service == service && same(known.site, site); });
  if (is_asked && !seen) check.contexts.push_back({detached(site), service});
}

// Fields that selected sites lack must be those of a context, with a type that the query takes.
void check_contexts(std::span<const FieldDemand> demands, SiteCheck& check) {
  for (FieldDemand demand : demands) {
    if (!demand.in_context || demand.optional) continue;
    demand.in_context = false;
    const auto lacking = std::find_if(
        check.matched.begin(), check.matched.end(),
        [&](const MatchedSite& one) { return find_field(one.site, demand.name) == kNoPlace; });
    if (lacking == check.matched.end()) continue;
    bool is_known = false;
    for (const MatchedSite& context : check.contexts) {
      if (find_context_field(context.site, demand.name) == kNoPlace) continue;
      is_known = true;
      QueryError error;
      if (bind_fields(context.site, context.service, {&demand, 1}, &error)) continue;
      check.error = std::move(error);
      return;
    }
    if (is_known) continue;
    check.error.emplace();
    bind_fields(lacking->site, lacking->service, {&demand, 1}, &*check.error);
    return;
  }
}

QueryError none_wanted(const SiteSelector& selector) {
  QueryError error;
  error.what = "the filters exclude every site that matches " + selector.description();
  error.remedy = "relax the filters, or select other sites";
  return error;
}

}  // namespace

std::optional<std::vector<std::string>> files_of(std::span<const std::string> paths,
                                                 ReadError* error) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!expand_trace_path(path, files, error)) return std::nullopt;
  }
  if (files.empty()) {
    if (error != nullptr) {
      *error = {paths.empty() ? std::string() : paths.front(), 0, "no trace files found",
                "name trace files or directories that contain them"};
    }
    return std::nullopt;
  }
  return files;
}

SiteCheck check_sites(std::span<const std::string> files, const SiteSelector& selector,
                      std::span<const FieldDemand> demands, const Scope& scope) {
  constexpr std::size_t kExamples = 5;
  SiteCheck check;
  std::size_t known = 0;
  bool left_out = false;
  std::vector<std::string> examples;
  for (const std::string& file : files) {
    ReadError error;
    std::optional<SiteScan> scan = SiteScan::open(file, &error);
    if (!scan) {
      check.unreadable = std::move(error);
      return check;
    }
    // First, because a filter decides by them about sites that can come before them.
    scan->for_each_site([&](const Site& site) {
      if (site.kind != shm::SiteKind::kContext) return;
      scope.wants_site(site, scan->segment());
      add_context(site, scan->segment().service, demands, check);
    });
    scan->for_each_site([&](const Site& site) {
      if (site.kind == shm::SiteKind::kContext) return;
      ++known;
      if (!selector.matches(site)) {
        if (examples.size() < kExamples) examples.push_back(site_label(site));
        return;
      }
      if (!scope.wants_site(site, scan->segment())) {
        left_out = true;
        return;
      }
      const std::string& service = scan->segment().service;
      QueryError mismatch;
      if (!check.error && !bind_fields(site, service, demands, &mismatch)) {
        check.error = std::move(mismatch);
      }
      const bool seen =
          std::any_of(check.matched.begin(), check.matched.end(), [&](const MatchedSite& matched) {
            return matched.service == service && same(matched.site, site);
          });
      if (!seen) check.matched.push_back({detached(site), service});
    });
  }
  if (!check.error) check_contexts(demands, check);
  if (check.matched.empty()) {
    check.error = left_out ? none_wanted(selector) : no_site(selector, known, examples);
  }
  return check;
}

}  // namespace ringside::trace::query
