/** Holds what is recorded against what runs, and removes what has no owner. */
@NullMarked
package dev.cloche.sandbox.reconcile;

import org.jspecify.annotations.NullMarked;
