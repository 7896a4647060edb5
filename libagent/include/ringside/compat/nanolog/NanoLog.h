/* The name of NanoLog's header, for sources that stay unchanged. */
#pragma once
#include "NanoLogCpp17.h"
