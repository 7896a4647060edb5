#include "trace-format/trace_paths.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ringside::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".ringtrace";
constexpr std::string_view kPackedExtension = ".zst";

}  // namespace

std::string_view unpacked_name(std::string_view path) {
  if (path.ends_with(kPackedExtension)) {
    const std::string_view rest = path.substr(0, path.size() - kPackedExtension.size());
    if (rest.ends_with(kExtension)) return rest;
  }
  return path;
}

std::string packed_name(std::string_view path) {
  return std::string(path).append(kPackedExtension);
}

bool expand_trace_path(const std::string& path, std::vector<std::string>& files, ReadError* error) {
  std::error_code code;
  if (!fs::is_directory(path, code)) {
    files.push_back(path);
    return true;
  }
  std::vector<std::string> found;
  fs::directory_iterator it(path, code);
  for (; !code && it != fs::directory_iterator(); it.increment(code)) {
    std::string name = it->path().string();
    if (unpacked_name(name).ends_with(kExtension)) found.push_back(std::move(name));
  }
  if (code) {
    if (error != nullptr) {
      *error = {path, 0, "the directory cannot be read: " + code.message(),
                "check its permissions"};
    }
    return false;
  }
  // A packed file stands directly behind the one that it replaces.
  std::sort(found.begin(), found.end());
  for (std::string& name : found) {
    if (files.empty() || files.back() != unpacked_name(name)) files.push_back(std::move(name));
  }
  return true;
}

}  // namespace ringside::trace
