/** What is said between an interpreter and its driver in a guest: frames, requests, answers, limits. */
@NullMarked
package dev.cloche.interpreter.protocol;

import org.jspecify.annotations.NullMarked;
