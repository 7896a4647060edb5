#include "tools/interop/tptp/tptp_method_spans.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "shm-layout/record_head.hpp"
#include "tools/interop/tptp/tptp_native_site.hpp"

namespace ringside::tool::tptp {
namespace {

constexpr std::size_t kMostMethodNameBytes = 2000;

constexpr std::string_view kNoExit = "a methodEntry has no duration: its methodExit is missing";
constexpr std::string_view kManyCalls =
    "a methodEntry has no duration: more than 64 MiB of calls have not returned";
constexpr std::string_view kBackwards =
    "a methodExit is before its methodEntry: the duration became 0";
constexpr std::string_view kManyMethods =
    "has the name 'methodEntry': at most 50000 methods have statements of their own";

std::int64_t attribute_number(const Message& message, std::string_view xml) {
  return message.numbers[message.type->find(xml)];
}

std::string attribute_text(const Message& message, std::string_view xml) {
  return std::string(message.texts[message.type->find(xml)].substr(0, kMostMethodNameBytes));
}

}  // namespace

void MethodSpans::define(const Message& message, std::size_t process) {
  if (message.type->id == kClassDefId) {
    const Id id(process, attribute_number(message, "classId"));
    if (classes_.size() >= kMostDefinitions && classes_.count(id) == 0) return;
    classes_[id] = {attribute_text(message, "name"), attribute_text(message, "sourceName")};
    return;
  }
  const Id id(process, attribute_number(message, "methodId"));
  if (methods_.size() >= kMostDefinitions && methods_.count(id) == 0) return;
  const std::int64_t line = attribute_number(message, "startLineNumber");
  const bool has_line = line > 0 && line <= std::numeric_limits<std::uint32_t>::max();
  methods_[id] = {attribute_text(message, "name"), attribute_number(message, "classIdRef"),
                  has_line ? static_cast<std::uint32_t>(line) : 0, 0};
}

std::size_t MethodSpans::bytes_of(const Call& call) {
  return sizeof call + call.values.size() + 64;  // and its places in maps
}

void MethodSpans::enter(const Message& entry, std::size_t process, std::uint32_t stream,
                        std::uint64_t unix_ns, std::string&& values) {
  Call call;
  call.stream = stream;
  call.unix_ns = unix_ns;
  call.process = process;
  call.method = attribute_number(entry, "methodIdRef");
  call.class_id = attribute_number(entry, "classIdRef");
  call.ticket = attribute_number(entry, "ticket");
  call.values = std::move(values);
  held_bytes_ += bytes_of(call);
  Thread& thread = threads_[Id(process, attribute_number(entry, "threadIdRef"))];
  thread.by_ticket[call.ticket].push_back(entries_);
  thread.open.emplace_hint(thread.open.end(), entries_++, std::move(call));
  if (held_bytes_ <= kMostHeldBytes) return;
  end();
}

void MethodSpans::leave(const Message& exit, std::size_t process, std::uint64_t unix_ns) {
  const auto thread = threads_.find(Id(process, attribute_number(exit, "threadIdRef")));
  if (thread == threads_.end()) return;
  auto& [open, by_ticket] = thread->second;
  const auto numbers = by_ticket.find(attribute_number(exit, "ticket"));
  if (numbers == by_ticket.end()) return;
  const auto place = open.find(numbers->second.back());
  numbers->second.pop_back();
  if (numbers->second.empty()) by_ticket.erase(numbers);
  Call call = std::move(place->second);
  const auto after = open.erase(place);
  if (unix_ns < call.unix_ns) report_.lost(kBackwards);
  call.has_returned = true;
  call.duration = unix_ns < call.unix_ns ? 0 : unix_ns - call.unix_ns;
  if (after != open.begin() && std::prev(after)->second.unix_ns == call.unix_ns) {
    std::vector<Call>& within = std::prev(after)->second.within;
    std::vector<Call> inner = std::move(call.within);
    call.within.clear();
    within.push_back(std::move(call));
    std::move(inner.begin(), inner.end(), std::back_inserter(within));
  } else {
    add(call);
  }
  if (open.empty()) threads_.erase(thread);
}

void MethodSpans::end() {
  const bool is_full = held_bytes_ > kMostHeldBytes;
  for (const auto& [id, thread] : threads_) {
    report_.lost(is_full ? kManyCalls : kNoExit, thread.open.size());
    for (const auto& [number, call] : thread.open) add(call);
  }
  threads_.clear();
}

void MethodSpans::add(const Call& call) {
  held_bytes_ -= bytes_of(call);
  trace::RecordExtension extension;
  if (call.has_returned) {
    extension.ext_flags = shm::kExtDuration;
    extension.duration = call.duration;
  }
  const std::uint32_t site = site_of(call);
  if (site == 0) {
    report_.lost("is left out: a trace has at most about a million statements");
  } else {
    builder_.begin(call.stream, site, call.unix_ns, extension);
    builder_.put_values(call.values);
    builder_.end();
  }
  for (const Call& inner : call.within) add(inner);
}

// A method without a definition gets one that has its number.
std::uint32_t MethodSpans::site_of(const Call& call) {
  const Id id(call.process, call.method);
  auto found = methods_.find(id);
  if (found == methods_.end() && methods_.size() < kMostDefinitions) {
    Method unknown;
    unknown.name = "method " + std::to_string(call.method);
    unknown.class_id = call.class_id;
    found = methods_.emplace(id, std::move(unknown)).first;
  }
  if (found != methods_.end() && found->second.site != 0) return found->second.site;
  if (found != methods_.end() && span_sites_ < kMostSpanSites) {
    ++span_sites_;
    return found->second.site = make_site(found->second, call);
  }
  report_.lost(kManyMethods);
  if (other_site_ == 0) {
    Method other;
    other.name = find_message_type(kMethodEntryId)->tag;
    Call without_class;
    without_class.class_id = std::numeric_limits<std::int64_t>::min();
    other_site_ = make_site(other, without_class);
  }
  return other_site_;
}

std::uint32_t MethodSpans::make_site(const Method& method, const Call& call) {
  if (builder_.sites() >= TraceBuilder::kMostSites) return 0;
  SiteDefinition site = definition_of(*find_message_type(kMethodEntryId));
  site.kind = shm::SiteKind::kSpan;
  auto of_class = classes_.find(Id(call.process, method.class_id));
  if (of_class == classes_.end()) of_class = classes_.find(Id(call.process, call.class_id));
  site.name = method.name;
  if (of_class != classes_.end()) {
    site.name = of_class->second.name + '.' + method.name;
    site.file = of_class->second.file;
  }
  site.function = method.name;
  site.line = method.line;
  return builder_.add_site(site);
}

}  // namespace ringside::tool::tptp
