// Contexts: fields of every record in a scope.
#include <cstdint>
#include <string_view>
#include <thread>

#include <ringside/context.hpp>
#include <ringside/log.hpp>

namespace {

// Knows nothing of users.
void load_orders(std::uint32_t count) {
  RS_INFO("loaded %u orders", count);
}

void handle(std::uint64_t user, std::string_view tenant) {
  const ringside::Context context{{"user", user}, {"tenant", tenant}};
  load_orders(3);
  {
    const ringside::Context step{{"step", "billing"}};
    RS_INFO("billed");
  }
  const ringside::CapturedContext captured;
  std::thread([&captured] {
    const ringside::Context carried(captured);
    RS_INFO("mailed");
  }).join();
}

}  // namespace

int main() {
  handle(7, "acme");
  handle(8, "initech");
  RS_INFO("done");
  return 0;
}
