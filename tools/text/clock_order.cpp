#include "tools/text/clock_order.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

#include <fmt/format.h>

#include "tools/text/duration.hpp"
#include "trace-format/lines/visible_text.hpp"

namespace ringside::tool {
namespace {

constexpr std::size_t kMostNames = 3;

// "a, b and c", or with further ones "a, b, c and 7 others".
std::string list_of(const std::vector<std::string>& names) {
  std::string list;
  const std::size_t shown = std::min(names.size(), kMostNames);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = i + 1 == names.size();
    list += (i == 0 ? "" : is_last ? " and " : ", ") + trace::visible(names[i]);
  }
  if (shown < names.size()) list += fmt::format(" and {} others", names.size() - shown);
  return list;
}

std::string saturated_sum_text(std::uint64_t a, std::uint64_t b) {
  return bound_text(a > trace::kUnknownClockError - b ? trace::kUnknownClockError : a + b);
}

}  // namespace

ClockOrder::Hosts::iterator ClockOrder::host_of(const trace::Event& event,
                                                const trace::HostClocks& hosts) {
  const auto known = of_segment_.find(event.segment);
  if (known != of_segment_.end()) return known->second;
  const std::string& name = hosts.name_of(event.segment->boot_id, event.segment->host);
  const auto [named, is_new] = by_name_.try_emplace(name);
  if (is_new) {
    hosts_.emplace_front();
    hosts_.front().name = name;
    named->second = hosts_.begin();
  }
  of_segment_.emplace(event.segment, named->second);
  return named->second;
}

// The first host is the event's own.
bool ClockOrder::may_precede(const trace::Event& event) const {
  const std::uint64_t error_ns = *event.clock_error_ns;
  for (auto host = std::next(hosts_.begin()); host != hosts_.end(); ++host) {
    const std::uint64_t distance = event.unix_ns - std::min(host->last_ns, event.unix_ns);
    if (distance < error_ns || distance - error_ns < host->last_error_ns) return true;
    if (distance - error_ns >= worst_error_ns_) return false;  // and so are all that follow
  }
  return false;
}

bool ClockOrder::add(const trace::Event& event, const trace::HostClocks& hosts) {
  if (event.segment != last_segment_) {
    hosts_.splice(hosts_.begin(), hosts_, host_of(event, hosts));
    last_segment_ = event.segment;
  }
  Host& own = hosts_.front();
  own.last_ns = event.unix_ns;
  own.last_error_ns = *event.clock_error_ns;
  own.worst_error_ns = std::max(own.worst_error_ns, own.last_error_ns);
  worst_error_ns_ = std::max(worst_error_ns_, own.last_error_ns);
  return may_precede(event);
}

std::string ClockOrder::notice() const {
  if (hosts_.size() < 2) return {};
  std::vector<const Host*> known;
  std::vector<std::string> known_names;
  std::vector<std::string> unknown_names;
  for (const auto& [name, host] : by_name_) {
    if (host->worst_error_ns == trace::kUnknownClockError) {
      unknown_names.push_back(name);
    } else {
      known.push_back(&*host);
      known_names.push_back(name);
    }
  }
  std::string text;
  if (known.size() > 1) {
    // The two that differ the most.
    std::partial_sort(
        known.begin(), known.begin() + 2, known.end(),
        [](const Host* a, const Host* b) { return a->worst_error_ns > b->worst_error_ns; });
    text = fmt::format(
        "the clocks of {} agree within {}; the order of their records that are closer in time is "
        "not known",
        list_of(known_names),
        saturated_sum_text(known[0]->worst_error_ns, known[1]->worst_error_ns));
  }
  if (unknown_names.empty()) return text;
  if (!text.empty()) text += "; ";
  const bool is_one = unknown_names.size() == 1;
  return text + fmt::format(
                    "{} of {} {} not known (not synchronised, or not in the trace); the order of "
                    "{} records against those of other hosts is not known",
                    is_one ? "the clock error" : "the clock errors", list_of(unknown_names),
                    is_one ? "is" : "are", is_one ? "its" : "their");
}

}  // namespace ringside::tool
