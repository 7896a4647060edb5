#pragma once
// Reads the numbers of a question.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/query/exit_codes.hpp"
#include "tools/query/question.hpp"
#include "tools/query/standard_streams.hpp"
#include "trace-format/query/visit.hpp"

namespace ringside::tool {

struct ReadNumbers {
  int exit_code = kExitOk;
  bool answered = false;  // false: the failure was reported on standard error
  trace::query::GapCounts gaps;
  std::uint64_t without_number = 0;  // records without the property or field
};

namespace detail {

template <class Sink>
struct PlainReader {
  Sink sink;
  void operator()(typename Sink::Number number) { sink.add(nullptr, number); }
  void merge(const PlainReader& other) { sink.merge(other.sink); }
};

template <class Sink>
struct GroupReader {
  Sink sink;
  void operator()(const trace::query::RecordInfo& record, typename Sink::Number number) {
    sink.add(&record, number);
  }
  void merge(const GroupReader& other) { sink.merge(other.sink); }
};

// Reads numbers of several types as double.
template <class Sink>
struct MixedReader {
  Sink sink;
  void operator()(const trace::query::RecordInfo& record, trace::query::AnyNumber number) {
    sink.add(&record, number.value);
  }
  void merge(const MixedReader& other) { sink.merge(other.sink); }
};

template <class Sink>
struct RecordReader {
  Sink sink;
  void operator()(const trace::query::RecordInfo& record) { sink.add(&record, 0); }
  void merge(const RecordReader& other) { sink.merge(other.sink); }
};

// Reads numbers of which some are in contexts.
template <class Sink>
struct ContextReader {
  Sink sink;
  std::uint64_t missing = 0;
  void operator()(const trace::query::RecordInfo& record) {
    using Number = typename Sink::Number;
    const trace::Value* const value = record.value(0);
    if (value == nullptr || !trace::query::is_number(value->type)) {
      ++missing;
    } else if constexpr (std::integral<Number>) {
      sink.add(&record, static_cast<Number>(value->u64));
    } else {
      sink.add(&record, trace::query::rounded(*value));
    }
  }
  void merge(const ContextReader& other) {
    sink.merge(other.sink);
    missing += other.missing;
  }
};

template <class Sink>
struct PropertyReader {
  Sink sink;
  trace::Property property{};
  std::size_t processor_field = 0;
  std::uint64_t missing = 0;
  void operator()(const trace::query::RecordInfo& record) {
    const trace::PropertyValue value = trace::query::property_of(record, property, processor_field);
    if (value) {
      sink.add(&record, static_cast<typename Sink::Number>(value.number));
    } else {
      ++missing;
    }
  }
  void merge(const PropertyReader& other) {
    sink.merge(other.sink);
    missing += other.missing;
  }
};

template <class Reader>
void read_sites(const Question& question, Reader& reader, ReadNumbers& result) {
  const std::vector<std::string_view> fields(question.fields.begin(), question.fields.end());
  // The threads get copies of the reader; they are empty, as is the sink here, so nothing counts
  // twice.
  const trace::query::VisitResult visited = trace::query::visit_parallel(
      question.paths, question.sites, fields, reader, question.threads, question.scope);
  if (!visited.ok()) {
    complain(visited.text());
    result.exit_code = visited.unreadable ? kExitUnreadable : kExitUsage;
    return;
  }
  result.exit_code = complain_of_damage(visited.report);
  result.answered = true;
}

}  // namespace detail

// For an empty sink: add(const RecordInfo*, Sink::Number), where the record is null if the question
// has no groups, and merge(). Sink::Number must be that of question.kind.
template <class Sink>
ReadNumbers read_numbers(const Question& question, Sink& sink) {
  using Number = typename Sink::Number;
  ReadNumbers result;
  const auto run = [&]<class Reader>(Reader reader) {
    detail::read_sites(question, reader, result);
    sink = std::move(reader.sink);
    return reader;
  };
  switch (question.source) {
    case NumberSource::kNone:
      run(detail::RecordReader<Sink>{sink});
      break;
    case NumberSource::kProperty:
      result.without_number =
          run(detail::PropertyReader<Sink>{sink, question.property, question.processor_field})
              .missing;
      break;
    case NumberSource::kField:
      if (question.number_in_contexts) {
        result.without_number = run(detail::ContextReader<Sink>{sink}).missing;
        break;
      }
      if constexpr (!std::integral<Number>) {
        if (question.kind == NumberKind::kMixed) {
          run(detail::MixedReader<Sink>{sink});
          break;
        }
      }
      if (question.parts.empty()) {
        run(detail::PlainReader<Sink>{sink});
      } else {
        run(detail::GroupReader<Sink>{sink});
      }
      break;
    case NumberSource::kGap: {
      const trace::query::GapResult gaps = trace::query::visit_gaps(
          question.paths, question.gap,
          [&](const trace::query::Gap& gap) { sink.add(gap.end, static_cast<Number>(gap.ns)); });
      if (!gaps.ok()) {
        complain(gaps.text());
        result.exit_code = gaps.unreadable ? kExitUnreadable : kExitUsage;
        break;
      }
      result.gaps = gaps.counts;
      result.exit_code = complain_of_damage(gaps.report);
      result.answered = true;
      break;
    }
  }
  return result;
}

// Calls answer.template operator()<T>() with the type of the question's numbers.
template <class Answer>
int with_number_type(const Question& question, Answer&& answer) {
  switch (question.kind) {
    case NumberKind::kSigned:
      return answer.template operator()<std::int64_t>();
    case NumberKind::kUnsigned:
      return answer.template operator()<std::uint64_t>();
    case NumberKind::kDouble:
    case NumberKind::kMixed:
      break;
  }
  return answer.template operator()<double>();
}

}  // namespace ringside::tool
