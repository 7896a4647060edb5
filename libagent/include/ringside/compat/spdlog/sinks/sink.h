/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
#include <ringside/compat/spdlog.hpp>
