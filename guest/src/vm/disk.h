/* The virtio disks, before anything of the image runs. */
#pragma once

#include <stdbool.h>

/* The path of the disk with the image: the first but the one for the writable layer. */
bool disk_find_image(char path[32]);

/* The path of the disk whose serial number says that it is for the writable layer. */
bool disk_find_upper(char path[32]);
