// A service with values to hide and records to leave out. It obeys the lines of its standard input:
//
//     login N   one record with a password that ends in N
//     pass N    records with that password in expressions that are hard to recognise
//     pulse N   N records of a frequent statement, numbered consecutively
//
// It answers each line with "done" once its log calls have returned.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <ringside/format.hpp>
#include <ringside/ringside.hpp>

namespace {

struct User {
  std::string password;
};

template <class A, class B>
int same(int value) {
  return value;
}

const char* nothing_of(const char* text) {
  return text;
}

void pass(const User* u, bool have) {
  const char* const password = u->password.c_str();
  RS_INFO("pass %s", have ? u->password.c_str() : "");
  RS_INFO("pass %s", static_cast<const char*>(password));
  RS_INFO("pass %s", std::string(u->password).c_str());
  RS_INFO("pass %s", nothing_of(password));
  RS_INFO("pass %s %s", R"(a",b)", password);
  RS_INFO("pass %d %s", same<int, long>(1), password);
  RS_INFO("pass %s %s", password, password);
  RS_FMT(INFO, "pass {} {:>12} {who}", u->password, u->password, RS_NAMED("who", 7));
  RS_FMT(INFO, "pass {password:*<20}", RS_NAMED("password", u->password));
}

}  // namespace

int main() {
  ringside::init();
  char line[64] = {};
  std::puts("ready");
  std::fflush(stdout);
  int pulse = 0;
  while (std::fgets(line, sizeof line, stdin) != nullptr) {
    const char* const blank = std::strchr(line, ' ');
    const int number = blank != nullptr ? std::atoi(blank) : 0;
    if (std::strncmp(line, "login", 5) == 0) {
      const std::string user = "ada";
      const std::string password = "hunter-two-" + std::to_string(number);
      const long card = 4000123412341234 + number;
      RS_NOTICE("%s logs in with %s, card %ld, attempt %d", user.c_str(), password.c_str(), card,
                number);
    } else if (std::strncmp(line, "pass", 4) == 0) {
      const User user{"hunter-two-" + std::to_string(number)};
      pass(&user, number >= 0);
    } else if (std::strncmp(line, "pulse", 5) == 0) {
      for (int i = 0; i < number; ++i) RS_DEBUG("pulse %d", pulse++);
    } else {
      return 2;
    }
    std::puts("done");
    std::fflush(stdout);
  }
  return 0;
}
