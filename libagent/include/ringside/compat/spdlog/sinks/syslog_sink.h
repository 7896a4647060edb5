/* The name of spdlog's header, for sources that stay unchanged. */
#pragma once
#include <syslog.h>  // sources expect it

#include <ringside/compat/spdlog.hpp>
