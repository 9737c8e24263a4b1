package dev.cloche.machine.lifecycle;

import dev.cloche.base.Deadline;
import dev.cloche.base.DurableFiles;
import dev.cloche.base.Printable;
import dev.cloche.base.Uninterrupted;
import dev.cloche.machine.MachineException;
import dev.cloche.machine.MachineName;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFileOutput;
import dev.cloche.vm.WriteOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Runs the script of a machine that runs once. Its output is kept in provision.log beside it, the first MiB of it. Until it
 * has ended well, every start runs it again.
 */
public final class Provisioning {
    public static final String LOG = "provision.log";
    private static final String IN_GUEST = "/run/cloche-provision";
    private static final int SCRIPT_MODE = 0700;
    private static final int MOST_LOGGED = 1 << 20;
    private static final int LAST_WORDS = 300;
    private static final Duration STEP_LIMIT = Duration.ofSeconds(30);
    private static final int SIGKILL = 9;

    private final MachineName name;
    private final Path directory;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final ReentrantLock writing = new ReentrantLock();

    Provisioning(MachineName name, Path directory) {
        this.name = name;
        this.directory = directory;
    }

    /**
     * @param script name of a file in the machine's directory
     * @throws MachineException.ProvisionFailed if it ends with another exit code than 0
     */
    void run(Guest guest, String script, Map<String, String> environment, Deadline deadline) {
        put(guest, script);
        ExitStatus status;
        try (GuestExecution execution = guest.exec(ExecRequest.of(IN_GUEST).withEnvironment(environment), deadline)) {
            Thread errors = Thread.ofVirtual().name("provision-errors").start(() -> collect(execution.stderr()));
            try {
                collect(execution.stdout());
                status = execution.await(deadline);
                errors.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new MachineException.Interrupted("running the provisioning script");
            } catch (RuntimeException givenUp) {
                Uninterrupted.after(givenUp, () -> execution.signal(SIGKILL, Deadline.after(STEP_LIMIT)));
                throw givenUp;
            }
        } finally {
            keepLog();
        }
        guest.files().remove(IN_GUEST, false, Deadline.after(STEP_LIMIT));
        if (!status.success()) {
            throw new MachineException.ProvisionFailed(
                    name, "failed with exit code " + status.shellCode(), lastWords());
        }
    }

    private void put(Guest guest, String script) {
        byte[] bytes;
        try {
            bytes = Files.readAllBytes(directory.resolve(script));
        } catch (IOException e) {
            throw new MachineException.Storage("The provisioning script " + script + " cannot be read: " + e + ".", e);
        }
        WriteOptions options = new WriteOptions(SCRIPT_MODE, false, false, true, 0);
        try (GuestFileOutput out = guest.files().write(IN_GUEST, options, Deadline.after(STEP_LIMIT))) {
            out.write(bytes);
        } catch (IOException e) {
            throw new MachineException.Storage(
                    "The provisioning script cannot be written into the guest: " + e + ".", e);
        }
    }

    private void collect(InputStream stream) {
        byte[] buffer = new byte[8192];
        try {
            for (int n = stream.read(buffer); n >= 0; n = stream.read(buffer)) {
                writing.lock();
                try {
                    output.write(buffer, 0, Math.min(n, Math.max(0, MOST_LOGGED - output.size())));
                } finally {
                    writing.unlock();
                }
            }
        } catch (IOException | RuntimeException lost) {
            // The caller that waits for the end of the execution gets the reason.
        }
    }

    private void keepLog() {
        @Nullable IOException failure = null;
        try {
            DurableFiles.write(directory.resolve(LOG), output.toByteArray());
        } catch (IOException e) {
            failure = e;
        }
        if (failure != null) {
            System.getLogger(Provisioning.class.getName())
                    .log(System.Logger.Level.DEBUG, "the log of the provisioning is not kept", failure);
        }
    }

    private String lastWords() {
        String all = output.toString(StandardCharsets.UTF_8).strip();
        String last = all.length() > LAST_WORDS ? "…" + all.substring(all.length() - LAST_WORDS) : all;
        return Printable.brief(last.replace('\n', ' '));
    }
}
