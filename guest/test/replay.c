/* Runs a fuzz target on every file of the directory that is named. */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "fuzz.h"

enum { LONGEST = 2 * 1024 * 1024 };

int main(int count, char **arguments) {
    static uint8_t bytes[LONGEST];
    int replayed = 0;
    CHECK(count == 2);
    DIR *directory = opendir(arguments[1]);
    CHECK(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (entry->d_name[0] == '.') continue;
        int fd = openat(dirfd(directory), entry->d_name, O_RDONLY | O_CLOEXEC);
        ssize_t length = read(fd, bytes, sizeof bytes);
        CHECK(length >= 0);
        close(fd);
        LLVMFuzzerTestOneInput(bytes, (size_t)length);
        replayed++;
    }
    closedir(directory);
    CHECK(replayed > 0);
    fprintf(stderr, "%s: %d replayed\n", arguments[1], replayed);
    return 0;
}
