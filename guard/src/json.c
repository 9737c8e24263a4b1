#include "json.h"

#include <string.h>

struct reader {
    const char *at;
    const char *end;
    json_seen seen;
    void *context;
    char path[JSON_PATH_MAX];
    size_t path_length;
    int cut; /* how many of the keys that lead here did not fit into the path */
    char text[JSON_TEXT_MAX];
    size_t text_length;
};

static void skip_blanks(struct reader *r) {
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\r' || *r->at == '\n')) r->at++;
}

static bool take(struct reader *r, char expected) {
    if (r->at == r->end || *r->at != expected) return false;
    r->at++;
    return true;
}

static void keep(struct reader *r, char c) {
    if (r->text_length + 1 == sizeof r->text) return;
    r->text[r->text_length++] = c >= ' ' && c <= '~' ? c : '?';
    r->text[r->text_length] = '\0';
}

static void tell(struct reader *r, enum json_kind kind) {
    r->seen(r->context, r->cut > 0 ? "" : r->path, kind, r->text);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hexadecimal(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* What it stands for is of no use here, but for the plain characters. */
static bool read_escape(struct reader *r) {
    if (r->at == r->end) return false;
    char c = *r->at++;
    if (c == '"' || c == '\\' || c == '/') {
        keep(r, c);
        return true;
    }
    keep(r, '?');
    if (c == 'b' || c == 'f' || c == 'n' || c == 'r' || c == 't') return true;
    if (c != 'u' || r->end - r->at < 4) return false;
    for (int i = 0; i < 4; i++) {
        if (!is_hexadecimal(*r->at++)) return false;
    }
    return true;
}

static bool read_string(struct reader *r) {
    r->text_length = 0;
    r->text[0] = '\0';
    if (!take(r, '"')) return false;
    while (r->at < r->end) {
        char c = *r->at++;
        if (c == '"') return true;
        if ((unsigned char)c < ' ') return false;
        if (c != '\\') keep(r, c);
        else if (!read_escape(r)) return false;
    }
    return false;
}

static bool read_digits(struct reader *r) {
    const char *begin = r->at;
    while (r->at < r->end && is_digit(*r->at)) keep(r, *r->at++);
    return r->at > begin;
}

static bool keep_if(struct reader *r, char expected) {
    if (!take(r, expected)) return false;
    keep(r, expected);
    return true;
}

static bool read_number(struct reader *r) {
    r->text_length = 0;
    r->text[0] = '\0';
    keep_if(r, '-');
    if (!keep_if(r, '0') && !read_digits(r)) return false;
    if (keep_if(r, '.') && !read_digits(r)) return false;
    if (keep_if(r, 'e') || keep_if(r, 'E')) {
        if (!keep_if(r, '-')) keep_if(r, '+');
        return read_digits(r);
    }
    return true;
}

static bool read_word(struct reader *r, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0) return false;
    r->at += length;
    return true;
}

/* Goes down by one key; answers the length of the path to go back to. A dot in a key would make it look like two. */
static size_t go_down(struct reader *r, const char *key) {
    size_t before = r->path_length;
    size_t length = strlen(key);
    if (r->cut > 0 || before + 1 + length >= sizeof r->path) {
        r->cut++;
        return before;
    }
    if (before > 0) r->path[r->path_length++] = '.';
    for (const char *c = key; *c != '\0'; c++) r->path[r->path_length++] = *c == '.' ? '?' : *c;
    r->path[r->path_length] = '\0';
    return before;
}

static void go_up(struct reader *r, size_t before) {
    if (r->cut > 0) r->cut--;
    r->path_length = before;
    r->path[before] = '\0';
}

static bool read_value(struct reader *r, int depth);

static bool read_member(struct reader *r, int depth) {
    skip_blanks(r);
    if (!read_string(r)) return false;
    size_t before = go_down(r, r->text);
    skip_blanks(r);
    bool good = take(r, ':') && read_value(r, depth);
    go_up(r, before);
    return good;
}

static bool read_element(struct reader *r, int depth) {
    size_t before = go_down(r, "#");
    bool good = read_value(r, depth);
    go_up(r, before);
    return good;
}

static bool read_all(struct reader *r, int depth, char close, bool (*read_one)(struct reader *, int)) {
    if (depth == JSON_DEPTH_MAX) return false;
    r->at++;
    skip_blanks(r);
    if (take(r, close)) return true;
    for (;;) {
        if (!read_one(r, depth + 1)) return false;
        skip_blanks(r);
        if (take(r, close)) return true;
        if (!take(r, ',')) return false;
    }
}

static bool read_constant(struct reader *r, const char *word, enum json_kind kind) {
    if (!read_word(r, word)) return false;
    tell(r, kind);
    return true;
}

static bool read_value(struct reader *r, int depth) {
    skip_blanks(r);
    r->text_length = 0;
    r->text[0] = '\0';
    if (r->at == r->end) return false;
    switch (*r->at) {
        case '{': tell(r, JSON_OBJECT); return read_all(r, depth, '}', read_member);
        case '[': tell(r, JSON_ARRAY); return read_all(r, depth, ']', read_element);
        case '"':
            if (!read_string(r)) return false;
            tell(r, JSON_STRING);
            return true;
        case 't': return read_constant(r, "true", JSON_TRUE);
        case 'f': return read_constant(r, "false", JSON_FALSE);
        case 'n': return read_constant(r, "null", JSON_NULL);
        default:
            if (!read_number(r)) return false;
            tell(r, JSON_NUMBER);
            return true;
    }
}

bool json_read(const char *text, size_t length, json_seen seen, void *context) {
    struct reader r = {.at = text, .end = text + length, .seen = seen, .context = context};
    if (!read_value(&r, 0)) return false;
    skip_blanks(&r);
    return r.at == r.end;
}
