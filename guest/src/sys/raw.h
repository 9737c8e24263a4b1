/* System calls without the C library. A child that shares the agent's memory must not use what the library keeps in it:
 * errno, the heap, buffers. */
#pragma once

#include <sys/syscall.h>

#ifndef __x86_64__
#error "this is the way of x86-64 into the kernel"
#endif

static inline long raw_call(long number, long a, long b, long c, long d, long e) {
    register long fourth __asm__("r10") = d;
    register long fifth __asm__("r8") = e;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth)
                     : "rcx", "r11", "memory");
    return result;
}

#define raw_five(number, a, b, c, d, e, ...) raw_call(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e))

/* Answers what the call does, or a negative errno. Takes one to five arguments. */
#define raw(number, ...) raw_five(number, __VA_ARGS__, 0, 0, 0, 0, 0)
