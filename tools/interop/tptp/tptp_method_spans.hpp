#pragma once
// Pairs the entries and exits of methods, and names them: a call becomes one span.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/interop/conversion_report.hpp"
#include "tools/interop/tptp/tptp_message.hpp"
#include "tools/interop/trace_builder.hpp"

namespace ringside::tool::tptp {

// Memory: up to 100,000 classes and as many methods, and 64 MiB of calls that have not returned.
// Not thread-safe.
class MethodSpans {
 public:
  MethodSpans(TraceBuilder& builder, ConversionReport& report)
      : builder_(builder), report_(report) {}

  // Takes the names of `classDef` and `methodDef`; their ids are unique within the process.
  void define(const Message& message, std::size_t process);
  // `values` of the record, as TraceBuilder::withdraw() returns them. The record is added to the
  // trace when the method returns, so that a definition can also come after the entry.
  void enter(const Message& entry, std::size_t process, std::uint32_t stream, std::uint64_t unix_ns,
             std::string&& values);
  // Ends the call with the ticket of the exit, in its thread.
  void leave(const Message& exit, std::size_t process, std::uint64_t unix_ns);
  // Adds the calls that have not returned, as records without a duration.
  void end();

 private:
  static constexpr std::size_t kMostHeldBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMostDefinitions = 100'000;
  static constexpr std::size_t kMostSpanSites = 50'000;

  using Id = std::pair<std::size_t, std::int64_t>;  // of a process, and within it
  struct Class {
    std::string name;
    std::string file;
  };
  struct Method {
    std::string name;
    std::int64_t class_id = 0;
    std::uint32_t line = 0;
    std::uint32_t site = 0;  // 0: none yet
  };
  struct Call {
    std::uint32_t stream = 0;
    std::uint64_t unix_ns = 0;
    std::uint64_t duration = 0;
    bool has_returned = false;
    std::size_t process = 0;
    std::int64_t method = 0;
    std::int64_t class_id = 0;
    std::int64_t ticket = 0;
    std::string values;
    // Calls that returned before it but began at the same time, outer ones first. They follow it in
    // the trace, because readers nest what follows.
    std::vector<Call> within;
  };
  struct Thread {
    std::map<std::uint64_t, Call> open;  // in the order of their entries
    std::unordered_map<std::int64_t, std::vector<std::uint64_t>> by_ticket;
  };

  void add(const Call& call);
  std::uint32_t site_of(const Call& call);
  std::uint32_t make_site(const Method& method, const Call& call);
  static std::size_t bytes_of(const Call& call);

  TraceBuilder& builder_;
  ConversionReport& report_;
  std::map<Id, Class> classes_;
  std::map<Id, Method> methods_;
  std::map<Id, Thread> threads_;
  std::uint64_t entries_ = 0;
  std::size_t held_bytes_ = 0;
  std::size_t span_sites_ = 0;
  std::uint32_t other_site_ = 0;  // of methods beyond kMostSpanSites
};

}  // namespace ringside::tool::tptp
