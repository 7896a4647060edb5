#include "directory_image.hpp"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

#include <sys/stat.h>

#include "consumerd/descriptors/unique_fd.hpp"

namespace ringside::consumer_test {
namespace {

constexpr std::size_t kPage = 4096;

}  // namespace

DirectoryImage::DirectoryImage(const std::string& dir) : dir_(dir) {
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    const consumer::UniqueFd fd(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    struct stat info {};
    if (!fd || fstat(fd.get(), &info) != 0) {
      throw std::runtime_error("cannot read " + entry.path().string());
    }
    File file;
    file.bytes = static_cast<std::uint64_t>(info.st_size);
    file.mode = info.st_mode & 0777U;
    std::vector<char> page(kPage);
    for (off_t at = 0;;) {
      at = lseek(fd.get(), at, SEEK_DATA);
      if (at < 0) break;
      at &= ~static_cast<off_t>(kPage - 1);
      page.resize(kPage);
      const ssize_t got = pread(fd.get(), page.data(), kPage, at);
      if (got <= 0) break;
      page.resize(static_cast<std::size_t>(got));
      if (!std::all_of(page.begin(), page.end(), [](char c) { return c == 0; })) {
        file.pages[static_cast<std::uint64_t>(at)] = page;
      }
      at += static_cast<off_t>(kPage);
    }
    files_[entry.path().filename()] = std::move(file);
  }
}

void DirectoryImage::put_back() const {
  for (const auto& entry : std::filesystem::directory_iterator(dir_)) {
    std::filesystem::remove(entry.path());
  }
  for (const auto& [name, file] : files_) {
    const std::string path = dir_ + "/" + name;
    const consumer::UniqueFd fd(
        open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, static_cast<mode_t>(file.mode)));
    bool written = fd && fchmod(fd.get(), static_cast<mode_t>(file.mode)) == 0 &&
                   ftruncate(fd.get(), static_cast<off_t>(file.bytes)) == 0;
    for (const auto& [at, page] : file.pages) {
      written = written && pwrite(fd.get(), page.data(), page.size(), static_cast<off_t>(at)) ==
                               static_cast<ssize_t>(page.size());
    }
    if (!written) throw std::runtime_error("cannot write " + path);
  }
}

}  // namespace ringside::consumer_test
