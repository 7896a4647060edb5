// Brace style: the placeholders of std::format, by order, position or name.
#include <string>

#include <ringside/format.hpp>
#include <ringside/ringside.hpp>

int main() {
  const std::string user = "ann";
  const unsigned id = 0xbeef;
  RS_FMT(INFO, "table {} has id {:>8x}", "orders", id);
  RS_FMT_INFO("{user} paid {amount:.2f}", RS_NAMED("user", user), RS_NAMED("amount", 12.5));
  RS_FMT_NOTICE("{1} comes before {0}; {{}} is text", "second", "first");
  const int width = 9;
  RS_FMT_WARNING("[{:*^{}}] [{:+}] [{:#b}] [{}]", user, width, 7, 5, true);
  // A named argument needs no placeholder: it is a field that queries find.
  RS_FMT_ERROR("payment of {user} failed", RS_NAMED("user", user), RS_NAMED("attempt", 3));
  return 0;
}
