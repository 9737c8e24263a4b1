package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.base.Printable;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Consumer;

/** Runs a program in a guest, which is good if that succeeds. */
record GuestCheck(ExecRequest request) implements Consumer<Guest> {
    /** Its caller has a shorter one. */
    private static final Duration LIMIT = Duration.ofMinutes(10);

    private static final int KEPT = 400;

    /** @throws IllegalStateException if it ends otherwise than with 0 */
    @Override
    public void accept(Guest guest) {
        Deadline deadline = Deadline.after(LIMIT);
        try (GuestExecution run = guest.exec(request, deadline)) {
            Thread reader = Thread.ofVirtual().start(() -> {
                var _ = kept(run.stdout());
            });
            String said = kept(run.stderr());
            ExitStatus status = run.await(deadline);
            reader.interrupt();
            if (!status.success()) {
                throw new IllegalStateException(
                        "'" + Printable.brief(request.arguments().getFirst()) + "' ended with " + status
                                + (said.isBlank() ? "" : ": " + Printable.of(said.strip())));
            }
        }
    }

    /** Keeps the beginning of what is written; the rest is read, so that the program goes on. */
    private static String kept(InputStream from) {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        byte[] buffer = new byte[8192];
        try {
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                kept.write(buffer, 0, Math.min(count, KEPT - kept.size()));
            }
        } catch (IOException lost) {
            // The end of the execution says what has happened.
        }
        return kept.toString(StandardCharsets.UTF_8);
    }
}
