/* METRICS: what the guest's kernel tells of itself. */
#pragma once

#include <stdint.h>

/* Looks once the system is up; keeps the directory, that of the writable layer. */
void metrics_open(int layer);

/* The port has room. */
void metrics_send(int port, uint32_t request);
