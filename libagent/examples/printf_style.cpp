// printf style: the compiler checks each conversion, and %s and %d take what people pass.
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <ringside/ringside.hpp>

namespace {

enum class State : std::uint8_t { idle = 1, busy };

void open_table(const std::string& name, std::string_view owner,
                const std::filesystem::path& file) {
  RS_INFO("table '%s' of %s is in %s", name, owner, file);
}

void report(State state, std::int64_t bytes, unsigned short port) {
  RS_NOTICE("port %d is %s (%d), %d bytes sent, 0x%x", port, state, state, bytes, bytes);
}

}  // namespace

int main() {
  open_table("orders", "ann", "/var/lib/orders");
  report(State::busy, 5'000'000'000, 8080);
  const char symbol[] = {'A', 'B', 'C'};  // not terminated
  RS_WARNING("%.*s|%-8s|%8.3f|%+d", 3, symbol, "left", 3.14159, 7);
  errno = ENOENT;
  RS_ERROR("cannot open the table: errno %d", errno);
  return 0;
}
