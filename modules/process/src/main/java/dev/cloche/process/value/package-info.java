/** Checks the parts that processes are made of: names, texts, sizes of pages, JSON pointers, templates and outputs. */
@NullMarked
package dev.cloche.process.value;

import org.jspecify.annotations.NullMarked;
