/** Decides what happens to processes: plain functions of rows and a moment, the same for every store. */
@NullMarked
package dev.cloche.process.rules;

import org.jspecify.annotations.NullMarked;
