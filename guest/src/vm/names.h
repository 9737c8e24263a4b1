/* The small files of /etc by which programs know where they are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "wire/network_rules.h"

/* Adds /etc/hosts, /etc/hostname and /etc/resolv.conf where the image lacks them. */
void names_complete(void);

/* Sets the host name, /etc/hostname, and /etc/hosts if it is the one that names_complete wrote. */
bool names_set_host(const char *name, size_t length);

/* Writes /etc/resolv.conf. */
bool names_set_servers(const struct network *network);

/* Writes /etc/machine-id: 32 digits. */
bool names_set_machine(const char *id);
