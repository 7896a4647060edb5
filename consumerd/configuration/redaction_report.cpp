#include "consumerd/configuration/redaction_report.hpp"

#include <cerrno>
#include <cstdio>
#include <map>
#include <utility>

#include "consumerd/configuration/options.hpp"
#include "consumerd/configuration/statement_source.hpp"
#include "consumerd/log/log.hpp"
#include "consumerd/rules/redacted_name.hpp"
#include "trace-format/condition/glob.hpp"

namespace ringside::consumer {
namespace {

// Results of one rule: fields and why they are hidden, by statement. The same statement in several
// processes and files counts once.
using HiddenFields = std::map<std::string, std::map<std::string, std::string>>;

std::string described_statement(const std::string& service, const trace::Site& site) {
  return service + " " + site.file + ":" + std::to_string(site.line) + " \"" +
         (site.format.empty() ? site.name : site.format) + "\"";
}

void try_rule(const RedactionRule& rule, const std::string& service, const trace::Site& site,
              HiddenFields* hidden) {
  if (!rule.services.empty() && !trace::any_service_glob_fits(rule.services, service)) return;
  if (!rule.statements.fits(site)) return;
  for (std::size_t i = 0; i < site.fields.size(); ++i) {
    const trace::Field& field = site.fields[i];
    auto why = why_redacted(rule, field.name);
    if (!why) continue;
    if (field.is_constant()) *why = "NOT HIDDEN: a constant of the program";
    const std::string name = "#" + std::to_string(i + 1) + " " + field.name;
    (*hidden)[described_statement(service, site)].emplace(name, *why);
  }
}

void print_line(const std::string& text) {
  std::printf("%s\n", shown(text).c_str());
}

}  // namespace

int report_redactions(const std::vector<RedactionRule>& rules,
                      const std::vector<std::string>& paths) {
  if (rules.empty()) {
    std::fputs("consumerd: no [[redact]] rules; give the configuration file with --config\n",
               stderr);
    return kExitFailure;
  }
  std::vector<HiddenFields> hidden(rules.size());
  int status = kExitOk;
  for (const std::string& path : paths) {
    std::string why;
    const auto try_rules = [&](const std::string& service, const trace::Site& site) {
      for (std::size_t i = 0; i < rules.size(); ++i) try_rule(rules[i], service, site, &hidden[i]);
    };
    if (visit_statements(path, try_rules, &why)) continue;
    std::fprintf(stderr, "consumerd: %s\n", shown(why).c_str());
    status = kExitFailure;
  }
  for (std::size_t i = 0; i < rules.size(); ++i) {
    std::string title = rules[i].place + ": [[redact]] field =";
    for (const std::string& glob : rules[i].fields) title += " \"" + glob + "\"";
    print_line(title);
    if (hidden[i].empty()) print_line("  hides nothing");
    for (const auto& [statement, fields] : hidden[i]) {
      print_line("  " + statement);
      for (const auto& [name, why] : fields) {
        print_line(std::string("    ").append(name).append("  (").append(why).append(")"));
      }
    }
  }
  if (std::fflush(stdout) == 0) return status;
  std::fprintf(stderr, "consumerd: cannot write standard output: %s\n", error_text(errno).c_str());
  return kExitFailure;
}

}  // namespace ringside::consumer
