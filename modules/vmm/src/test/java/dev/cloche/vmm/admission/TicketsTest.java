package dev.cloche.vmm.admission;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.linux.LockFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The queue with real locks. */
class TicketsTest {
    private static final int TIMES = 1_000;

    private static final VmClaim WANTED = new VmClaim(10, 0, false, 1, 0, Set.of(), false);

    @TempDir
    Path root;

    /** As a process does that waited for the ticket that had this number before. */
    @Test
    void aNumberIsGivenAgainWhileOthersStillLookAtIt() throws Exception {
        Tickets tickets = new Tickets(root.resolve("admission"));
        Path first = root.resolve("admission/0000000000000000001");
        AtomicBoolean over = new AtomicBoolean();
        List<Thread> looking = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            looking.add(Thread.ofPlatform().start(() -> {
                while (!over.get()) {
                    var _ = LockFile.isHeld(first);
                }
            }));
        }
        try {
            for (int i = 0; i < TIMES; i++) {
                try (Tickets.Ticket ticket = tickets.take(WANTED)) {
                    assertThat(ticket.number()).isOne();
                    assertThat(tickets.ahead(OptionalLong.empty()))
                            .extracting(Tickets.Waiting::wanted)
                            .containsExactly(WANTED);
                }
            }
        } finally {
            over.set(true);
            for (Thread each : looking) {
                each.join();
            }
        }
    }
}
