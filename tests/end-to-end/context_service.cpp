// Threads that log in random contexts. Each record states in its own fields which context it must
// have. usage: THREADS RECORDS SEED [drop|fork|same]; 0 records: until it is killed.
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include <ringside/context.hpp>
#include <ringside/event.hpp>
#include <sys/wait.h>

namespace {

using Fields = std::map<std::string, std::string>;

std::string text_of(const Fields& fields) {
  std::string text;
  for (const auto& [name, value] : fields) text.append(name).append("=").append(value).append(";");
  return text;
}

class Scopes {
 public:
  explicit Scopes(std::uint64_t seed) : random_(seed) {}

  void log(std::uint64_t number) {
    const std::string expected = text_of(fields_);
    if (random_() % 8 == 0) {
      // Not coded in the encoder's loop.
      RS_EVENT(WARNING, "wide", RS_ARG(number), RS_NAMED("expected", expected),
               RS_NAMED("more", std::string(random_() % 300, 'x')));
    } else {
      RS_EVENT(INFO, "record", RS_ARG(number), RS_NAMED("expected", expected));
    }
  }

  // Logs records in the present context and in inner ones.
  void run(std::uint64_t& number, std::uint64_t end, unsigned depth) {
    const std::uint64_t actions = 1 + random_() % 12;
    for (std::uint64_t i = 0; i < actions && number < end; ++i) {
      if (depth < 4 && random_() % 3 == 0) {
        run_inside(number, end, depth);
      } else {
        log(number++);
      }
    }
  }

  const Fields& fields() const { return fields_; }
  void set_fields(Fields fields) { fields_ = std::move(fields); }

 private:
  void run_inside(std::uint64_t& number, std::uint64_t end, unsigned depth) {
    const Fields before = fields_;
    const std::uint64_t user = random_() % 100;
    const std::string tenant(1 + random_() % 20, static_cast<char>('a' + random_() % 26));
    switch (random_() % 4) {
      case 0: {
        fields_["user"] = std::to_string(user);
        const ringside::Context context{{"user", user}};
        run(number, end, depth + 1);
        break;
      }
      case 1: {
        fields_["tenant"] = tenant;
        const ringside::Context context{{"tenant", tenant}};
        run(number, end, depth + 1);
        break;
      }
      case 2: {
        fields_["user"] = std::to_string(user);
        fields_["tenant"] = tenant;
        fields_["ok"] = user % 2 == 0 ? "true" : "false";
        const ringside::Context context{
            {"user", user}, {"tenant", std::string_view(tenant)}, {"ok", user % 2 == 0}};
        run(number, end, depth + 1);
        break;
      }
      default: {
        // Without a record in between, nothing is stated.
        const ringside::Context unused{{"unused", 1}};
      }
    }
    fields_ = before;
  }

  std::mt19937_64 random_;
  Fields fields_;
};

void log_in_contexts(unsigned thread, std::uint64_t records, std::uint64_t seed) {
  Scopes scopes(seed * 1000 + thread);
  const std::uint64_t end = records == 0 ? UINT64_MAX : records;
  for (std::uint64_t number = 0; number < end;) scopes.run(number, end, 0);
}

// A context of one thread in another one.
void log_in_carried_context() {
  std::optional<ringside::CapturedContext> captured;
  {
    const ringside::Context context{{"user", 7}, {"tenant", "carried"}};
    captured.emplace();
  }
  std::thread([&captured] {
    Scopes scopes(0);
    const ringside::Context context(*captured);
    scopes.set_fields({{"tenant", "carried"}, {"user", "7"}});
    for (std::uint64_t i = 0; i < 10; ++i) scopes.log(i);
  }).join();
}

// Threads, one after the other, that are in the same context all the time. 0 records: one thread.
void log_in_the_same_context(std::uint64_t records) {
  for (;;) {
    std::thread([records] {
      Scopes scopes(0);
      const ringside::Context context{{"tenant", "acme"}};
      scopes.set_fields({{"tenant", "acme"}});
      for (std::uint64_t i = 0; records == 0 || i < records; ++i) {
        scopes.log(i);
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }).join();
  }
}

// A context that is in force when the process forks, in the child.
int log_after_fork() {
  const ringside::Context context{{"user", 1}, {"tenant", "parent"}};
  Scopes scopes(0);
  scopes.set_fields({{"tenant", "parent"}, {"user", "1"}});
  scopes.log(0);
  const pid_t child = fork();
  if (child == 0) {
    {
      const ringside::Context inner{{"user", 2}};
      scopes.set_fields({{"tenant", "parent"}, {"user", "2"}});
      scopes.log(1);
    }
    scopes.set_fields({{"tenant", "parent"}, {"user", "1"}});
    scopes.log(2);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  scopes.log(3);
  return status;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  const auto threads = static_cast<unsigned>(std::strtoul(argv[1], nullptr, 10));
  const std::uint64_t records = std::strtoull(argv[2], nullptr, 10);
  const std::uint64_t seed = std::strtoull(argv[3], nullptr, 10);
  if (argc > 4 && std::string_view(argv[4]) == "fork") return log_after_fork();
  if (argc > 4 && std::string_view(argv[4]) == "same") log_in_the_same_context(records);
  log_in_carried_context();
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(log_in_contexts, i, records, seed);
  for (std::thread& thread : all) thread.join();
  return 0;
}
