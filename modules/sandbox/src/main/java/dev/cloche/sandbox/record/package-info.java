/** Records sandboxes, their runs, snapshots and pools in the catalog. */
@NullMarked
package dev.cloche.sandbox.record;

import org.jspecify.annotations.NullMarked;
