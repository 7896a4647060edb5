#include "libagent/crashes/crash_statements.hpp"

#include <array>
#include <cstring>
#include <exception>

#include "libagent/include/ringside/ringside.h"
#include "libagent/process/reentry_guard.hpp"
#include "libagent/process/slow_call.hpp"
#include "libagent/recording/agent.hpp"
#include "libagent/recording/statement_registry.hpp"
#include "shm-layout/field_type.hpp"

namespace ringside {
namespace {

using shm::FieldType;

constexpr std::uint8_t kCrashTypes[] = {
    shm::code(FieldType::i32),     shm::code(FieldType::string),
    shm::code(FieldType::i32),     shm::code(FieldType::string),
    shm::code(FieldType::pointer), shm::code(FieldType::i32),
    shm::code(FieldType::pointer), shm::code(FieldType::pointer),
    shm::code(FieldType::pointer), shm::code(shm::array_of(FieldType::pointer)),
    shm::code(FieldType::boolean), shm::code(FieldType::string),
    shm::code(FieldType::string)};
constexpr char kCrashNames[] =
    R"("", RS_NAMED("signal", _), RS_NAMED("signal_name", _), RS_NAMED("code", _),)"
    R"( RS_NAMED("reason", _), RS_NAMED("address", _), RS_NAMED("sender_pid", _),)"
    R"( RS_NAMED("pc", _), RS_NAMED("sp", _), RS_NAMED("fp", _), RS_NAMED("stack", _),)"
    R"( RS_NAMED("stack_cut", _), RS_NAMED("exception", _), RS_NAMED("what", _))";

constexpr std::uint8_t kModuleTypes[] = {
    shm::code(FieldType::string),  shm::code(FieldType::string),  shm::code(FieldType::pointer),
    shm::code(FieldType::pointer), shm::code(FieldType::pointer), shm::code(FieldType::u64)};
constexpr char kModuleNames[] =
    R"("", RS_NAMED("path", _), RS_NAMED("build_id", _), RS_NAMED("base", _),)"
    R"( RS_NAMED("begin", _), RS_NAMED("end", _), RS_NAMED("offset", _))";

constexpr rs_signature kCrashSignature = {kCrashTypes, nullptr, sizeof kCrashTypes,
                                          sizeof kCrashTypes};
constexpr rs_signature kModuleSignature = {kModuleTypes, nullptr, sizeof kModuleTypes,
                                           sizeof kModuleTypes};
constexpr rs_signature kExitSignature = {nullptr, nullptr, 0, 0};

constexpr rs_site_detail kCrashDetail = {"ringside.crash", "ringside", 0, nullptr};
constexpr rs_site_detail kModuleDetail = {"ringside.module", "ringside", 0, nullptr};
constexpr rs_site_detail kExitDetail = {"ringside.exit", "ringside", 0, nullptr};

constexpr rs_site event_site(const char* name, const char* arguments, const rs_signature& signature,
                             const rs_site_detail& detail, std::uint8_t level) {
  rs_site site{};
  site.state = &rs_initial_switch;
  site.format = name;
  site.file = "";
  site.function = "";
  site.arguments = arguments;
  site.signature = &signature;
  site.level = level;
  site.style = RS_STYLE_NONE;
  site.detail = &detail;
  return site;
}

constinit rs_site g_crash_site =
    event_site("ringside.crash", kCrashNames, kCrashSignature, kCrashDetail, RS_LEVEL_CRITICAL);
constinit rs_site g_module_site =
    event_site("ringside.module", kModuleNames, kModuleSignature, kModuleDetail, RS_LEVEL_CRITICAL);
constinit rs_site g_exit_site =
    event_site("ringside.exit", "\"\"", kExitSignature, kExitDetail, RS_LEVEL_NOTICE);

// Field by field, in the order of a statement's types.
class Pieces {
 public:
  void add_text(std::string_view text) {
    add({text.data(), static_cast<std::uint32_t>(text.size()), RS_PIECE_TEXT});
  }
  // The number must outlive the record.
  template <class Number>
  void add_number(const Number& number) {
    add({&number, sizeof number, RS_PIECE_PLAIN});
  }
  void add_array(const rs_array& array, std::uint32_t bytes) {
    add({&array, bytes, RS_PIECE_ARRAY});
  }
  void record(rs_site& site) const {
    const std::uint8_t state = rs_site_enabled(&site);
    if (state != RS_SWITCH_OFF) rs_record_pieces(&site, state, pieces_.data(), count_);
  }

 private:
  void add(const rs_piece& piece) { pieces_[count_++] = piece; }

  std::array<rs_piece, sizeof kCrashTypes> pieces_{};
  std::uint32_t count_ = 0;
};

constexpr std::uint32_t kAddressBytes = sizeof(std::uint64_t);

std::uint32_t fitting_addresses(const void* addresses, std::uint32_t bytes) {
  const auto all = static_cast<std::uint32_t>(static_cast<const StackAddresses*>(addresses)->count);
  const std::uint32_t fitting = bytes / kAddressBytes;
  return (all < fitting ? all : fitting) * kAddressBytes;
}

void store_addresses(const void* addresses, unsigned char* out, std::uint32_t bytes) {
  const std::uint32_t count = bytes / kAddressBytes;
  std::memcpy(out, &count, sizeof count);
  std::memcpy(out + sizeof count, static_cast<const StackAddresses*>(addresses)->addresses.data(),
              bytes);
}

}  // namespace

bool register_crash_statements() {
  if (SlowPathLock::is_held()) return false;
  const SlowPathLock lock;
  try {
    Agent& a = agent();
    const bool is_live = ensure_segment(a);
    for (rs_site* site : {&g_crash_site, &g_module_site, &g_exit_site}) {
      add_statement(a, *site, false);
      if (is_live && register_statement(a, *site)) return false;
    }
    return is_live;
  } catch (const std::exception&) {  // no memory
    return false;
  }
}

bool know_module_statement() {
  if (is_registered(g_module_site)) return true;
  if (ReentryGuard::is_active()) return false;
  const SlowCall call;
  const SlowPathLock lock(SlowPathLock::Wait::bounded);
  if (!lock.is_taken()) return false;
  add_statement(agent(), g_module_site, false);
  return true;
}

bool can_record_crash() {
  return agent().segment.load(std::memory_order_acquire) != nullptr &&
         is_registered(g_crash_site) && is_registered(g_module_site);
}

void record_module(const MappedModule& module) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::array<char, 2 * MappedModule::kMostBuildIdBytes> build_id{};
  for (std::size_t i = 0; i < module.build_id_bytes; ++i) {
    build_id[2 * i] = kDigits[module.build_id[i] >> 4];
    build_id[2 * i + 1] = kDigits[module.build_id[i] & 15];
  }
  Pieces pieces;
  pieces.add_text(module.path_text());
  pieces.add_text({build_id.data(), 2 * module.build_id_bytes});
  pieces.add_number(module.base);
  pieces.add_number(module.begin);
  pieces.add_number(module.end);
  pieces.add_number(module.offset);
  pieces.record(g_module_site);
}

void record_crash(const CrashFacts& facts, const StackAddresses& stack) {
  const rs_array addresses = {&stack, &fitting_addresses, &store_addresses};
  const std::uint8_t is_cut = stack.is_cut ? 1 : 0;
  Pieces pieces;
  pieces.add_number(facts.signal);
  pieces.add_text(facts.signal_name);
  pieces.add_number(facts.code);
  pieces.add_text(facts.reason);
  pieces.add_number(facts.address);
  pieces.add_number(facts.sender_pid);
  pieces.add_number(facts.registers.pc);
  pieces.add_number(facts.registers.sp);
  pieces.add_number(facts.registers.fp);
  pieces.add_array(addresses, static_cast<std::uint32_t>(stack.count) * kAddressBytes);
  pieces.add_number(is_cut);
  pieces.add_text(facts.exception);
  pieces.add_text(facts.what);
  pieces.record(g_crash_site);
}

void record_exit() {
  Pieces().record(g_exit_site);
}

}  // namespace ringside
