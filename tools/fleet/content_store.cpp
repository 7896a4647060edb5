#include "tools/fleet/content_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <vector>

#include "tools/fleet/content_hash.hpp"

namespace ringside::fleet {
namespace {

constexpr std::chrono::hours kUnusedFor{30 * 24};

bool is_key(std::string_view key) {
  return key.size() == 2 * sizeof(ContentHash) &&
         key.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace

std::optional<ContentStore> ContentStore::open(const std::string& directory, std::string* why) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  if (code) {
    *why = directory + ": cannot be created: " + code.message() +
           "; give a directory that ringship can write to with --state";
    return {};
  }
  const auto oldest = std::filesystem::file_time_type::clock::now() - kUnusedFor;
  std::vector<std::filesystem::path> unused;
  for (std::filesystem::directory_iterator at(directory, code), end; !code && at != end;
       at.increment(code)) {
    std::error_code of_file;
    const auto used = std::filesystem::last_write_time(at->path(), of_file);
    if (!of_file && used < oldest) unused.push_back(at->path());
  }
  for (const auto& path : unused) std::filesystem::remove(path, code);
  return ContentStore(directory);
}

void ContentStore::keep(std::string_view key, const Bytes& contents) const {
  const std::string path = directory_ + "/" + std::string(key);
  std::error_code code;
  if (std::filesystem::exists(path, code)) {
    std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), code);
    return;
  }
  const std::string unfinished = path + ".new";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(contents.data()),
             static_cast<std::streamsize>(contents.size()));
  file.close();
  if (file) std::rename(unfinished.c_str(), path.c_str());
}

bool ContentStore::find(std::string_view key, Bytes& contents) const {
  if (!is_key(key)) return false;
  std::ifstream file(directory_ + "/" + std::string(key), std::ios::binary);
  if (!file) return false;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  contents.resize(text.size());
  std::transform(text.begin(), text.end(), contents.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  return !contents.empty();
}

}  // namespace ringside::fleet
