/**
 * The library. {@link dev.cloche.Cloche} is the way in:
 *
 * <pre>{@code
 * try (Cloche cloche = Cloche.open();
 *         Sandbox sandbox = cloche.sandbox("debian").memoryMib(512).start()) {
 *     ExecResult result = sandbox.exec("python3", "-c", "print(6*7)");
 *     System.out.println(result.stdoutText());
 * }
 * }</pre>
 *
 * <p>All calls block, honour interruption and are made for virtual threads. Errors are
 * {@link dev.cloche.base.ClocheException}s with a stable code, a sentence and a remedy.
 */
@NullMarked
package dev.cloche;

import org.jspecify.annotations.NullMarked;
