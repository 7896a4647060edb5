#include "libagent/statements/runtime_statements.hpp"

#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string_view>

#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/signals_blocked.hpp"
#include "libagent/recording/statement_registry.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kMostRuntimeStatements = 4096;

// They are only added, with the slow-path lock held, so readers need no lock. A handle is an index
// plus 1.
constinit std::array<std::atomic<RuntimeStatement*>, kMostRuntimeStatements> by_handle{};
constinit std::array<std::atomic<RuntimeStatement*>, 1024> by_hash{};
constinit std::atomic<std::uint32_t> runtime_statement_count{0};

RuntimeStatement* find_equal(RuntimeStatement* first, const RuntimeDescription& description) {
  for (; first != nullptr; first = first->next) {
    if (first->description == description) return first;
  }
  return nullptr;
}

void keep_texts(const RuntimeDescription& given, RuntimeStatement* statement) {
  RuntimeDescription& kept = statement->description;
  kept = given;
  std::string_view* const texts[] = {&kept.format,   &kept.names, &kept.types,
                                     &kept.category, &kept.file,  &kept.function};
  std::string& copy = statement->texts;
  for (const std::string_view* text : texts) copy.append(*text).push_back('\0');
  std::size_t at = 0;
  for (std::string_view* text : texts) {
    *text = std::string_view(copy).substr(at, text->size());
    at += text->size() + 1;
  }
}

void describe_site(RuntimeStatement* statement) {
  const RuntimeDescription& kept = statement->description;
  rs_signature& signature = statement->signature;
  const std::string& types = statement->checked.types;
  signature.count = static_cast<std::uint8_t>(types.size());
  signature.argument_count = signature.count;
  signature.types = reinterpret_cast<const std::uint8_t*>(types.data());
  statement->detail.category = kept.category.data();
  statement->detail.keywords = kept.keywords;
  rs_site& site = statement->site;
  site.state = &rs_initial_switch;
  site.format = kept.format.data();
  site.file = kept.file.data();
  site.function = kept.function.data();
  site.arguments = statement->checked.arguments.c_str();
  site.signature = &signature;
  site.level = kept.level;
  site.style = kept.style;
  if (kept.style == kContextStyle) {
    site.style = RS_STYLE_CONTEXT;
  } else if (kept.style > RS_FORMAT_BRACE) {
    site.style = RS_STYLE_NONE;
    site.flags = kept.style == RS_FORMAT_SPAN ? RS_SITE_SPAN : RS_SITE_COUNTER;
  }
  site.line = kept.line;
  site.detail = &statement->detail;
}

// The handle, or why the statement is refused. Throws std::bad_alloc.
std::int32_t add_runtime_statement(std::atomic<RuntimeStatement*>& bucket,
                                   const RuntimeDescription& description) {
  if (ReentryGuard::is_active()) return RS_REFUSED_MEMORY;
  const SlowCall call;
  const SignalsBlocked blocked;
  const ReentryGuard guard;
  auto statement = std::make_unique<RuntimeStatement>();
  if (const std::int32_t refusal = check(description, &statement->checked)) return refusal;
  keep_texts(description, statement.get());
  describe_site(statement.get());
  const SlowPathLock lock;
  RuntimeStatement* const first = bucket.load(std::memory_order_relaxed);
  // Another thread may have added it since.
  if (const RuntimeStatement* const known = find_equal(first, description)) return known->handle;
  if (are_runtime_statements_used_up()) return RS_REFUSED_CAPACITY;
  const std::uint32_t index = runtime_statement_count.fetch_add(1, std::memory_order_relaxed);
  std::atomic<RuntimeStatement*>& place = by_handle[index];
  statement->handle = static_cast<std::int32_t>(index + 1);
  statement->next = first;
  // Known to the agent before any thread can register it, so that a fork finds and forgets it.
  add_statement(agent(), statement->site, false);
  // Pair with the acquires in runtime_statement() and find_runtime_statement().
  place.store(statement.get(), std::memory_order_release);
  bucket.store(statement.get(), std::memory_order_release);
  return statement.release()->handle;
}

}  // namespace

RuntimeStatement* runtime_statement(std::int32_t handle) {
  if (handle < 1 || handle > static_cast<std::int32_t>(kMostRuntimeStatements)) return nullptr;
  // Pairs with the release in add_runtime_statement().
  return by_handle[static_cast<std::size_t>(handle) - 1].load(std::memory_order_acquire);
}

std::int32_t find_runtime_statement(const RuntimeDescription& description) {
  const std::atomic<RuntimeStatement*>& bucket = by_hash[description.hash() % by_hash.size()];
  // Pairs with the release in add_runtime_statement().
  RuntimeStatement* const first = bucket.load(std::memory_order_acquire);
  const RuntimeStatement* const known = find_equal(first, description);
  return known != nullptr ? known->handle : 0;
}

std::int32_t find_or_add_runtime_statement(const RuntimeDescription& description) {
  if (const std::int32_t known = find_runtime_statement(description)) return known;
  try {
    return add_runtime_statement(by_hash[description.hash() % by_hash.size()], description);
  } catch (const std::bad_alloc&) {
    return RS_REFUSED_MEMORY;
  }
}

bool are_runtime_statements_used_up() {
  return runtime_statement_count.load(std::memory_order_relaxed) == kMostRuntimeStatements;
}

}  // namespace ringside

std::int32_t rs_statement_register(const rs_runtime_statement* statement) {
  using namespace ringside;
  if (statement == nullptr) return RS_REFUSED_POINTER;
  RuntimeDescription description;
  if (const std::int32_t refusal = read_description(*statement, &description)) return refusal;
  return find_or_add_runtime_statement(description);
}
