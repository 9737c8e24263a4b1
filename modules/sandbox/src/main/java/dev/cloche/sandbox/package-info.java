/**
 * Sandboxes: a VM made from an image, with a name, a record of each of its runs and a known end.
 *
 * <p>Decisions ({@link dev.cloche.sandbox.SandboxStatus}, {@link dev.cloche.sandbox.Termination}) are pure; effects live
 * behind {@link dev.cloche.sandbox.SandboxManager}: how one starts, how it ends, and what is recorded of both.
 */
@NullMarked
package dev.cloche.sandbox;

import org.jspecify.annotations.NullMarked;
