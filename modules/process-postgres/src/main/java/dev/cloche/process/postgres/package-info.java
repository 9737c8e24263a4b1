/** The PostgreSQL store of the process registry. */
@NullMarked
package dev.cloche.process.postgres;

import org.jspecify.annotations.NullMarked;
