#pragma once
// The question of `ringcat agg` and `ringcat hist`: which numbers of which records, in which
// groups.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/query/event_filter.hpp"
#include "tools/query/filter_options.hpp"
#include "tools/text/result_table.hpp"
#include "trace-format/query/gap.hpp"
#include "trace-format/query/group_key.hpp"
#include "trace-format/query/site_selector.hpp"

namespace CLI {
class App;
}

namespace ringside::tool {

// As given on the command line.
struct QuestionOptions {
  std::vector<std::string> words;  // SITE PATH...; with `gap` only PATH...
  std::vector<std::string> gap;    // two sites, or none
  std::string join;
  std::string join_to;
  bool across = false;
  std::string field;
  // Without a field or a gap, the number is that of the statements: the sample of histograms, the
  // duration of spans.
  bool evaluates_own_number = false;
  FilterOptions filter;
  bool utc = false;
  unsigned threads = 1;
  TableFormat format = TableFormat::kText;
  std::size_t most_rows = 0;  // of a ResultTable

  void add_to(CLI::App& app);
};

enum class NumberSource : std::uint8_t { kNone, kField, kProperty, kGap };
// kMixed: numbers without a common C++ type, read as doubles.
enum class NumberKind : std::uint8_t { kSigned, kUnsigned, kDouble, kMixed };

struct Question {
  std::vector<std::string> paths;
  trace::query::SiteSelector sites = trace::query::SiteSelector::all();  // not used for a gap
  trace::query::GapQuery gap;
  std::shared_ptr<const EventFilter> filter;  // the scope refers to it
  trace::query::Scope scope;                  // not used for a gap, which has another scope
  NumberSource source = NumberSource::kNone;
  NumberKind kind = NumberKind::kUnsigned;
  bool number_in_contexts = false;           // some sites lack the field: see their contexts
  trace::Property property{};                // of kProperty
  std::size_t processor_field = 0;           // in `fields`: the first of trace::kProcessorFields
  std::string number_name;                   // "price", "duration_ns", "gap_ns"
  std::vector<std::string> fields;           // fields to read: first the number, if it is a field
  std::vector<trace::query::KeyPart> parts;  // for groups
  std::vector<std::string> part_names;
  unsigned threads = 1;
  std::vector<trace::query::MatchedSite> from;  // the sites; for a gap, those of its beginning
  std::vector<trace::query::MatchedSite> to;    // for a gap: the sites of its end

  // Adds the matched sites as facts.
  void describe(ResultTable& table) const;
};

// Checks it against the dictionaries of the files; `by` and `interval` define the groups. If it is
// invalid, reports that on standard error, sets `*exit_code` and returns nothing.
std::optional<Question> prepare_question(const QuestionOptions& options, const std::string& by,
                                         const std::string& interval, int* exit_code);

// Splits "a,f(b, c),d" at the commas outside brackets and literals: the name of a field may be an
// expression.
std::vector<std::string> split_names(std::string_view list);

}  // namespace ringside::tool
