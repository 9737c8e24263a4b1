/* What the guard understands of QEMU's monitor. Prints nothing and exits 0 if all holds. */
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "../src/json.h"
#include "../src/monitor.h"
#include "../src/qmp.h"
#include "../../guest/test/check.h"

static struct qmp_message parsed(const char *line) {
    return qmp_parse(line, strlen(line));
}

#define IO_ERROR(rest) \
    "{\"timestamp\": {\"seconds\": 1795353458, \"microseconds\": 901322}, \"event\": \"BLOCK_IO_ERROR\", " \
    "\"data\": {\"device\": \"upper\", \"node-name\": \"#block448\", \"operation\": \"write\", " rest "}}"

static void kinds(void) {
    CHECK(parsed("{\"QMP\": {\"version\": {\"qemu\": {\"micro\": 22, \"minor\": 2, \"major\": 7}}, \"capabilities\": [\"oob\"]}}")
               .kind == QMP_GREETING);
    CHECK(parsed("{\"return\": {}}").kind == QMP_RETURN);
    CHECK(parsed("{\"error\": {\"class\": \"GenericError\", \"desc\": \"no\"}}").kind == QMP_REFUSED);
    CHECK(parsed("{\"timestamp\": {\"seconds\": 1}, \"event\": \"RESUME\"}\r").kind == QMP_RESUME);
    CHECK(parsed("{\"event\": \"STOP\"}").kind == QMP_STOP);
    CHECK(parsed("{\"event\": \"X\", \"return\": {}}").kind == QMP_OTHER);
    CHECK(parsed("[]").kind == QMP_OTHER);
}

static void statuses(void) {
    struct qmp_message halted = parsed("{\"return\": {\"status\": \"io-error\", \"singlestep\": false, \"running\": false}}");
    CHECK(halted.kind == QMP_RETURN && halted.halted_by_disk && !halted.running);
    struct qmp_message running = parsed("{\"return\": {\"status\": \"running\", \"running\": true}}");
    CHECK(!running.halted_by_disk && running.running);
    struct qmp_message paused = parsed("{\"return\": {\"status\": \"paused\"}}");
    CHECK(!paused.halted_by_disk && !paused.running && !paused.lost);
    CHECK(parsed("{\"return\": {\"status\": \"internal-error\", \"running\": false}}").lost);
    CHECK(!parsed("{\"event\": \"X\", \"return\": {\"status\": \"internal-error\"}}").lost);
    struct qmp_message deeper = parsed("{\"return\": {\"x\": {\"status\": \"io-error\"}, \"return.status\": \"io-error\"}}");
    CHECK(!deeper.halted_by_disk);
}

static void troubles(void) {
    struct qmp_message full = parsed(IO_ERROR("\"nospace\": true, \"reason\": \"No space left on device\", \"action\": \"stop\""));
    CHECK(full.kind == QMP_IO_ERROR && full.trouble == DISK_FULL);
    struct qmp_message quota = parsed(IO_ERROR("\"nospace\": false, \"reason\": \"Disk quota exceeded\", \"action\": \"stop\""));
    CHECK(quota.kind == QMP_IO_ERROR && quota.trouble == DISK_QUOTA);
    struct qmp_message broken = parsed(IO_ERROR("\"nospace\": false, \"reason\": \"Input/output error\", \"action\": \"stop\""));
    CHECK(broken.kind == QMP_IO_ERROR && broken.trouble == DISK_ERROR);
    CHECK(parsed(IO_ERROR("\"nospace\": false, \"reason\": \"Input/output error\", \"action\": \"report\"")).kind == QMP_OTHER);
}

static void what_is_no_json(void) {
    static const char *const texts[] = {
        "",      " ",        "{",         "}",          "{}}",      "{\"a\"}",    "{\"a\":}",  "{\"a\":1,}", "[1,]",
        "[1 2]", "\"",       "\"\\",      "\"\\u12g4\"", "\"\\x\"", "tru",        "-",         "1.",        "1e",
        "01",    "{a:1}",    "\"\n\"",    "nul",        "{} {}",    "\"\\u00",    "+1",        ".5",        "{\"a\":1 \"b\":2}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) CHECK(parsed(texts[i]).kind == QMP_BROKEN);
    CHECK(qmp_parse("{\"return\": \0}", 13).kind == QMP_BROKEN);
}

static void depth(void) {
    char text[2 * (JSON_DEPTH_MAX + 1)];
    for (size_t deep = JSON_DEPTH_MAX; deep <= JSON_DEPTH_MAX + 1; deep++) {
        memset(text, '[', deep);
        memset(text + deep, ']', deep);
        CHECK((qmp_parse(text, 2 * deep).kind == QMP_OTHER) == (deep == JSON_DEPTH_MAX));
    }
}

static void long_names_and_words_are_no_others(void) {
    char line[400];
    snprintf(line, sizeof line, "{\"%0100d\": {\"return\": 1}, \"event\": \"RESUME%0200d\"}", 0, 0);
    CHECK(parsed(line).kind == QMP_OTHER);
    CHECK(parsed("{\"even\\u0074\": \"RESUME\"}").kind == QMP_OTHER);
    CHECK(parsed("{\"x\": {\"y\": \"a\\\"b\\u20acc\\n\"}, \"event\": \"RESUME\"}").kind == QMP_RESUME);
}

static struct monitor monitor;

static void say(const char *text, size_t length) {
    CHECK(send(monitor.program_end, text, length, MSG_NOSIGNAL) == (ssize_t)length);
}

/* Lines come in pieces, and several at once. */
static void lines(void) {
    struct qmp_message message;
    monitor_open(&monitor);
    say("{\"retu", 6);
    CHECK(monitor_fill(&monitor) && !monitor_next(&monitor, &message));
    say("rn\": {}}\n{\"event\": \"RESUME\"}\n{", 31);
    CHECK(monitor_fill(&monitor));
    CHECK(monitor_next(&monitor, &message) && message.kind == QMP_RETURN);
    CHECK(monitor_next(&monitor, &message) && message.kind == QMP_RESUME);
    CHECK(!monitor_next(&monitor, &message));
    CHECK(monitor_fill(&monitor)); /* nothing is there */
    close(monitor.program_end);
    CHECK(!monitor_fill(&monitor) && monitor.fd < 0 && !monitor_fill(&monitor));
}

static void a_line_without_end_closes_the_monitor(void) {
    struct qmp_message message;
    static char much[4096];
    memset(much, ' ', sizeof much);
    monitor_open(&monitor);
    int pieces = 0;
    do {
        CHECK(pieces++ <= MONITOR_LINE_MAX / (int)sizeof much);
        say(much, sizeof much);
    } while (monitor_fill(&monitor) && !monitor_next(&monitor, &message));
    CHECK(monitor.fd < 0 && pieces == MONITOR_LINE_MAX / (int)sizeof much + 1);
    close(monitor.program_end);
}

static void a_program_that_does_not_read_blocks_nothing(void) {
    monitor_open(&monitor);
    for (int i = 0; i < 100000 && monitor_send(&monitor, "query-status"); i++) continue;
    CHECK(!monitor_send(&monitor, "query-status"));
    monitor_close(&monitor);
    close(monitor.program_end);
}

int main(void) {
    kinds();
    statuses();
    troubles();
    what_is_no_json();
    depth();
    long_names_and_words_are_no_others();
    lines();
    a_line_without_end_closes_the_monitor();
    a_program_that_does_not_read_blocks_nothing();
}
