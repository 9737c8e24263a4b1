package dev.cloche.junit;

import dev.cloche.vm.Network;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Gives a parameter or a field of type {@link dev.cloche.Sandbox} a sandbox of its own. That of a parameter of a test, of an
 * instance's field or of a constructor ends after each test; that of a static field, or of a parameter of a method for all
 * tests, after the class.
 *
 * <pre>{@code
 * @EnabledIfCloche
 * class CacheTest {
 *     @Sandboxed(image = "redis", imageCommand = true, publish = 6379)
 *     static Sandbox redis;
 *
 *     @Test
 *     void aValueIsKept(@Sandboxed(image = "debian") Sandbox client) {
 *         URI address = redis.ports().of(6379).uri("redis");
 *     }
 * }
 * }</pre>
 *
 * <p>What the main command has written at last is published with each test that fails: as a report entry, and in the stack
 * trace of the failure.
 */
@Documented
@Target({ElementType.FIELD, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(ClocheExtension.class)
public @interface Sandboxed {
    /** Names the image, as {@link dev.cloche.Cloche#sandbox} takes it. */
    String image();

    /** Replaces the image's own command, and runs it as the main command of the sandbox. */
    String[] command() default {};

    /** Says whether the image's own command is run. Without it and without {@link #command}, none is. */
    boolean imageCommand() default false;

    /** Sets environment variables of all commands, each as {@code NAME=value}. */
    String[] environment() default {};

    /** Sets the guest's memory in MiB. */
    int memoryMib() default 512;

    /** Sets the guest's virtual CPUs. */
    int cpus() default 1;

    /** Sets what network the sandbox has; by default none, with which its ports can be reached all the same. */
    Network network() default Network.NONE;

    /**
     * Has free ports of 127.0.0.1, which {@link dev.cloche.Sandbox#ports} tells, lead to TCP ports of the guest: through the
     * channel on which Cloche speaks with it, or with {@link Network#USER} through its network. Where a main command is run,
     * the sandbox is handed over when the guest listens on all of them.
     */
    int[] publish() default {};

    /**
     * Keeps this many VMs ready for sandboxes of the same image, memory, processors and network, from the first of them on; 0
     * sets no pool. All forks of a test run take from it. Five minutes after the last start it has no VM any more.
     */
    int pool() default 0;

    /** Limits how long to wait for each published port, in seconds. */
    int readySeconds() default 60;
}
