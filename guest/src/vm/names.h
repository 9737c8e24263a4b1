/* The small files of /etc by which programs know where they are. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "wire/cursor.h"
#include "wire/network_rules.h"

/* Adds /etc/hosts, /etc/hostname and /etc/resolv.conf where the image lacks them. */
void names_complete(void);

/* What a host is to be called, and what says so; empty: nothing of it. */
struct host_names {
    char host[HOST_NAME_MAX + 1];
    char hostname[HOST_NAME_MAX + 2]; /* the text of /etc/hostname */
    char hosts[512];                  /* of /etc/hosts, if it is the one that names_complete wrote */
    char machine[34];                 /* of /etc/machine-id */
};

/* The host's name, and the 32 digits of the machine's id; either may have no bytes. False if they are too long. */
bool names_of(struct text host, struct text machine, struct host_names *names);

/* Does what they say, by system calls alone. Answers a negative errno with what it could not do. */
long names_set(const struct host_names *names, const char **what);

/* Writes /etc/resolv.conf. */
bool names_set_servers(const struct network *network);
