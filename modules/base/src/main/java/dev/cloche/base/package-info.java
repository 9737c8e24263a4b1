/**
 * What every room shares: the root of our exceptions, deadlines, work that no interrupt cuts short, and the one helper for
 * durable files. Imports nothing of Cloche.
 */
@NullMarked
package dev.cloche.base;

import org.jspecify.annotations.NullMarked;
