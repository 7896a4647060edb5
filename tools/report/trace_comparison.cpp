#include "tools/report/trace_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "shm-layout/level.hpp"
#include "tools/report/change_tests.hpp"
#include "tools/report/halved.hpp"
#include "tools/report/number_change.hpp"
#include "tools/report/rate_change.hpp"
#include "tools/report/statement_pairs.hpp"
#include "tools/text/first_bytes.hpp"

namespace ringside::tool {

using nlohmann::json;

namespace {

constexpr double kLevel = 0.01;
constexpr double kLeastRatio = 1.2;
constexpr double kLeastTailRatio = 1.5;
constexpr std::size_t kMostChanges = 1'000;
constexpr std::size_t kMostRare = 200;
constexpr std::size_t kLeastBatches = 4;
constexpr std::size_t kMostSiteTextBytes = 2'000;  // of a name or a statement
constexpr std::size_t kLeastSiteTextBytes = 60;

struct Change {  // NOLINT(bugprone-exception-escape): a json that is moved does not throw
  json document;
  double probability = 1;
  double effect = 0;  // log2 of the ratio
  bool is_large = false;
};

json site_json(const SiteStats& site) {
  return {{"service", site.service},
          {"file", site.file},
          {"line", site.line},
          {"level", shm::level_name(static_cast<shm::Level>(site.level))},
          {"text", site.text}};
}

json pair_json(const StatementPair& pair) {
  json document = site_json(pair.any());
  if (pair.after != nullptr) document["statement"] = pair.after->number;
  return document;
}

std::uint64_t records_of(const SiteStats* site) {
  return site == nullptr ? 0 : site->records;
}

std::uint64_t span_ns(const ComparedParts& parts) {
  const bool is_empty = parts.stats.total().records == 0;
  return is_empty ? 0
                  : parts.stats.last_ns() - std::min(parts.stats.last_ns(), parts.grid.begin_ns());
}

// Compares two traces; its results are the changes.
class Comparison {
 public:
  Comparison(const ComparedParts& before, const ComparedParts& after)
      : before_(before),
        after_(after),
        before_ns_(span_ns(before)),
        after_ns_(span_ns(after)),
        pairs_(statement_pairs(before.stats, after.stats)),
        batches_(rate_batches(before.grid, before_ns_, after.grid, after_ns_)) {
    if (!has_rates()) return;
    std::vector<RateRatio> ratios;
    for (const StatementPair& pair : pairs_) {
      if (records_of(pair.before) < kUsualRecords || records_of(pair.after) < kUsualRecords)
        continue;
      const auto used = [](const std::vector<double>& counts) {
        return counts.size() -
               static_cast<std::size_t>(std::count(counts.begin(), counts.end(), 0.0));
      };
      ratios.push_back({rate(pair.after, after_ns_) / rate(pair.before, before_ns_),
                        std::min(used(batches(before_, pair.before, batches_.before)),
                                 used(batches(after_, pair.after, batches_.after)))});
    }
    ratio_ = common_rate_ratio(std::move(ratios));
  }

  json document(const std::string& title) {
    for (const StatementPair& pair : pairs_) {
      compare_rates(pair);
      if (pair.before != nullptr && pair.after != nullptr) compare_numbers(pair);
    }
    const std::size_t tests = changes_.size();
    json document{{"before", side_json(before_, before_ns_)},
                  {"after", side_json(after_, after_ns_)},
                  {"title", title},
                  {"level", kLevel},
                  {"least_ratio", kLeastRatio},
                  {"rate_ratio", ratio_},
                  {"tests", tests},
                  {"has_rates", has_rates()},
                  {"left_out", {{"constant", constant_}, {"drifting", drifting_}}}};
    put_changes(document);
    document["rare"] = std::move(rare_);
    document["further_rare"] = further_rare_;
    return document;
  }

 private:
  // Records of which the number says something about the load.
  static constexpr std::uint64_t kUsualRecords = 20;

  static double rate(const SiteStats* site, std::uint64_t ns) {
    return static_cast<double>(records_of(site)) * 1e9 /
           static_cast<double>(std::max<std::uint64_t>(1, ns));
  }

  static json side_json(const ComparedParts& parts, std::uint64_t ns) {
    return {
        {"records", parts.stats.total().records}, {"lost", parts.stats.total().lost}, {"ns", ns}};
  }

  bool has_rates() const {
    return batches_.before >= kLeastBatches && batches_.after >= kLeastBatches;
  }

  std::vector<double> batches(const ComparedParts& parts, const SiteStats* site,
                              std::size_t count) const {
    const auto* const counts =
        site == nullptr ? nullptr : parts.statements.over_time(site->number, parts.grid);
    if (counts == nullptr) return std::vector<double>(count, 0);
    return batch_counts(*counts, parts.grid, batches_.length_ns, count);
  }

  void compare_rates(const StatementPair& pair) {
    const std::uint64_t before = records_of(pair.before);
    const std::uint64_t after = records_of(pair.after);
    if (before == 0 && after == 0) return;
    const bool is_in_one = before == 0 || after == 0;
    Change change;
    if (has_rates()) {
      std::vector<double> adjusted = batches(before_, pair.before, batches_.before);
      for (double& each : adjusted) each *= ratio_;
      change.probability = mann_whitney(adjusted, batches(after_, pair.after, batches_.after));
    }
    // Half a record more in each, so that none is not infinitely few.
    const double usual = ratio_ * static_cast<double>(after_ns_) /
                         static_cast<double>(std::max<std::uint64_t>(1, before_ns_));
    change.effect = std::log2((static_cast<double>(after) + 0.5) /
                              ((static_cast<double>(before) + 0.5) * std::max(usual, 1e-9)));
    change.is_large = std::abs(change.effect) >= std::log2(kLeastRatio);
    change.document = {{"kind", is_in_one ? "presence" : "rate"},
                       {"site", pair_json(pair)},
                       {"before", {{"records", before}, {"rate", rate(pair.before, before_ns_)}}},
                       {"after", {{"records", after}, {"rate", rate(pair.after, after_ns_)}}}};
    if (is_in_one) rare_candidates_.push_back(changes_.size());
    changes_.push_back(std::move(change));
  }

  void compare_numbers(const StatementPair& pair) {
    for (HeatField* const field : before_.heat.fields_of(pair.before->number)) {
      HeatField* const same = after_.heat.same_field(pair.after->number, *field);
      if (same == nullptr) continue;
      const NumberChange change = number_change(*field, before_.grid, *same, after_.grid);
      if (change.verdict == NumberChange::Verdict::kConstant) ++constant_;
      if (change.verdict == NumberChange::Verdict::kDrifting) ++drifting_;
      if (change.verdict != NumberChange::Verdict::kCompared) continue;
      add_number(pair, *field, *same, change, change.distribution, kLeastRatio);
      if (change.tail) add_number(pair, *field, *same, change, *change.tail, kLeastTailRatio);
    }
  }

  void add_number(const StatementPair& pair, const HeatField& field, const HeatField& same,
                  const NumberChange& found, const NumberChange::Result& result,
                  double least_ratio) {
    Change change;
    change.probability = result.probability;
    change.effect = result.effect;
    change.is_large = result.distance >= result.least_distance &&
                      std::abs(result.effect) >= std::log2(least_ratio);
    const auto side = [](const std::array<double, 3>& quantiles, const HeatField& of) {
      return json{{"values", of.map.values()},
                  {"p50", quantiles[0]},
                  {"p90", quantiles[1]},
                  {"p99", quantiles[2]}};
    };
    change.document = {{"kind", &result == &found.distribution ? "numbers" : "tail"},
                       {"site", pair_json(pair)},
                       {"field", field.is_duration ? "duration" : "argument"},
                       {"before", side(found.before, field)},
                       {"after", side(found.after, same)},
                       {"distance", result.distance}};
    if (!field.is_duration) {
      change.document["name"] = field.name;
      change.document["index"] = field.index;
    }
    changes_.push_back(std::move(change));
  }

  void put_changes(json& document) {
    std::vector<double> probabilities;
    for (const Change& change : changes_) probabilities.push_back(change.probability);
    const std::vector<bool> holds = holm(probabilities, kLevel);
    for (const std::size_t i : rare_candidates_) {
      if (holds[i]) continue;
      if (rare_.size() == kMostRare) {
        ++further_rare_;
        continue;
      }
      rare_.push_back(changes_[i].document);
    }
    std::vector<const Change*> reported;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (holds[i] && changes_[i].is_large) reported.push_back(&changes_[i]);
    }
    std::stable_sort(reported.begin(), reported.end(), [](const Change* a, const Change* b) {
      return std::abs(a->effect) > std::abs(b->effect);
    });
    document["further_changes"] = reported.size() - std::min(reported.size(), kMostChanges);
    if (reported.size() > kMostChanges) reported.resize(kMostChanges);
    json& changes = document["changes"] = json::array();
    for (const Change* const change : reported) {
      json one = change->document;
      one["effect"] = change->effect;
      one["probability"] = change->probability;
      changes.push_back(std::move(one));
    }
  }

  ComparedParts before_;
  ComparedParts after_;
  std::uint64_t before_ns_;
  std::uint64_t after_ns_;
  std::vector<StatementPair> pairs_;
  RateBatches batches_;
  double ratio_ = 1;
  std::vector<Change> changes_;  // all that were tested
  std::vector<std::size_t> rare_candidates_;
  json rare_ = json::array();
  std::uint64_t further_rare_ = 0;
  std::uint64_t constant_ = 0;
  std::uint64_t drifting_ = 0;
};

}  // namespace

json reduced_comparison(const json& comparison, unsigned level) {
  json reduced = comparison;
  const auto shorten = [level](json& texts, const char* name, std::size_t least) {
    if (!texts.contains(name)) return;
    const auto& text = texts[name].get_ref<const std::string&>();
    texts[name] = std::string(first_bytes(text, halved(kMostSiteTextBytes, level, least)));
  };
  const auto reduce = [&](const char* name, std::size_t most, const char* further) {
    json& all = reduced[name];
    const std::size_t stay = std::min(all.size(), halved(most, level));
    reduced[further] = reduced[further].get<std::uint64_t>() + all.size() - stay;
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(stay), all.end());
    for (json& change : all) {
      shorten(change, "name", kLeastSiteTextBytes);
      for (const char* const part : {"service", "file", "text"})
        shorten(change["site"], part, kLeastSiteTextBytes);
    }
  };
  reduce("changes", kMostChanges, "further_changes");
  reduce("rare", kMostRare, "further_rare");
  shorten(reduced, "title", kLeastSiteTextBytes);
  return reduced;
}

json compare_traces(const ComparedParts& before, const ComparedParts& after,
                    const std::string& before_title) {
  return Comparison(before, after).document(before_title);
}

}  // namespace ringside::tool
