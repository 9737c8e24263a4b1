/* What the agent does in a round of its loop. */
#pragma once

#include "loop/loop.h"

extern const struct loop_callbacks ROUNDS;
