// Visits the records of chosen sites with a callable that takes their fields as C++ values:
//
//   visit<"qty", "price">(paths, SiteSelector::text("order filled"),
//                         [&](std::uint32_t qty, double price) { turnover += qty * price; });
//
// Records come in file order, not in the order of time.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "trace-format/query/field_binding.hpp"
#include "trace-format/query/field_reader.hpp"
#include "trace-format/query/record_info.hpp"
#include "trace-format/query/scope.hpp"
#include "trace-format/query/site_check.hpp"
#include "trace-format/query/visitor_parameters.hpp"
#include "trace-format/reader/site_scan.hpp"

namespace ringside::trace::query {

struct VisitResult {
  std::optional<ReadError> unreadable;  // a path that cannot be read: no record was visited
  std::optional<QueryError> error;      // an error in the query: no record was visited
  std::vector<MatchedSite> sites;
  ReadReport report;  // of all files

  bool ok() const { return !unreadable && !error; }
  // The error as text; empty without an error.
  std::string text() const;
};

// Adds sums and notes of `part` to `whole`.
void add_report(ReadReport& whole, const ReadReport& part);

// A field's value, or empty if a site lacks the field.
template <class T>
struct FieldReader<std::optional<T>> {
  using Scratch = typename FieldReader<T>::Scratch;
  static constexpr std::string_view name() { return FieldReader<T>::name(); }
  static constexpr bool takes(shm::FieldType type) { return FieldReader<T>::takes(type); }
};

namespace detail {

template <class T>
inline constexpr bool kOptional = false;
template <class T>
inline constexpr bool kOptional<std::optional<T>> = true;

template <class T>
FieldDemand demand(std::string_view name) {
  return {std::string(name), &FieldReader<T>::takes, FieldReader<T>::name(), kOptional<T>};
}

template <class Fields>
struct Binder;

template <class... T>
struct Binder<TypeList<T...>> {
  static std::vector<FieldDemand> demands(std::span<const std::string_view> names) {
    std::vector<FieldDemand> list;
    std::size_t at = 0;
    (list.push_back(demand<T>(names[at++])), ...);
    // Names after the parameters are for RecordInfo::value(), with any type.
    for (; at < names.size(); ++at) {
      list.push_back({std::string(names[at]), nullptr, {}, true, true});
    }
    return list;
  }

  // Passes the values at `places` to `call`.
  template <class Call>
  [[gnu::always_inline]] void apply(const Value* args, const FieldPlace* places, Call&& call) {
    apply(args, places, call, std::index_sequence_for<T...>());
  }

 private:
  template <class Call, std::size_t... I>
  [[gnu::always_inline]] void apply([[maybe_unused]] const Value* args,
                                    [[maybe_unused]] const FieldPlace* places, Call& call,
                                    std::index_sequence<I...>) {
    call(read<T>(args, places[I], std::get<I>(scratch_))...);
  }
  template <class U, class Scratch>
  [[gnu::always_inline]] static U read(const Value* args, FieldPlace place, Scratch& scratch) {
    if constexpr (kOptional<U>) {
      if (place == kNoPlace) return std::nullopt;
      return FieldReader<typename U::value_type>::read(args[place], scratch);
    } else {
      return FieldReader<U>::read(args[place], scratch);
    }
  }

  [[no_unique_address]] std::tuple<typename FieldReader<T>::Scratch...> scratch_;
};

// Visits one file. Its sites are already checked; sections added since then with other sites are
// skipped.
template <class Visitor>
bool visit_file(const std::string& file, const SiteSelector& selector,
                std::span<const FieldDemand> demands, const Scope& scope, Visitor& visitor,
                ReadReport& report, ReadError* error) {
  using Parameters = ParametersOf<Visitor>;
  std::optional<SiteScan> scan = SiteScan::open(file, error);
  if (!scan) return false;
  scan->narrow(scope.reading);
  RecordScreen screen(scope);
  Binder<typename Parameters::Fields> binder;
  SiteBindings bindings;
  SiteBindings contexts;
  const Site* site = nullptr;
  const std::vector<FieldPlace>* places = nullptr;
  const SegmentInfo* section = nullptr;
  const auto choose = [&](const Site& candidate, SiteChoice& choice) {
    if (section != &scan->segment()) {
      section = &scan->segment();
      bindings.clear();
      contexts.clear();
      screen.begin_section();
      site = nullptr;  // a new section's site may have the address of an old one
    }
    if (candidate.kind == shm::SiteKind::kContext) {
      scope.wants_site(candidate, *section);  // a filter has to know it
      if constexpr (Parameters::kWithInfo) contexts.add_context(candidate, demands);
      return;
    }
    if (!selector.matches(candidate) || !scope.wants_site(candidate, *section)) return;
    auto found = bind_fields(candidate, {}, demands, nullptr);
    if (!found) return;
    std::vector<std::uint16_t> tested;
    screen.add_fields(candidate, tested);
    bindings.add(candidate, std::move(*found), std::move(tested), choice);
  };
  scan->run(choose, [&](const RecordView& record, TickClock& clock) {
    if (!screen.wanted(record, clock, *scan)) return;
    if (record.site != site) [[unlikely]] {
      site = record.site;
      places = bindings.find(site->id);
    }
    if constexpr (Parameters::kWithInfo) {
      const RecordInfo info{clock.unix_ns(record.tsc),
                            record.tsc,
                            record.sequence,
                            record.site,
                            &scan->stream(),
                            &scan->segment(),
                            record.extension,
                            scan->processor(),
                            record.args,
                            *places,
                            record.context,
                            &contexts};
      binder.apply(
          record.args, places->data(), [&](auto&&... values) __attribute__((always_inline)) {
            visitor(info, std::forward<decltype(values)>(values)...);
          });
    } else {
      binder.apply(record.args, places->data(), visitor);
    }
  });
  add_report(report, scan->report());
  return true;
}

template <std::size_t N>
struct FixedString {
  char text[N] = {};
  // Implicit, so that a literal is a template argument.
  constexpr FixedString(const char (&literal)[N]) { std::copy_n(literal, N, text); }
  constexpr std::string_view view() const { return {text, N - 1}; }
};

template <class Visitor>
struct Prepared {
  std::vector<std::string> files;
  std::vector<FieldDemand> demands;
};

template <class Visitor>
VisitResult prepare(std::span<const std::string> paths, const SiteSelector& selector,
                    std::span<const std::string_view> fields, const Scope& scope,
                    Prepared<Visitor>& prepared) {
  using Fields = typename ParametersOf<Visitor>::Fields;
  VisitResult result;
  if (fields.size() < Fields::kSize) {
    result.error = QueryError{};
    result.error->what = "the visitor takes " + std::to_string(Fields::kSize) +
                         " fields, but the query names " + std::to_string(fields.size());
    result.error->remedy = "name a field for each parameter";
    return result;
  }
  ReadError error;
  std::optional<std::vector<std::string>> files = files_of(paths, &error);
  if (!files) {
    result.unreadable = std::move(error);
    return result;
  }
  prepared.files = std::move(*files);
  prepared.demands = Binder<Fields>::demands(fields);
  SiteCheck check = check_sites(prepared.files, selector, prepared.demands, scope);
  result.unreadable = std::move(check.unreadable);
  result.error = std::move(check.error);
  result.sites = std::move(check.matched);
  return result;
}

}  // namespace detail

// The visitor: R(values...) or R(const RecordInfo&, values...), one value for each of `fields` in
// their order. A field is given by its name, or as "#3" for the third; names after those of the
// parameters are optional and of any type, for RecordInfo::value(), and may be fields of contexts.
// A parameter's type must accept all values of its field, in all selected sites of all files
// (field_reader.hpp says which types accept which fields); std::optional<T> also takes sites
// without the field. This is checked once, before the first record is visited. Texts and arrays
// live during the visit. Records outside of `scope` are skipped, and their sites are not checked.
template <class Visitor>
VisitResult visit(std::span<const std::string> paths, const SiteSelector& selector,
                  std::span<const std::string_view> fields, Visitor&& visitor,
                  const Scope& scope = {}) {
  detail::Prepared<std::remove_cvref_t<Visitor>> prepared;
  VisitResult result = detail::prepare(paths, selector, fields, scope, prepared);
  for (const std::string& file : prepared.files) {
    if (!result.ok()) break;
    ReadError error;
    if (!detail::visit_file(file, selector, prepared.demands, scope, visitor, result.report,
                            &error)) {
      result.unreadable = std::move(error);
    }
  }
  return result;
}

template <detail::FixedString... Names, class Visitor>
VisitResult visit(std::span<const std::string> paths, const SiteSelector& selector,
                  Visitor&& visitor, const Scope& scope = {}) {
  constexpr std::array<std::string_view, sizeof...(Names)> kNames{Names.view()...};
  return visit(paths, selector, std::span<const std::string_view>(kNames),
               std::forward<Visitor>(visitor), scope);
}

// The same with several threads, each with one file at a time. Every thread has a copy of
// `visitor`, as it is at the call; merge(const Visitor&) then adds the copies to it.
template <class Visitor>
requires requires(Visitor& a, const Visitor& b) {
  a.merge(b);
}
VisitResult visit_parallel(std::span<const std::string> paths, const SiteSelector& selector,
                           std::span<const std::string_view> fields, Visitor& visitor,
                           unsigned threads, const Scope& scope = {}) {
  detail::Prepared<Visitor> prepared;
  VisitResult result = detail::prepare(paths, selector, fields, scope, prepared);
  if (!result.ok()) return result;
  struct Share {
    Visitor visitor;
    ReadReport report;
    std::optional<ReadError> unreadable;
  };
  const std::size_t count = std::clamp<std::size_t>(threads, 1, prepared.files.size());
  std::vector<Share> shares(count, Share{visitor, {}, {}});
  std::atomic<std::size_t> next = 0;
  const auto work = [&](Share& share) {
    // Relaxed: each number is handed out once, and join() orders everything else.
    for (std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
         i < prepared.files.size() && !share.unreadable;
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      ReadError error;
      if (!detail::visit_file(prepared.files[i], selector, prepared.demands, scope, share.visitor,
                              share.report, &error)) {
        share.unreadable = std::move(error);
      }
    }
  };
  {
    std::vector<std::jthread> workers;
    try {
      for (std::size_t i = 1; i < count; ++i) workers.emplace_back(work, std::ref(shares[i]));
    } catch (const std::system_error&) {
      // The system refuses more threads: the running ones do all the work.
    }
    work(shares[0]);
  }
  for (const Share& share : shares) {
    visitor.merge(share.visitor);
    add_report(result.report, share.report);
    if (share.unreadable) result.unreadable = share.unreadable;
  }
  return result;
}

}  // namespace ringside::trace::query
