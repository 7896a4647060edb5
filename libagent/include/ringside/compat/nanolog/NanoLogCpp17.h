/* The name of NanoLog's header, for sources that stay unchanged. */
#pragma once
// Sources rely on what NanoLog's header includes.
#include <cassert>
#include <condition_variable>
#include <ctime>
#include <fcntl.h>
#include <mutex>
#include <thread>
#include <vector>

#include <ringside/compat/nanolog.hpp>
