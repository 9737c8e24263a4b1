/** What is said between an interpreter and its driver in a guest: frames, requests and answers. */
@NullMarked
package dev.cloche.interpreter.protocol;

import org.jspecify.annotations.NullMarked;
