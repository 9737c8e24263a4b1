#include "wire/file_request.h"

#include "memory/credit.h"
#include "wire/cursor.h"
#include "wire/frame.h"

/* What an operation uses; the rest has to be zero. */
static const struct usage {
    uint32_t flags;
    bool mode, offset, length, target;
    uint32_t owner; /* the flag with which the target is an owner */
} USAGES[] = {
    [FILE_STAT] = {.flags = STAT_FOLLOW | FILE_DETAILS},
    [FILE_LIST] = {.flags = LIST_TREE | FILE_DETAILS, .length = true},
    [FILE_READ] = {.offset = true, .length = true},
    [FILE_WRITE] = {.flags = WRITE_EXCLUSIVE | WRITE_APPEND | WRITE_TRUNCATE | WRITE_OWNER, .mode = true, .offset = true,
                    .owner = WRITE_OWNER},
    [FILE_MKDIR] = {.flags = MKDIR_PARENTS | MKDIR_OWNER, .mode = true, .owner = MKDIR_OWNER},
    [FILE_REMOVE] = {.flags = REMOVE_TREE},
    [FILE_RENAME] = {.flags = RENAME_KEEP, .target = true},
    [FILE_COPY_OUT] = {.flags = COPY_OUT_FOLLOW},
    [FILE_COPY_IN] = {.flags = COPY_IN_OWNERS},
    [FILE_WATCH] = {.flags = WATCH_TREE | WATCH_ENTRIES},
    [FILE_DIFF] = {0},
    [FILE_ATTRIBUTES] = {.flags = ATTRIBUTES_FOLLOW | ATTRIBUTES_MODE | ATTRIBUTES_OWNER, .mode = true,
                         .owner = ATTRIBUTES_OWNER},
};

static bool is_path(struct text text) {
    return text.length >= 1 && text.length <= PATH_LENGTH_MAX && text.bytes[0] == '/';
}

static bool has_owner(const struct file_request *request) {
    return (request->flags & USAGES[request->operation].owner) != 0;
}

static const char *complaint(const struct file_request *request, struct text path, struct text target,
                             struct text user) {
    const struct usage *usage = &USAGES[request->operation];
    if (!is_path(path)) return "The path is not absolute, or longer than 4,095 bytes.";
    if (has_owner(request)) {
        if (target.length == 0 || target.length > OWNER_LENGTH_MAX) return "The owner is missing, or longer than 512 bytes.";
    } else if (usage->target ? !is_path(target) : target.length > 0) {
        return "The target is not absolute, longer than 4,095 bytes, or not used by the operation.";
    }
    if (request->mode > (usage->mode ? MODE_MAX : 0u)) return "The mode is not valid, or not used by the operation.";
    /* The kernel counts positions as signed. */
    if (request->offset > (usage->offset ? (uint64_t)INT64_MAX : 0)) {
        return "The offset is not valid, or not used by the operation.";
    }
    if (request->length > 0 && !usage->length) return "The length is not used by the operation.";
    bool tree = request->operation == FILE_LIST && (request->flags & LIST_TREE) != 0;
    if (request->operation == FILE_LIST && (tree ? request->length - 1 >= LIST_DEPTH_MAX : request->length > 0)) {
        return "The depth of a LIST is 1 to 64, and comes with its flag alone.";
    }
    if (request->operation == FILE_WRITE && (request->flags & WRITE_APPEND) != 0 && request->offset > 0) {
        return "What is appended has no offset.";
    }
    if (request->operation == FILE_ATTRIBUTES && (request->flags & ATTRIBUTES_MODE) == 0 && request->mode > 0) {
        return "The mode comes without its flag.";
    }
    if (request->operation == FILE_DIFF && (path.length > 1 || user.length > 0)) {
        return "A DIFF is of the path / and of no user.";
    }
    return NULL;
}

static char *terminated(struct text text) {
    text.bytes[text.length] = '\0';
    return text.bytes;
}

int file_request_parse(uint8_t *payload, size_t length, struct file_request *request, const char **sentence) {
    struct cursor cursor = {.next = payload, .left = length};
    *request = (struct file_request){.operation = cursor_u32(&cursor)};
    request->flags = cursor_u32(&cursor);
    request->credit = credit_add(0, cursor_u32(&cursor));
    request->mode = cursor_u32(&cursor);
    request->offset = cursor_u64(&cursor);
    request->length = cursor_u64(&cursor);
    struct text path = cursor_text(&cursor), target = cursor_text(&cursor), user = cursor_text(&cursor);
    *sentence = "The payload of FILE is not well formed.";
    if (!cursor_done(&cursor)) return BAD_REQUEST;
    if (request->operation < FILE_STAT || request->operation > FILE_ATTRIBUTES) {
        *sentence = "FILE has an operation that this agent does not know.";
        return UNSUPPORTED;
    }
    if ((request->flags & ~USAGES[request->operation].flags) != 0) {
        *sentence = "FILE has a flag that this agent does not know.";
        return UNSUPPORTED;
    }
    const char *wrong = complaint(request, path, target, user);
    if (wrong != NULL) {
        *sentence = wrong;
        return BAD_REQUEST;
    }
    /* Backwards, because ending a text overwrites the length of the text after it. */
    request->user = terminated(user);
    request->target = terminated(target);
    request->path = terminated(path);
    if (has_owner(request)) {
        request->owner = request->target;
        request->target = "";
    }
    return 0;
}

bool file_request_has_input(const struct file_request *request) {
    return request->operation == FILE_WRITE || request->operation == FILE_COPY_IN || request->operation == FILE_ATTRIBUTES;
}
