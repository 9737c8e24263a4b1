package dev.cloche.agentsandbox;

import dev.cloche.CommandBuilder;
import dev.cloche.base.ClocheException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.springaicommunity.sandbox.ExecResult;
import org.springaicommunity.sandbox.ExecSpec;
import org.springaicommunity.sandbox.Sandbox;
import org.springaicommunity.sandbox.SandboxException;
import org.springaicommunity.sandbox.SandboxFiles;
import org.springaicommunity.sandbox.TimeoutException;

/**
 * A sandbox as agent-sandbox-core's callers see it.
 *
 * <pre>{@code
 * try (Sandbox sandbox = AgentSandbox.of(cloche.sandbox("debian").start())) {
 *     ExecResult result = sandbox.exec(ExecSpec.of("cat", "/etc/debian_version"));
 * }
 * }</pre>
 *
 * <p>Commands and files are root's, unless the builder of the sandbox says otherwise for commands. A command for a shell is run
 * by the image's {@code sh}. Interactive processes are refused, as the interface allows. Failures are {@link SandboxException}s,
 * whose cause has the code. Safe for use from several threads.
 */
public final class AgentSandbox implements Sandbox {
    /** What {@link ExecSpec.Builder#shellCommand} puts in front of a command line. */
    private static final String SHELL = "__SHELL_COMMAND__";

    private final dev.cloche.Sandbox sandbox;
    private final String directory;
    private volatile boolean closed;

    private AgentSandbox(dev.cloche.Sandbox sandbox, String directory) {
        this.sandbox = sandbox;
        this.directory = directory;
        sandbox.files().makeDirectories(directory);
    }

    /** Returns it with the working directory {@code /work}, and closes {@code sandbox} when it is closed. */
    public static AgentSandbox of(dev.cloche.Sandbox sandbox) {
        return of(sandbox, "/work");
    }

    /**
     * Returns it, and closes {@code sandbox} when it is closed: one that this process has started ends then, and one that was
     * connected to goes on.
     *
     * @param directory where commands start and relative paths begin, an absolute path; made if it is missing
     */
    public static AgentSandbox of(dev.cloche.Sandbox sandbox, String directory) {
        return new AgentSandbox(sandbox, directory);
    }

    @Override
    public ExecResult exec(ExecSpec spec) {
        requireOpen();
        long began = System.nanoTime();
        try {
            sandbox.files().makeDirectories(directory);
            CommandBuilder command = sandbox.command(words(spec.command())).workingDirectory(directory);
            spec.env().forEach(command::environment);
            if (spec.timeout() != null) {
                command.timeout(spec.timeout());
            }
            dev.cloche.ExecResult result = command.run();
            if (result.timedOut()) {
                throw new SandboxException(
                        "Command timed out",
                        new TimeoutException("Command timed out after " + spec.timeout(), spec.timeout()));
            }
            if (result.truncated()) {
                result.orThrow();
            }
            Duration took = Duration.ofNanos(System.nanoTime() - began);
            return new ExecResult(result.exitCode(), result.stdoutText(), result.stderrText(), took);
        } catch (ClocheException e) {
            throw new SandboxException("Failed to execute command: " + e.getMessage(), e);
        }
    }

    private static String[] words(List<String> command) {
        return command.size() == 2 && command.getFirst().equals(SHELL)
                ? new String[] {"sh", "-c", command.getLast()}
                : command.toArray(String[]::new);
    }

    /** Returns the working directory in the sandbox. */
    @Override
    public Path workDir() {
        return Path.of(directory);
    }

    @Override
    public SandboxFiles files() {
        return new AgentFiles(this, sandbox.files(), directory);
    }

    void requireOpen() {
        if (closed) {
            throw new IllegalStateException("Sandbox is closed");
        }
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** Returns whether the files go when it is closed: those of a sandbox that this process has started do. */
    @Override
    public boolean shouldCleanupOnClose() {
        return sandbox.startTimings().isPresent();
    }

    @Override
    public void close() {
        closed = true;
        sandbox.close();
    }
}
