#include "memory/credit.h"

uint32_t credit_add(uint32_t credit, uint32_t grant) {
    return grant > CREDIT_MAX - credit ? CREDIT_MAX : credit + grant;
}

uint32_t stdin_take(struct stdin_window *window, uint32_t length) {
    uint32_t taken = length < window->granted ? length : window->granted;
    window->granted -= taken;
    return taken;
}

void stdin_passed_on(struct stdin_window *window, uint32_t length) { window->owed += length; }

bool stdin_grant_due(const struct stdin_window *window) {
    return window->owed >= STDIN_WINDOW / 4 || (window->granted == 0 && window->owed > 0);
}

uint32_t stdin_grant(struct stdin_window *window) {
    uint32_t grant = window->owed;
    window->granted += grant;
    window->owed = 0;
    return grant;
}
