// A source written for glog that keeps the names of its headers, with what needs the text of
// messages in the service. `// LEVEL| TEXT` is the record of the next line; the test reads it.

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <glog/logging.h>
#include <glog/platform.h>
#include <glog/raw_logging.h>
#include <glog/stl_logging.h>

namespace {

// Keeps the messages that it gets.
class KeepingSink : public google::LogSink {
 public:
  explicit KeepingSink(const char* name) : name_(name) {}
  void send(google::LogSeverity severity, const char* full_filename, const char* base_filename,
            int line, const google::LogMessageTime& time, const char* message,
            std::size_t message_len) override {
    const std::string text = ToString(severity, base_filename, line, time, message, message_len);
    std::cout << name_ << ' ' << text[0] << ' ' << text.substr(text.find("glog_headers")) << ' '
              << (std::string(full_filename) == __FILE__) << '\n';
  }
  void WaitTillSent() override { ++waits; }
  int waits = 0;

 private:
  const char* name_;
};

// Messages of a lower severity are removed.
#undef GOOGLE_STRIP_LOG
#define GOOGLE_STRIP_LOG 2
GLOG_EXPORT void log_stripped() {
  int evaluated = 0;
  LOG(WARNING) << "removed " << ++evaluated;
  // ERROR| kept 0
  LOG(ERROR) << "kept " << evaluated;
}
#undef GOOGLE_STRIP_LOG
#define GOOGLE_STRIP_LOG 0

__extension__ using Wide = __int128;
enum Plain { kSecond = 1 };

void log_to_sinks() {
  KeepingSink added("added");
  KeepingSink given("given");
  google::AddLogSink(&added);
  const std::string buy = "buy";
  const char* const missing = nullptr;
  // INFO| x 1 -2 -3 c buy (null) 1 2.5 1
  LOG(INFO) << "x " << 1 << ' ' << -2L << ' ' << static_cast<short>(-3) << ' ' << 'c' << ' ' << buy
            << ' ' << missing << ' ' << true << ' ' << 2.5 << ' ' << kSecond;
  // WARNING| "/a b" ff -170141183460469231731687303715884105728
  LOG(WARNING) << std::filesystem::path("/a b") << std::hex << " ff "
               << "-170141183460469231731687303715884105728";
  // ERROR| wide -170141183460469231731687303715884105728
  LOG(ERROR) << "wide " << static_cast<Wide>(INT64_MIN) * (Wide{1} << 64);
  // WARNING| to both
  LOG_TO_SINK(&given, WARNING) << "to both";
  LOG_TO_SINK_BUT_NOT_TO_LOGFILE(&given, ERROR) << "not recorded";
  google::RemoveLogSink(&added);
  // INFO| after the sink
  LOG(INFO) << "after the sink";
  std::cout << added.waits << given.waits << '\n';
}

void log_texts() {
  for (google::LogSeverity severity = google::GLOG_INFO; severity < google::GLOG_ERROR;
       ++severity) {
    LOG_AT_LEVEL(severity) << "at " << google::GetLogSeverityName(severity) << '\n';
  }
  std::string text;
  // INFO| kept 1
  LOG_TO_STRING(INFO, &text) << "kept " << 1;
  std::vector<std::string> list;
  LOG_STRING(ERROR, &list) << "not recorded";
  // ERROR| recorded
  LOG_STRING(ERROR, nullptr) << "recorded";
  // WARNING| message
  google::LogMessage(__FILE__, __LINE__, google::GLOG_WARNING).stream() << "message";
  std::cout << text << '/' << list.at(0) << '\n';
}

void log_containers() {
  const std::vector<int> numbers{1, 2, 3};
  const std::map<std::string, std::vector<int>> map{{"a", numbers}, {"b", {}}};
  CHECK_EQ(numbers, map.at("a")) << "containers";
  // INFO| 1 2 3 and (a, 1 2 3) (b, )
  LOG(INFO) << numbers << " and " << map;
  // INFO| hex a f
  LOG(INFO) << "hex " << std::hex << std::vector<int>{10, 15};
  std::ostringstream many;
  many << std::vector<int>(101, 7);
  std::cout << many.str().size() << many.str().substr(196) << '\n';
}

void log_raw() {
  // ERROR| raw 7 text
  RAW_LOG(ERROR, "raw %d %s", 7, "text");
  RAW_VLOG(1, "too verbose");
  RAW_CHECK(FLAGS_v == 0, "not recorded");
  // INFO| debugging
  RAW_DLOG(INFO, "debugging");
}

void set_what_has_no_effect() {
  FLAGS_log_dir = "unused";
  FLAGS_log_prefix = false;
  google::SetApplicationFingerprint("unused");
  google::InstallFailureSignalHandler();
  google::InstallFailureSignalHandler();
  google::SetVLOGLevel("unused", 2);
  if (google::IsFailureSignalHandlerInstalled() || FLAGS_log_prefix) std::cout << "wrong\n";
}

__attribute__((noreturn)) void end() {
  std::_Exit(1);
}

}  // namespace

int main(int /*argc*/, char** argv) {
  google::InitGoogleLogging(argv[0]);
  log_to_sinks();
  log_stripped();
  log_texts();
  log_containers();
  log_raw();
  set_what_has_no_effect();
  const google::logging_fail_func_t own = &end;
  const google::logging_fail_func_t former = google::InstallFailureFunction(own);
  if (google::InstallFailureFunction(former) != own) return 1;
  return google::StrError(0) == "Success" ? 0 : 1;
}
