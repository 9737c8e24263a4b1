/* Runs a harness on files: those of its corpus. */
#include <dirent.h>
#include <stdio.h>

#include "fuzz.h"

int main(int count, char **arguments) {
    int runs = 0;
    for (int i = 1; i < count; i++) {
        DIR *directory = opendir(arguments[i]);
        CHECK(directory != NULL);
        for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
            char path[1024];
            static uint8_t bytes[1 << 21];
            if (entry->d_name[0] == '.') continue;
            snprintf(path, sizeof path, "%s/%s", arguments[i], entry->d_name);
            FILE *file = fopen(path, "rb");
            CHECK(file != NULL);
            size_t size = fread(bytes, 1, sizeof bytes, file);
            fclose(file);
            LLVMFuzzerTestOneInput(bytes, size);
            runs++;
        }
        closedir(directory);
    }
    CHECK(runs > 0);
    printf("%s: %d inputs ok\n", arguments[0], runs);
    return 0;
}
