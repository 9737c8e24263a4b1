#include "process/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "sys/log.h"
#include "sys/raw.h"

static int instance = -1;

void terminals_open(void) {
    instance = (int)syscall(SYS_open_tree, AT_FDCWD, "/dev/pts", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
    if (instance < 0) log_line("no terminals: %s", strerror(errno));
}

bool terminal_resize(int master, uint16_t rows, uint16_t columns) {
    struct winsize size = {.ws_row = rows, .ws_col = columns};
    return ioctl(master, TIOCSWINSZ, &size) == 0;
}

bool terminal_create(uint16_t rows, uint16_t columns, struct terminal *terminal) {
    int master = openat(instance, "ptmx", O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), unlocked = 0;
    if (master < 0) return false;
    terminal->master = master;
    terminal->slave = -1;
    if (ioctl(master, TIOCSPTLCK, &unlocked) == 0 && ioctl(master, TIOCGPTN, &terminal->number) == 0 &&
        terminal_resize(master, rows, columns)) {
        terminal->slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    }
    if (terminal->slave >= 0) return true;
    close(master);
    return false;
}

/* The master's settings are those of the slave (n_tty_ioctl_helper and tty_mode_ioctl take the real terminal's). */
bool terminal_type_end(int master) {
    struct termios settings;
    if (tcgetattr(master, &settings) != 0) return true;
    cc_t end = settings.c_cc[VEOF];
    return end == _POSIX_VDISABLE || write(master, &end, 1) == 1 || errno != EAGAIN;
}

/* The same terminal by the name that the guest knows, so that programs find theirs in /proc/self/fd. If something
 * else is there, the descriptor that the agent opened does as well. */
static int by_name(int slave, unsigned number) {
    char name[32] = "/dev/pts/";
    size_t at = strlen(name);
    struct stat wanted, found;
    for (unsigned power = 1000000000; power > 0; power /= 10) {
        if (number >= power || power == 1) name[at++] = (char)('0' + number / power % 10);
    }
    long fd = raw(SYS_open, name, O_RDWR | O_NOCTTY | O_NONBLOCK);
    if (fd < 0) return slave;
    bool same = raw(SYS_fstat, slave, &wanted) == 0 && raw(SYS_fstat, fd, &found) == 0 && wanted.st_dev == found.st_dev &&
                wanted.st_ino == found.st_ino && wanted.st_rdev == found.st_rdev;
    if (same && raw(SYS_fcntl, fd, F_SETFL, 0) == 0) return (int)fd;
    raw(SYS_close, fd);
    return slave;
}

int terminal_take(int slave, unsigned number) {
    int fd = by_name(slave, number);
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
        long copied = raw(SYS_dup2, fd, i);
        if (copied < 0) return (int)-copied;
    }
    return (int)-raw(SYS_ioctl, STDIN_FILENO, TIOCSCTTY, 0);
}
