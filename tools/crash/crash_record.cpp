#include "tools/crash/crash_record.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace ringside::tool {
namespace {

constexpr char kLibraryCategory[] = "ringside";
constexpr std::size_t kMostAddresses = 1024;

class NamedFields {
 public:
  explicit NamedFields(const trace::Record& record) : record_(record) {}

  std::string text(std::string_view name) const {
    const trace::Value* const value = find(name);
    return value != nullptr ? std::string(value->as_text().value_or("")) : std::string();
  }
  std::uint64_t number(std::string_view name) const {
    const trace::Value* const value = find(name);
    if (value == nullptr) return 0;
    if (value->type == shm::FieldType::pointer) return value->u64;
    if (const auto number = value->as_i64()) return static_cast<std::uint64_t>(*number);
    return value->as_u64().value_or(0);
  }
  std::vector<std::uint64_t> addresses(std::string_view name) const {
    const trace::Value* const value = find(name);
    if (value == nullptr || value->type != shm::array_of(shm::FieldType::pointer)) return {};
    std::vector<std::uint64_t> all(std::min(
        {std::size_t{value->count}, value->text.size() / sizeof(std::uint64_t), kMostAddresses}));
    std::memcpy(all.data(), value->text.data(), all.size() * sizeof(std::uint64_t));
    return all;
  }

 private:
  const trace::Value* find(std::string_view name) const {
    const auto& fields = record_.site->fields;
    for (std::size_t i = 0; i < fields.size() && i < record_.args.size(); ++i) {
      if (fields[i].name == name) return &record_.args[i];
    }
    return nullptr;
  }

  const trace::Record& record_;
};

}  // namespace

bool is_library_event(const trace::Site& site, const char* name) {
  return site.name == name && site.category == kLibraryCategory;
}

CrashRecord read_crash(const trace::Event& event) {
  const NamedFields fields(event.record);
  CrashRecord crash;
  crash.unix_ns = event.unix_ns;
  if (event.stream != nullptr) {
    crash.thread_id = event.stream->thread_id;
    crash.thread_name = event.stream->thread_name;
  }
  crash.signal = static_cast<int>(fields.number("signal"));
  crash.signal_name = fields.text("signal_name");
  crash.code = static_cast<int>(fields.number("code"));
  crash.reason = fields.text("reason");
  crash.address = fields.number("address");
  crash.sender_pid = static_cast<std::int64_t>(fields.number("sender_pid"));
  crash.pc = fields.number("pc");
  crash.sp = fields.number("sp");
  crash.fp = fields.number("fp");
  crash.stack = fields.addresses("stack");
  crash.is_stack_cut = fields.number("stack_cut") != 0;
  crash.exception = fields.text("exception");
  crash.what = fields.text("what");
  return crash;
}

std::vector<std::uint64_t> read_stack(const trace::Record& record) {
  return NamedFields(record).addresses("stack");
}

MappedCode read_module(const trace::Record& record) {
  const NamedFields fields(record);
  return {fields.number("begin"), fields.number("end"), fields.number("offset"),
          fields.number("base"),  fields.text("path"),  fields.text("build_id")};
}

}  // namespace ringside::tool
