/** Takes samples in turn, and shows them: tables, and drawings of them. */
@NullMarked
package dev.cloche.bench.report;

import org.jspecify.annotations.NullMarked;
