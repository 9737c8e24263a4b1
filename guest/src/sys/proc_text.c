#include "sys/proc_text.h"

#include <string.h>

static const char *next_line(const char *line) {
    const char *end = strchrnul(line, '\n');
    return *end == '\0' ? end : end + 1;
}

static size_t read_numbers(const char *text, uint64_t *numbers, size_t capacity) {
    size_t count = 0;
    while (count < capacity) {
        text += strspn(text, " \t");
        if (*text < '0' || *text > '9') break;
        uint64_t number = 0;
        for (; *text >= '0' && *text <= '9'; text++) number = number * 10 + (uint64_t)(*text - '0');
        numbers[count++] = number;
    }
    return count;
}

size_t proc_numbers(const char *text, const char *label, uint64_t *numbers, size_t capacity) {
    size_t length = strlen(label);
    for (const char *line = text; *line != '\0'; line = next_line(line)) {
        const char *start = line + strspn(line, " ");
        if (strncmp(start, label, length) == 0) return read_numbers(start + length, numbers, capacity);
    }
    return 0;
}

size_t proc_lines(const char *text, const char *label) {
    size_t length = strlen(label), count = 0;
    for (const char *line = text; *line != '\0'; line = next_line(line)) {
        count += strncmp(line, label, length) == 0 && line[length] >= '0' && line[length] <= '9';
    }
    return count;
}
