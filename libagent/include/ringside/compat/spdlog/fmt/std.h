/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
#include <fmt/std.h>
#include <ringside/compat/spdlog.hpp>
