/* Packs files into an initramfs: newcpio NAME=FILE... > archive
 *
 * The format is "newc" as the kernel reads it (Documentation/driver-api/early-userspace/buffer-format.rst). Everything
 * that could differ between two runs (inodes, times, owners) is fixed, so the same files give the same archive. The
 * directories of a name are packed before its first file. A FILE of mode 755 stays executable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static unsigned inode;
static unsigned long written;

static void put(const void *bytes, size_t length) {
    if (fwrite(bytes, 1, length, stdout) != length) {
        perror("newcpio: write");
        exit(1);
    }
    written += length;
}

static void pad(void) {
    static const char zeros[4];
    put(zeros, -written & 3);
}

static void header(const char *name, unsigned mode, size_t size) {
    char text[111];
    inode++;
    snprintf(text, sizeof text, "070701%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X%08X", inode, mode, 0, 0, 1, 0,
             (unsigned)size, 0, 0, 0, 0, (unsigned)strlen(name) + 1, 0);
    put(text, 110);
    put(name, strlen(name) + 1);
    pad();
}

static void directories(const char *name, char *packed, size_t capacity) {
    for (const char *slash = strchr(name, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        char directory[256], entry[260];
        if (slash == name || (size_t)(slash - name) >= sizeof directory) continue;
        memcpy(directory, name, (size_t)(slash - name));
        directory[slash - name] = '\0';
        snprintf(entry, sizeof entry, "%s\n", directory);
        if (strstr(packed, entry) != NULL) continue;
        if (strlen(packed) + strlen(entry) >= capacity) exit(1);
        strcat(packed, entry);
        header(directory, 040755, 0);
    }
}

static void file(const char *name, const char *path) {
    static char bytes[65536];
    struct stat status;
    FILE *in = fopen(path, "rb");
    if (in == NULL || fstat(fileno(in), &status) != 0) {
        perror(path);
        exit(1);
    }
    header(name, (status.st_mode & 0100) != 0 ? 0100755 : 0100644, (size_t)status.st_size);
    size_t total = 0;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, in)) > 0; total += n) put(bytes, n);
    fclose(in);
    if (total != (size_t)status.st_size) {
        fprintf(stderr, "newcpio: %s changed while it was read\n", path);
        exit(1);
    }
    pad();
}

int main(int argc, char **argv) {
    static char packed[4096] = "\n";
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (equals == NULL) {
            fprintf(stderr, "newcpio: %s is not NAME=FILE\n", argv[i]);
            return 1;
        }
        *equals = '\0';
        directories(argv[i], packed, sizeof packed);
        file(argv[i], equals + 1);
    }
    header("TRAILER!!!", 0, 0);
    if (fflush(stdout) != 0) return 1;
    return 0;
}
