// The calls of <ringside/netlogger.h> for texts that are only known at run time.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>
#include <utility>
#include <wchar.h>

#include "libagent/description/statement_texts.hpp"
#include "libagent/include/ringside/netlogger.h"
#include "libagent/process/cancellation_off.hpp"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/loss_count.hpp"
#include "libagent/recording/signals_blocked.hpp"
#include "libagent/recording/statement_registry.hpp"
#include "libagent/statements/value_piece.hpp"
#include "shm-layout/loss_cause.hpp"
#include "shm-layout/printf_fields.hpp"

namespace ringside {
namespace {

constexpr std::uint32_t kMostStatements = 4096;

}  // namespace

// Immutable once it is in its bucket, except `site`, which the library changes.
struct HandleStatement {
  rs_site site{};
  std::unique_ptr<rs_field[]> fields;               // one for each conversion
  std::unique_ptr<shm::PrintfField[]> conversions;  // of the variables
  std::uint32_t count = 0;
  std::unique_ptr<char[]> bytes;  // of the texts, each with its NUL
  StatementTexts texts;
  HandleStatement* next = nullptr;  // in its bucket
};

namespace {

std::unique_ptr<HandleStatement> make_statement(const StatementTexts& texts) {
  std::unique_ptr<HandleStatement> statement(new (std::nothrow) HandleStatement);
  if (!statement) return nullptr;
  const std::size_t bytes =
      texts.event.size() + texts.constants.size() + texts.variables.size() + 3;
  statement->bytes.reset(new (std::nothrow) char[bytes]());
  if (!statement->bytes) return nullptr;
  char* at = statement->bytes.get();
  const auto keep = [&at](std::string_view text) {
    const std::string_view copy(at, text.size());
    if (!text.empty()) std::memcpy(at, text.data(), text.size());
    at += text.size() + 1;
    return copy;
  };
  StatementTexts& kept = statement->texts;
  kept.event = keep(texts.event);
  kept.constants = keep(texts.constants);
  kept.variables = keep(texts.variables);
  // Invalid variables are refused when the statement is registered, by the same text.
  const shm::FieldList conversions = shm::printf_fields(kept.variables);
  statement->count = conversions.count;
  statement->fields.reset(new (std::nothrow) rs_field[conversions.count + 1]());
  statement->conversions.reset(new (std::nothrow) shm::PrintfField[conversions.count + 1]());
  if (!statement->fields || !statement->conversions) return nullptr;
  std::ranges::copy(conversions, statement->conversions.get());
  rs_site& site = statement->site;
  site.state = &rs_initial_switch;
  site.format = kept.variables.data();
  site.file = "";
  site.function = "";
  site.arguments = kept.event.data();
  site.fields = statement->fields.get();
  site.level = RS_LEVEL_INFO;
  site.style = RS_STYLE_PRINTF;
  site.flags = RS_SITE_NETLOGGER | RS_SITE_BY_FORMAT;
  return statement;
}

// The analyzer does not see that the callers have started the lists.
// NOLINTBEGIN(clang-analyzer-valist.Uninitialized)
rs_arg take_integer(const shm::PrintfField& field, va_list* values) {
  rs_arg arg{};
  arg.kind = RS_ARG_INTEGER;
  switch (field.length) {
    case shm::LengthModifier::ll:
      arg.value.integer = static_cast<std::uint64_t>(va_arg(*values, long long));
      break;
    case shm::LengthModifier::none:
    case shm::LengthModifier::h:
    case shm::LengthModifier::hh:
      arg.value.integer = static_cast<std::uint64_t>(std::int64_t{va_arg(*values, int)});
      break;
    default:  // l z j t: all of them are long on LP64; %lc takes a wint_t
      arg.value.integer =
          field.wide ? va_arg(*values, wint_t) : static_cast<std::uint64_t>(va_arg(*values, long));
      break;
  }
  return arg;
}

// An argument with the type of its conversion; the record keeps the low bytes of its type.
rs_arg take_argument(const shm::PrintfField& field, va_list* values) {
  rs_arg arg{};
  switch (field.conversion) {
    case 's':
    case 'S':
    case 'p':
      arg.kind = RS_ARG_POINTER;
      arg.value.pointer = va_arg(*values, const void*);
      return arg;
    case 'C':
      arg.kind = RS_ARG_INTEGER;
      arg.value.integer = va_arg(*values, wint_t);
      return arg;
    case 'd':
    case 'i':
    case 'u':
    case 'o':
    case 'x':
    case 'X':
    case 'b':
    case 'B':
    case 'c':
      return take_integer(field, values);
    default:
      break;
  }
  if (field.length == shm::LengthModifier::L) {
    const long double number = va_arg(*values, long double);
    arg.kind = RS_ARG_LONG_DOUBLE;
    std::memcpy(arg.value.long_number, &number, sizeof number);
  } else {
    arg.kind = RS_ARG_DOUBLE;
    arg.value.number = va_arg(*values, double);
  }
  return arg;
}

// NOLINTEND(clang-analyzer-valist.Uninitialized)

// For up to `kRoom` variables: events with few need little of the stack.
template <std::size_t kRoom>
[[gnu::noinline]] void record_event(HandleStatement& statement, std::uint8_t state,
                                    va_list* values) {
  std::array<rs_arg, kRoom> args;
  for (std::uint32_t i = 0; i < statement.count; ++i) {
    args[i] = take_argument(statement.conversions[i], values);
  }
  rs_record_args(&statement.site, state, args.data(), statement.count);
}

template <std::size_t kRoom>
[[gnu::noinline]] std::int32_t record_values(HandleStatement& statement, std::uint8_t state,
                                             std::span<const rs_value> values) {
  std::array<rs_piece, kRoom> pieces;
  std::array<NumberPlace, kRoom> numbers;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const shm::PrintfField& wanted = statement.conversions[i];
    const std::uint64_t limit =
        text_limit({statement.conversions.get(), statement.count}, i, values);
    if (wanted.wide ||
        !convert_any_number(values[i], wanted.type, limit, &numbers[i], &pieces[i])) {
      return RS_REFUSED_VALUE;
    }
  }
  rs_record_pieces(&statement.site, state, pieces.data(), statement.count);
  return 1;
}

}  // namespace
}  // namespace ringside

using ringside::HandleStatement;

// Statements by their texts. They are only added, with the slow-path lock held, so readers need no
// lock.
struct rs_netlogger {
  rs_netlogger() = default;
  ~rs_netlogger() {
    for (std::atomic<HandleStatement*>& bucket : buckets_) {
      HandleStatement* statement = bucket.load(std::memory_order_acquire);
      while (statement != nullptr) {
        rs_site* const site = &statement->site;
        rs_sites_unloaded(&site, &site + 1);
        delete std::exchange(statement, statement->next);
      }
    }
  }
  rs_netlogger(const rs_netlogger&) = delete;
  rs_netlogger& operator=(const rs_netlogger&) = delete;

  // Null if there is no memory, or no room for another statement.
  HandleStatement* of(const ringside::StatementTexts& texts) {
    std::atomic<HandleStatement*>& bucket = buckets_[texts.bucket()];
    // Pairs with the release in add().
    HandleStatement* const known = find(bucket.load(std::memory_order_acquire), texts);
    return known != nullptr ? known : add(bucket, texts);
  }

 private:
  static HandleStatement* find(HandleStatement* first, const ringside::StatementTexts& texts) {
    for (; first != nullptr; first = first->next) {
      if (first->texts == texts) return first;
    }
    return nullptr;
  }

  HandleStatement* add(std::atomic<HandleStatement*>& bucket,
                       const ringside::StatementTexts& texts) {
    if (ringside::ReentryGuard::is_active()) return nullptr;
    const ringside::SlowCall call;
    const ringside::SignalsBlocked blocked;
    const ringside::ReentryGuard guard;
    if (count_.load(std::memory_order_relaxed) == ringside::kMostStatements) return nullptr;
    auto statement = ringside::make_statement(texts);
    if (!statement) return nullptr;
    const ringside::SlowPathLock lock;
    HandleStatement* const first = bucket.load(std::memory_order_relaxed);
    // Another thread may have added it since.
    if (HandleStatement* const known = find(first, texts)) return known;
    if (count_.load(std::memory_order_relaxed) == ringside::kMostStatements) return nullptr;
    count_.fetch_add(1, std::memory_order_relaxed);
    statement->next = first;
    // Known to the agent before any thread can register it, so that a fork finds and forgets it.
    ringside::add_statement(ringside::agent(), statement->site, false);
    // Pairs with the acquire in of().
    bucket.store(statement.get(), std::memory_order_release);
    return statement.release();
  }

  std::array<std::atomic<HandleStatement*>, ringside::StatementTexts::kBuckets> buckets_{};
  std::atomic<std::uint32_t> count_{0};
};

rs_netlogger* rs_netlogger_open(void) {
  const ringside::CancellationOff cancellation_off;
  return new (std::nothrow) rs_netlogger;
}

void rs_netlogger_close(rs_netlogger* handle) {
  const ringside::CancellationOff cancellation_off;
  delete handle;
}

namespace {

// Null, and counted as lost, if there is no handle, no memory, or no room for another statement.
HandleStatement* statement_of(rs_netlogger* handle, const char* event, const char* constants,
                              const char* variables) {
  const auto text_of = [](const char* text) {
    return text == nullptr ? std::string_view("") : std::string_view(text);
  };
  HandleStatement* const statement =
      handle == nullptr ? nullptr
                        : handle->of({text_of(event), text_of(constants), text_of(variables)});
  if (statement == nullptr) {
    ringside::count_refusal(nullptr, handle == nullptr ? ringside::shm::LossCause::kNoSharedMemory
                                                       : ringside::shm::LossCause::kDictionaryFull);
  }
  return statement;
}

void write_list(HandleStatement* statement, va_list* values) {
  if (statement == nullptr) return;
  const std::uint8_t state = rs_site_enabled(&statement->site);
  if (state == RS_SWITCH_OFF) return;
  if (statement->count <= RS_FEW_FIELDS) {
    ringside::record_event<RS_FEW_FIELDS>(*statement, state, values);
  } else {
    ringside::record_event<RS_MAX_FIELDS>(*statement, state, values);
  }
}

}  // namespace

void rs_netlogger_write(rs_netlogger* handle, const char* event, const char* constants,
                        const char* variables, ...) {
  va_list values;
  va_start(values, variables);
  write_list(statement_of(handle, event, constants, variables), &values);
  va_end(values);
}

void rs_netlogger_vwrite(rs_netlogger* handle, const char* event, const char* constants,
                         const char* variables, va_list values) {
  va_list copy;
  va_copy(copy, values);  // a va_list parameter may be a pointer
  write_list(statement_of(handle, event, constants, variables), &copy);
  va_end(copy);
}

std::int32_t rs_netlogger_write_values(rs_netlogger* handle, const char* event,
                                       const char* constants, const char* variables,
                                       const rs_value* values, std::uint32_t count) {
  if (values == nullptr && count != 0) return RS_REFUSED_POINTER;
  HandleStatement* const statement = statement_of(handle, event, constants, variables);
  if (statement == nullptr) return handle == nullptr ? RS_REFUSED_HANDLE : RS_REFUSED_MEMORY;
  if (count != statement->count) return RS_REFUSED_COUNT;
  const std::uint8_t state = rs_site_enabled(&statement->site);
  if (state == RS_SWITCH_OFF) return 0;
  return count <= RS_FEW_FIELDS
             ? ringside::record_values<RS_FEW_FIELDS>(*statement, state, {values, count})
             : ringside::record_values<RS_MAX_FIELDS>(*statement, state, {values, count});
}
