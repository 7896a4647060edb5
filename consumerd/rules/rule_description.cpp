#include "consumerd/rules/rule_description.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ringside::consumer {
namespace {

using trace::CollectionRule;

void add(CollectionRule& rule, std::string_view name, const std::string& value) {
  if (!value.empty()) rule.settings.emplace_back(name, value);
}

void add_all(CollectionRule& rule, std::string_view name, const std::vector<std::string>& values) {
  for (const std::string& value : values) add(rule, name, value);
}

void add_count(CollectionRule& rule, std::string_view name, std::uint64_t count) {
  if (count != 0) rule.settings.emplace_back(name, std::to_string(count));
}

void add_choice(CollectionRule& rule, const std::vector<std::string>& services,
                const trace::StatementPattern& statements) {
  add_all(rule, "service", services);
  add_all(rule, "site", statements.sites);
  add_all(rule, "file", statements.files);
  add_all(rule, "function", statements.functions);
  add_all(rule, "category", statements.categories);
  add_all(rule, "keyword", statements.keywords);
  add(rule, "of-level", statements.level);
  add(rule, "regex", statements.regex);
}

}  // namespace

trace::CollectionRule described_rule(const SampleRule& rule) {
  CollectionRule described{trace::RuleKind::kSample, {}};
  add_choice(described, rule.services, rule.statements);
  add_count(described, "keep-one-in", rule.one_in);
  add_count(described, "keep-per-second", rule.per_second);
  return described;
}

trace::CollectionRule described_rule(const RedactionRule& rule) {
  CollectionRule described{trace::RuleKind::kRedact, {}};
  add(described, "place", rule.place);
  add_choice(described, rule.services, rule.statements);
  add_all(described, "field", rule.fields);
  described.settings.emplace_back("text", rule.text);
  return described;
}

}  // namespace ringside::consumer
