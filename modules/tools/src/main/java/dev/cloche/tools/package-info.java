/** Gives agents tools that run in a sandbox: code, shell commands and files, with answers in words for their model. */
@NullMarked
package dev.cloche.tools;

import org.jspecify.annotations.NullMarked;
