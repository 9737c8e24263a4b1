/* Linked into a guard, it writes down the calls that its broker is asked about, one a line, by their numbers: to the file `asked` in
 * the directory of the environment's TMPDIR, which is the VM's. */
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int __real_ioctl(int fd, unsigned long request, void *argument);
int __wrap_ioctl(int fd, unsigned long request, void *argument);

static int file = -1;

/* The first call of an ioctl comes before the guard is confined. */
int __wrap_ioctl(int fd, unsigned long request, void *argument) {
    int result = __real_ioctl(fd, request, argument);
    if (request != SECCOMP_IOCTL_NOTIF_RECV || result != 0) return result;
    const struct seccomp_notif *asked = argument;
    if (file < 0) {
        char path[4096];
        snprintf(path, sizeof path, "%s/asked", getenv("TMPDIR"));
        file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    }
    dprintf(file, "%d\n", asked->data.nr);
    return result;
}
