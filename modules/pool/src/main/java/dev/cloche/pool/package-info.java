/** The warm pool of restored VMs. */
@NullMarked
package dev.cloche.pool;

import org.jspecify.annotations.NullMarked;
