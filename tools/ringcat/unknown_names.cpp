#include "tools/ringcat/unknown_names.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "tools/query/event_filter.hpp"
#include "tools/query/standard_streams.hpp"
#include "trace-format/condition/field_name.hpp"
#include "trace-format/condition/glob.hpp"
#include "trace-format/condition/statement_pattern.hpp"
#include "trace-format/query/site_check.hpp"
#include "trace-format/reader/site_scan.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostExamples = 5;

// The names of one kind in the traces, and whether the question uses that kind.
struct NamesOfAKind {
  bool found = false;
  std::set<std::string> examples;

  void add(const std::string& example, bool matches) {
    found = found || matches;
    if (examples.size() < kMostExamples && !example.empty()) examples.insert(example);
  }
};

std::string example_list(const std::set<std::string>& examples) {
  std::string list;
  for (const std::string& example : examples) {
    list += (list.empty() ? "the trace has, for example: " : ", ") + example;
  }
  return list.empty() ? "the trace has none" : list;
}

class TraceNames {
 public:
  explicit TraceNames(const AskedNames& asked) : asked_(asked) {
    unknown_fields_.insert(asked.fields.begin(), asked.fields.end());
    unknown_fields_.insert(asked.columns.begin(), asked.columns.end());
  }

  bool read(const std::string& path) {
    trace::ReadError error;
    auto scan = trace::SiteScan::open(path, &error);
    if (!scan) return false;
    scan->for_each_site([&](const trace::Site& site) {
      any_site_ = true;
      add_service(scan->segment().service);
      add_site(site);
    });
    scan->for_each_stream([&](const trace::StreamInfo& stream) {
      any_stream_ = true;
      add_service(scan->segment().service);
      const bool matches = any_thread_glob_fits(asked_.filter.threads, stream);
      threads_.add(
          stream.thread_name.empty() ? std::to_string(stream.thread_id) : stream.thread_name,
          matches);
    });
    return true;
  }

  std::vector<std::string> complaints() const {
    std::vector<std::string> found;
    const auto check = [&](bool known, const char* option, const std::vector<std::string>& globs,
                           const NamesOfAKind& names, const char* what) {
      if (!known || globs.empty() || names.found) return;
      found.push_back(fmt::format("{} {}: {} in the trace; {}", option, fmt::join(globs, ", "),
                                  what, example_list(names.examples)));
    };
    const FilterOptions& filter = asked_.filter;
    check(any_site_ || any_stream_, "--service", filter.services, services_, "no such service");
    check(any_stream_, "--thread", filter.threads, threads_, "no such thread");
    check(any_site_, "--category", filter.categories, categories_, "no such category");
    check(any_site_, "--site", filter.sites, sites_, "no such statement");
    if (!any_site_) return found;
    const auto check_fields = [&](const char* option, const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        if (!unknown_fields_.contains(name)) continue;
        found.push_back(fmt::format("{}: no statement in the trace has a field {}; {}", option,
                                    name, example_list(field_examples_)));
      }
    };
    check_fields("--where", asked_.fields);
    check_fields("--columns or --template", asked_.columns);
    return found;
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> found;
    for (const std::string& name : ambiguous_) {
      found.push_back(fmt::format(
          "--where: {0} is the property of records, and some statements have a field of "
          "that name; write `{0}` for the field, or @{0} for the property",
          name));
    }
    return found;
  }

 private:
  void add_service(const std::string& service) {
    services_.add(service, trace::any_service_glob_fits(asked_.filter.services, service));
  }

  void add_site(const trace::Site& site) {
    categories_.add(site.category, trace::any_glob_fits(asked_.filter.categories, {site.category}));
    const trace::StatementView view = trace::StatementView::of(site);
    const auto matches = [&](const std::string& glob) { return trace::site_glob_fits(glob, view); };
    sites_.add(trace::query::site_label(site),
               std::any_of(asked_.filter.sites.begin(), asked_.filter.sites.end(), matches));
    std::erase_if(unknown_fields_,
                  [&](const std::string& name) { return trace::has_field(site, name); });
    for (const std::string& name : asked_.properties) {
      const auto has_name = [&](const trace::Field& field) { return field.name == name; };
      if (std::any_of(site.fields.begin(), site.fields.end(), has_name)) ambiguous_.insert(name);
    }
    for (const trace::Field& field : site.fields) {
      if (field_examples_.size() >= kMostExamples) break;
      if (!field.name.empty()) field_examples_.insert(field.name);
    }
  }

  const AskedNames& asked_;
  NamesOfAKind services_;
  NamesOfAKind threads_;
  NamesOfAKind categories_;
  NamesOfAKind sites_;
  std::set<std::string> unknown_fields_;
  std::set<std::string> field_examples_;
  std::set<std::string> ambiguous_;
  bool any_site_ = false;
  bool any_stream_ = false;
};

}  // namespace

NameFindings find_unknown_names(const std::vector<std::string>& paths, const AskedNames& asked) {
  const FilterOptions& filter = asked.filter;
  if (filter.services.empty() && filter.threads.empty() && filter.categories.empty() &&
      filter.sites.empty() && asked.fields.empty() && asked.columns.empty() &&
      asked.properties.empty()) {
    return {};
  }
  trace::ReadError error;
  const auto files = trace::query::files_of(paths, &error);
  if (!files) return {};
  TraceNames names(asked);
  for (const std::string& file : *files) {
    // The name may be in the file that cannot be read.
    if (!names.read(file)) return {};
  }
  return {names.complaints(), names.notes()};
}

bool complain_of_unknown_names(const std::vector<std::string>& paths, const AskedNames& asked) {
  const NameFindings names = find_unknown_names(paths, asked);
  for (const std::string& note : names.notes) complain(note);
  for (const std::string& what : names.unknown) complain(what);
  return !names.unknown.empty();
}

void say_that_names_are_awaited(const std::vector<std::string>& paths, const AskedNames& asked) {
  const NameFindings names = find_unknown_names(paths, asked);
  for (const std::string& note : names.notes) complain(note);
  for (const std::string& what : names.unknown) {
    complain(what + "; waiting for records that have it");
  }
}

}  // namespace ringside::tool
