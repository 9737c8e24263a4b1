package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.RunningSandbox;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A sandbox whose guest answers. Safe for use from several threads; commands run side by side.
 *
 * <pre>{@code
 * try (Sandbox sandbox = cloche.sandbox("debian").start()) {
 *     System.out.println(sandbox.exec("cat", "/etc/debian_version").stdoutText());
 * }
 * }</pre>
 */
public final class Sandbox implements AutoCloseable {
    private final RunningSandbox running;

    Sandbox(RunningSandbox running) {
        this.running = running;
    }

    /** Its name, given or generated; also the host name of its guest. */
    public String name() {
        return running.name();
    }

    /** Where the time of its start went; empty for a sandbox that was connected to. */
    public Optional<StartTimings> startTimings() {
        return running.timings().map(timings -> new StartTimings(timings.total(), timings.image(), timings.boot()));
    }

    /**
     * Runs a command to its end and returns all that it wrote. Short for {@code command(words).run()}.
     *
     * @throws dev.cloche.base.ClocheException as {@link CommandBuilder#start()} and {@link CommandBuilder#run()} do
     */
    public ExecResult exec(String... words) {
        return command(words).run();
    }

    /**
     * A command to start.
     *
     * @param words the program, searched in the {@code PATH} of its environment, and its arguments; no shell reads them
     */
    public CommandBuilder command(String... words) {
        List<String> command = List.of(words);
        return new CommandBuilder(
                (options, deadline) -> new Execution(running, running.exec(command, options, deadline), deadline));
    }

    /**
     * What the sandbox is for: the command that was given to {@link SandboxBuilder#command}, or the image's own.
     *
     * <p>When it is started: an {@link IllegalStateException} if this is a connection to a sandbox, and an error with the
     * code {@code sandbox.no-command} if neither names a command.
     */
    public CommandBuilder mainCommand() {
        return new CommandBuilder(
                (options, deadline) -> new Execution(running, running.execMain(options, deadline), deadline));
    }

    /**
     * Waits for {@code main} and ends the sandbox with it, so that its record tells how {@code main} ended.
     *
     * @throws dev.cloche.base.ClocheException as {@link Execution#await()} does
     */
    public Exit finishWith(Execution main) {
        Exit exit = main.await();
        running.finish(main.awaitStatus());
        return exit;
    }

    /**
     * Ends the sandbox, also one that was connected to: its processes get SIGTERM, and SIGKILL after {@code grace}. Returns
     * when its end is recorded.
     */
    public void stop(Duration grace) {
        running.stop(grace, Deadline.none());
    }

    /**
     * Lets a sandbox that this process started outlive it, and lets go of it: nothing more can be done by this handle. Of a
     * connection, short for {@link #close()}.
     *
     * <pre>{@code
     * Sandbox sandbox = cloche.sandbox("debian").name("build").start();
     * sandbox.detach();
     * // later, here or in another process:
     * cloche.connect("build").exec("make");
     * }</pre>
     */
    public void detach() {
        running.detach();
    }

    /**
     * Ends a sandbox that this process started, at once; lets go of one that was connected to. An ephemeral sandbox is
     * gone when this returns. Closing twice does nothing.
     */
    @Override
    public void close() {
        running.close();
    }
}
