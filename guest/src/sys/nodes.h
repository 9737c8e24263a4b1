/* Mounts that have no place in the tree: what root in the guest mounts over /sys and /dev, or does to the nodes there,
 * cannot lead the agent to another file, one that blocks it for ever in particular. */
#pragma once

/* A mount of this type without a path. Ends the VM if there is none. */
int mount_detached(const char *type);

/* Mounts a directory for device nodes, and opens /dev/null. */
void nodes_open(void);

/* Opens a character device; -1 with errno. */
int node_open(unsigned major, unsigned minor, int flags);

/* A descriptor of /dev/null, not of what an image may have put in its place. */
int node_null(void);
