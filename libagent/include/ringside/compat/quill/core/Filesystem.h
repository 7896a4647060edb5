/* The name of quill's header, for sources that stay unchanged. */
#pragma once
#include <filesystem>

#include <ringside/compat/quill.hpp>

namespace quill {
namespace fs = std::filesystem;
}
