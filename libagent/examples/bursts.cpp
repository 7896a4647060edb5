// A burst: one reading of the clock for all statements in its scope.
#include <ringside/burst.hpp>
#include <ringside/ringside.hpp>

namespace {

struct Level {
  unsigned price;
  unsigned size;
};

void check(const Level& level) {
  if (level.size > 500) RS_WARNING("%u at %u is much", level.size, level.price);
}

// Takes the burst of its caller.
void log_level(const Level& level, [[maybe_unused]] const ringside::Burst& rs_burst) {
  RS_DEBUG("%u at %u", level.size, level.price);
}

}  // namespace

int main() {
  const Level book[] = {{10013, 200}, {10012, 900}, {10011, 400}};
  ringside::Burst rs_burst;  // statements look for this name
  RS_INFO("book of %zu levels", sizeof book / sizeof *book);
  for (const Level& level : book) {
    log_level(level, rs_burst);
    check(level);
  }
  RS_INFO("end of the book");
  return 0;
}
