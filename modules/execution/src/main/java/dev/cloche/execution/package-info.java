/** Durable executions: drives commands in sandboxes under leases. */
@NullMarked
package dev.cloche.execution;

import org.jspecify.annotations.NullMarked;
