#include "tools/interop/json/json_sources.hpp"

namespace ringside::tool {

std::uint32_t JsonSources::process(std::string_view key, const ProcessDefinition& definition) {
  key_ = key;
  const auto found = processes_.find(key_);
  if (found != processes_.end()) return found->second;
  if (made_processes_ == TraceBuilder::kMostProcesses) {
    report_.lost("is in the process '(other processes)': a trace has at most 200 named processes");
    // Not stored: there can be any number of them.
    return builder_.process_of_others();
  }
  ++made_processes_;
  return processes_.emplace(key_, builder_.add_process(definition)).first->second;
}

std::uint32_t JsonSources::thread(std::uint32_t process, std::string_view key, std::uint32_t id,
                                  std::string_view name) {
  key_.assign(reinterpret_cast<const char*>(&process), sizeof process);
  key_ += key;
  auto found = threads_.find(key_);
  if (found == threads_.end()) {
    if (made_threads_ == TraceBuilder::kMostStreams) {
      report_.lost("is in another thread: a trace has at most 100000 threads");
      return made_threads_ - 1;
    }
    ++made_threads_;
    Thread made{builder_.add_stream(process, {id, std::string(name)}), std::string(name)};
    return threads_.emplace(key_, std::move(made)).first->second.stream;
  }
  Thread& thread = found->second;
  if (!name.empty() && thread.name != name) {
    thread.name = name;
    builder_.name_thread(thread.stream, name);
  }
  return thread.stream;
}

}  // namespace ringside::tool
