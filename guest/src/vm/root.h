/* From the initramfs to the image. */
#pragma once

/* The kernel's file systems in the initramfs, and a console. */
void root_prepare(void);

/* Mounts the image under an overlay in memory and makes it the root; frees the initramfs. */
void root_switch(void);
