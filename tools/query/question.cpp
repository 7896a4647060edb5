#include "tools/query/question.hpp"

#include <algorithm>
#include <map>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "tools/query/exit_codes.hpp"
#include "tools/query/own_number.hpp"
#include "tools/query/span_questions.hpp"
#include "tools/query/standard_streams.hpp"
#include "tools/text/duration.hpp"
#include "tools/text/help_format.hpp"
#include "tools/text/time_argument.hpp"
#include "trace-format/query/field_reader.hpp"
#include "trace-format/query/site_check.hpp"
#include "trace-format/reader/record_property.hpp"

namespace ringside::tool {
namespace {

using trace::query::FieldDemand;
using trace::query::KeyPart;
using trace::query::KeyPartKind;
using trace::query::SiteSelector;

struct NamedPart {
  std::string_view name;
  KeyPartKind kind;
};

constexpr NamedPart kParts[] = {
    {"@thread", KeyPartKind::kThread},   {"@service", KeyPartKind::kService},
    {"@process", KeyPartKind::kProcess}, {"@site", KeyPartKind::kSite},
    {"@level", KeyPartKind::kLevel},     {"@category", KeyPartKind::kCategory},
};

constexpr std::string_view kNoOwnNumber =
    "a number is required unless SITE selects only histograms, or only spans; give --field FIELD, "
    "--field @duration_ns or --gap SITE_A SITE_B";

struct Refusal {
  std::string text;
  int exit_code = kExitUsage;
};

SiteSelector selector_of(const std::string& words) {
  std::string why;
  std::optional<SiteSelector> selector = SiteSelector::parse(words, &why);
  if (!selector) throw Refusal{"SITE: " + why};
  return *selector;
}

// `name` begins with @.
trace::Property property_of_name(const std::string& option, const std::string& name) {
  const trace::PropertyEntry* const entry = trace::find_property(name);
  if (entry == nullptr) {
    throw Refusal{option + " " + name +
                  " is unknown; use the name of a field, @process, or @ and one of " +
                  trace::property_names()};
  }
  return entry->property;
}

// Adds the fields that processors are read from, after all others.
void add_processor(Question& question, std::vector<std::string>& fields, std::size_t before) {
  question.processor_field = before + fields.size();
  for (const std::string_view name : trace::kProcessorFields) fields.emplace_back(name);
  for (KeyPart& part : question.parts) {
    if (part.kind == KeyPartKind::kProperty) part.field = question.processor_field;
  }
}

// Fields for groups are added after those that are read already.
void add_parts(Question& question, const std::string& by, const std::string& interval,
               std::size_t fields_before, std::vector<std::string>& fields) {
  for (std::string& name : split_names(by)) {
    const auto* const special = std::find_if(std::begin(kParts), std::end(kParts),
                                             [&](const NamedPart& p) { return p.name == name; });
    if (special != std::end(kParts)) {
      question.parts.push_back({special->kind, 0, 1, {}});
    } else if (name.starts_with('@')) {
      const trace::Property property = property_of_name("--by", name);
      question.parts.push_back({KeyPartKind::kProperty, 0, 1, property});
    } else {
      question.parts.push_back({KeyPartKind::kField, fields_before + fields.size(), 1, {}});
      fields.push_back(name);
    }
    question.part_names.push_back(std::move(name));
  }
  if (interval.empty()) return;
  const std::optional<std::uint64_t> ns = parse_duration_ns(interval);
  if (!ns || *ns == 0) {
    throw Refusal{"--interval " + interval +
                  " is not a duration; use a number and a unit, such as 250us, 10ms, 1s, 5m, 1h"};
  }
  question.parts.insert(question.parts.begin(), KeyPart{KeyPartKind::kInterval, 0, *ns, {}});
  question.part_names.insert(question.part_names.begin(), "time");
}

// Those of the sites that lack the field are excluded.
NumberKind kind_of(const std::vector<trace::query::MatchedSite>& sites, const std::string& name) {
  const auto all = [&](bool (*takes)(shm::FieldType)) {
    return std::all_of(sites.begin(), sites.end(), [&](const auto& matched) {
      const auto place = trace::query::find_field(matched.site, name);
      return place == trace::query::kNoPlace || takes(matched.site.fields[place].type);
    });
  };
  using trace::query::FieldReader;
  if (all(&FieldReader<std::int64_t>::takes)) return NumberKind::kSigned;
  if (all(&FieldReader<std::uint64_t>::takes)) return NumberKind::kUnsigned;
  return all(&FieldReader<double>::takes) ? NumberKind::kDouble : NumberKind::kMixed;
}

// Returns the statements of contexts that have one of the demanded fields.
std::vector<trace::query::MatchedSite> check(trace::query::SiteCheck check,
                                             std::vector<trace::query::MatchedSite>& sites) {
  if (check.unreadable) throw Refusal{check.unreadable->text(), kExitUnreadable};
  if (check.error) throw Refusal{check.error->text()};
  sites = std::move(check.matched);
  return std::move(check.contexts);
}

// Decides how the number, a field, is read.
void choose_kind(Question& question, std::vector<trace::query::MatchedSite> contexts) {
  const std::string& name = question.number_name;
  question.number_in_contexts =
      std::any_of(question.from.begin(), question.from.end(), [&](const auto& matched) {
        return trace::query::find_field(matched.site, name) == trace::query::kNoPlace;
      });
  std::vector<trace::query::MatchedSite> sites = question.from;
  if (question.number_in_contexts) sites.insert(sites.end(), contexts.begin(), contexts.end());
  question.kind = kind_of(sites, name);
}

// Whether sums and percentiles of the property mean something: not those of a mask.
bool is_number(trace::Property property) {
  const bool has_number = trace::entry_of(property).type == trace::PropertyType::kNumber;
  return has_number && property != trace::Property::kKeywords;
}

std::vector<FieldDemand> present(const std::vector<std::string>& names) {
  std::vector<FieldDemand> demands;
  demands.reserve(names.size());
  for (const std::string& name : names) demands.push_back({name, nullptr, {}, false, true});
  return demands;
}

Question prepare(const QuestionOptions& options, const std::string& by, const std::string& interval,
                 std::shared_ptr<const EventFilter> filter) {
  Question question;
  question.filter = std::move(filter);
  question.threads = options.threads;
  std::vector<std::string> words = options.words;
  const bool is_gap = !options.gap.empty();
  if (!is_gap) {
    if (words.empty()) throw Refusal{"SITE is missing; usage: ringcat agg SITE PATH..."};
    question.sites = selector_of(words.front());
    words.erase(words.begin());
    if (!options.join.empty() || !options.join_to.empty() || options.across) {
      throw Refusal{"--join, --join-to and --across require --gap SITE_A SITE_B"};
    }
  }
  if (words.empty())
    throw Refusal{"PATH is missing; name trace files or directories after the site"};
  question.paths = std::move(words);
  trace::ReadError error;
  const auto files = trace::query::files_of(question.paths, &error);
  if (!files) throw Refusal{error.text(), kExitUnreadable};

  if (is_gap) {
    if (options.join.empty()) {
      throw Refusal{"--gap requires --join FIELD, the field that relates records of the two sites"};
    }
    if (!options.field.empty()) throw Refusal{"--gap and --field exclude each other; omit one"};
    question.source = NumberSource::kGap;
    question.number_name = "gap_ns";
    question.gap.from = selector_of(options.gap[0]);
    question.gap.to = selector_of(options.gap[1]);
    question.gap.by = split_names(options.join);
    question.gap.to_by = split_names(options.join_to.empty() ? options.join : options.join_to);
    if (question.gap.by.size() != question.gap.to_by.size()) {
      throw Refusal{"--join and --join-to must name the same number of fields"};
    }
    question.gap.across_processes = options.across;
    question.gap.scope = question.filter->scope();
    question.gap.threads = options.threads;
    add_parts(question, by, interval, question.gap.to_by.size(), question.gap.to_fields);
    check(trace::query::check_sites(*files, question.gap.from, present(question.gap.by),
                                    question.gap.scope),
          question.from);
    std::vector<std::string> wanted = question.gap.to_by;
    wanted.insert(wanted.end(), question.gap.to_fields.begin(), question.gap.to_fields.end());
    add_processor(question, question.gap.to_optional, wanted.size());
    check(trace::query::check_sites(*files, question.gap.to, present(wanted), question.gap.scope),
          question.to);
    leave_out_span_begins(question.from, question.gap.scope);
    leave_out_span_begins(question.to, question.gap.scope);
    return question;
  }

  question.scope = question.filter->scope();
  std::string field = options.field;
  if (field.empty() && options.evaluates_own_number) {
    check(trace::query::check_sites(*files, question.sites, {}, question.scope), question.from);
    field = own_number(question.from);
    if (field.empty()) throw Refusal{std::string(kNoOwnNumber)};
  }
  std::vector<FieldDemand> demands;
  if (field.starts_with('@')) {
    question.source = NumberSource::kProperty;
    // An older name, from before there were other properties.
    const std::string name = field == "@duration" ? "@duration_ns" : field;
    question.property = property_of_name("--field", name);
    if (!is_number(question.property)) {
      throw Refusal{"--field " + name + " is not a number; use it with --by"};
    }
    question.number_name = trace::entry_of(question.property).name;
  } else if (!field.empty()) {
    question.source = NumberSource::kField;
    question.number_name = field;
    question.fields.push_back(field);
    using Reader = trace::query::FieldReader<trace::query::AnyNumber>;
    demands.push_back({field, &Reader::takes, "a number", false, true});
  }
  std::vector<std::string> group_fields;
  add_parts(question, by, interval, question.fields.size(), group_fields);
  for (FieldDemand& demand : present(group_fields)) demands.push_back(std::move(demand));
  question.fields.insert(question.fields.end(), group_fields.begin(), group_fields.end());
  add_processor(question, question.fields, 0);
  auto contexts = check(trace::query::check_sites(*files, question.sites, demands, question.scope),
                        question.from);
  if (question.source == NumberSource::kField) choose_kind(question, std::move(contexts));
  leave_out_span_begins(question.from, question.scope);
  return question;
}

}  // namespace

void QuestionOptions::add_to(CLI::App& app) {
  set_help_format(app);
  app.add_option(
         "SITE_AND_PATHS", words,
         "SITE, then trace files or directories; with --gap only trace files or directories")
      ->option_text("[SITE] PATH...");
  app.add_option(
         "--field", field,
         "the number to evaluate: the name of a field, #3 for the third, or a property such as "
         "@duration_ns of spans")
      ->type_name("FIELD");
  app.add_option(
         "--gap", gap,
         "evaluate the time from a record of SITE_A to the next one of SITE_B with the same --join")
      ->expected(2)
      ->allow_extra_args(false)
      ->option_text("SITE_A SITE_B");
  app.add_option("--join", join, "fields that must be equal in both records of a gap")
      ->option_text("FIELD[,FIELD...]");
  app.add_option("--join-to", join_to, "names of these fields in SITE_B, if they differ")
      ->option_text("FIELD[,FIELD...]");
  app.add_flag("--across", across, "gaps can begin in one process and end in another");
  app.add_flag("--utc", utc, "print times in UTC instead of the local time zone");
  add_record_filter_options(app, filter);
  threads = std::clamp(std::thread::hardware_concurrency(), 1U, 4U);
  app.add_option("--threads", threads,
                 "number of threads, each reads a file; default: one per processor, up to 4")
      ->check(CLI::Range(1U, 64U));
  const std::map<std::string, TableFormat> formats{
      {"text", TableFormat::kText}, {"json", TableFormat::kJson}, {"csv", TableFormat::kCsv}};
  app.add_option("--format", format, "format of the output (default text)")
      ->transform(CLI::CheckedTransformer(formats).description(""))
      ->option_text("text|json|csv");
  app.add_option("--most-rows", most_rows,
                 "in JSON, the most rows and sites; texts of 4,096 bytes at most; left_out counts "
                 "what is not there; 0: all")
      ->type_name("N")
      ->capture_default_str();
}

void Question::describe(ResultTable& table) const {
  const auto add = [&table](const char* name, const auto& chosen) {
    for (const auto& matched : chosen) {
      table.add_fact(name,
                     Cell::of_text(matched.service + " " + trace::query::site_label(matched.site)));
    }
  };
  add(source == NumberSource::kGap ? "from site" : "site", from);
  add("to site", to);
}

std::optional<Question> prepare_question(const QuestionOptions& options, const std::string& by,
                                         const std::string& interval, int* exit_code) {
  std::string why;
  const std::shared_ptr<const EventFilter> filter =
      EventFilter::make(options.filter, unix_ns_now(), options.utc, &why);
  if (filter == nullptr) {
    complain(why);
    *exit_code = kExitUsage;
    return std::nullopt;
  }
  // The filter's notes are complete after the check of the sites.
  const auto tell_notes = [&filter] {
    for (const std::string& note : filter->notes()) complain(note);
  };
  try {
    Question question = prepare(options, by, interval, filter);
    tell_notes();
    return question;
  } catch (const Refusal& refusal) {
    tell_notes();
    complain(refusal.text);
    *exit_code = refusal.exit_code;
    return std::nullopt;
  }
}

std::vector<std::string> split_names(std::string_view list) {
  std::vector<std::string> names;
  std::string name;
  int depth = 0;
  char quote = 0;
  for (const char c : list) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      names.push_back(std::exchange(name, {}));
      continue;
    }
    name += c;
  }
  if (!name.empty()) names.push_back(std::move(name));
  for (std::string& one : names) {
    one.erase(0, one.find_first_not_of(' '));
    one.erase(one.find_last_not_of(' ') + 1);
  }
  std::erase(names, std::string());
  return names;
}

}  // namespace ringside::tool
