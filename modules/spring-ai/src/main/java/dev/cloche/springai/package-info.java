/** Gives models of Spring AI tools that run in sandboxes, one for all or one for each conversation. */
@NullMarked
package dev.cloche.springai;

import org.jspecify.annotations.NullMarked;
