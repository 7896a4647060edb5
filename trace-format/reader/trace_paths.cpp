#include "trace-format/reader/trace_paths.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <system_error>
#include <utility>

namespace ringside::trace {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExtension = ".ringtrace";
constexpr std::string_view kPackedExtension = ".zst";

// Numbers in names compare by value: a service's tenth file follows its second one.
bool stands_before(const std::string& a, const std::string& b) {
  const std::string unpacked_a(unpacked_name(a));
  const std::string unpacked_b(unpacked_name(b));
  const int order = strverscmp(unpacked_a.c_str(), unpacked_b.c_str());
  // A packed file directly follows the one that it replaces.
  return order != 0 ? order < 0 : a.size() < b.size();
}

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

// The common part of the names of a service's rotated files, in any directory.
std::string_view rotation_of(std::string_view path) {
  std::string_view name = unpacked_name(name_of(path));
  if (name.ends_with(kExtension)) name.remove_suffix(kExtension.size());
  const std::size_t last = name.find_last_not_of("0123456789");
  return last == std::string_view::npos ? name : name.substr(0, last + 1);
}

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
  std::sort(found.begin(), found.end(), stands_before);
  for (std::string& name : found) {
    if (files.empty() || files.back() != unpacked_name(name)) files.push_back(std::move(name));
  }
  return true;
}

void put_rotated_in_order(std::vector<std::string>& files) {
  std::map<std::string, std::size_t, std::less<>> rotations;  // by the index of their first file
  std::vector<std::pair<std::size_t, std::string>> placed;
  placed.reserve(files.size());
  for (std::string& file : files) {
    const std::size_t rotation =
        rotations.try_emplace(std::string(rotation_of(file)), rotations.size()).first->second;
    placed.emplace_back(rotation, std::move(file));
  }
  std::stable_sort(placed.begin(), placed.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first < b.first;
    return stands_before(std::string(name_of(a.second)), std::string(name_of(b.second)));
  });
  for (std::size_t i = 0; i < files.size(); ++i) files[i] = std::move(placed[i].second);
}

}  // namespace ringside::trace
