package dev.cloche.image.registry;

import dev.cloche.base.Deadline;
import dev.cloche.base.JsonValue;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Asks a program that keeps logins for Docker, {@code docker-credential-<name>}. It is started without a shell; the registry
 * goes to its standard input and the login comes from its standard output, never over a command line. The protocol is that
 * of the docker-credential-helpers project.
 *
 * @param program by absolute path
 * @param patience how long it may take; some ask a person to unlock a key ring
 */
public record CredentialHelper(Path program, Duration patience) {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,99}");
    private static final int LONGEST = 64 * 1024;

    /** What a helper prints, in place of an error of its own, if it knows no login for the registry. */
    private static final String UNKNOWN = "credentials not found in native keychain";

    /**
     * Looks for the program on the search path, whose relative directories are passed over.
     *
     * @throws LoginsUnreadable if it cannot be the name of a helper, or is not installed
     */
    static CredentialHelper find(String name, String searchPath) throws LoginsUnreadable {
        if (!NAME.matcher(name).matches()) {
            throw new LoginsUnreadable("its configuration names a credential helper that cannot exist");
        }
        String program = "docker-credential-" + name;
        return Stream.of(searchPath.split(":"))
                .filter(directory -> directory.startsWith("/"))
                .map(directory -> Path.of(directory, program))
                .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
                .findFirst()
                .map(file -> new CredentialHelper(file, PATIENCE))
                .orElseThrow(() -> new LoginsUnreadable("the credential helper " + program + " is not installed"));
    }

    /**
     * Asks for the login of a registry.
     *
     * @return empty if it has none
     * @throws LoginsUnreadable if it fails, says too much, or is not done in time; what it said is not repeated
     */
    public Optional<Credential> get(String registry, Deadline deadline) throws LoginsUnreadable, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(program.toString(), "get")
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException e) {
            throw failed("cannot be started");
        }
        try {
            byte[] said = talk(process, registry, deadline.orAfter(patience));
            if (said.length > LONGEST) {
                throw failed("says more than a login");
            }
            return login(process.exitValue(), said);
        } finally {
            // What a script has started is its own child, and may hold its output open.
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    private byte[] talk(Process process, String registry, Deadline deadline)
            throws LoginsUnreadable, InterruptedException {
        // Reading a pipe knows no deadline, so another thread reads.
        FutureTask<byte[]> reading =
                new FutureTask<>(() -> process.getInputStream().readNBytes(LONGEST + 1));
        Thread.ofPlatform().daemon().name("cloche-credential-helper").start(reading);
        try (OutputStream question = process.getOutputStream()) {
            question.write(registry.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // It may know the answer without the question; if not, its exit code says so.
        }
        try {
            byte[] said = reading.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
            if (said.length <= LONGEST && !process.waitFor(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
                throw failed("does not end");
            }
            return said;
        } catch (TimeoutException e) {
            throw failed("does not answer");
        } catch (ExecutionException e) {
            throw failed("cannot be read");
        }
    }

    private Optional<Credential> login(int exitCode, byte[] said) throws LoginsUnreadable {
        if (exitCode != 0) {
            if (new String(said, StandardCharsets.UTF_8).strip().equals(UNKNOWN)) {
                return Optional.empty();
            }
            throw failed("ended with " + exitCode);
        }
        try {
            JsonValue.Fields answer = JsonValue.parse(said);
            return Credential.of(
                    answer.text("Username").orElse(""), answer.text("Secret").orElse(""));
        } catch (JsonValue.Malformed e) {
            // The parser's words quote the document.
            throw failed("answers with something else than a login");
        }
    }

    private LoginsUnreadable failed(String how) {
        return new LoginsUnreadable("the credential helper " + program.getFileName() + " " + how);
    }
}
