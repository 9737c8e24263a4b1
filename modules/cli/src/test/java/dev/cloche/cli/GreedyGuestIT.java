package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Guests that write all the time, on a disk that they have filled: they do not get what the reserve gives up. */
class GreedyGuestIT {
    private static final long RESERVE = 16 << 20;

    @RegisterExtension
    private static final SmallDisk DISK = new SmallDisk("120m", "fills", "talks");

    private static void detached(String name, String disk, String script) {
        DISK.good("run", "-q", "-d", "-m", "128m", "--name", name, "--disk", disk, "base", "--", "sh", "-c", script);
    }

    @Test
    @Tag("slow")
    void commandsWorkForAsLongAsGuestsWriteAndTheReserveIsMadeWholeBeforeTheyGoOn() throws Exception {
        DISK.good("ps");
        DISK.good("maintain");
        assertThat(DISK.home().resolve("reserve")).hasSize(RESERVE);
        // The one is halted by its disk, and writes no more than there is room for in the end: on a disk that it filled
        // again, ps
        // would take from the reserve again. The other has no disk, and what it says goes to a log of the host.
        detached(
                "fills",
                "4g",
                "for i in $(seq 150); do head -c 1000000 /dev/urandom; sync; done >/big; exec sleep 1000");
        detached("talks", "0", "echo said; exec yes 0123456789012345678901234567890123456789012345678901234567");
        await().until(() -> DISK.good("ps").stdout().contains("running (disk full)"));

        for (int i = 0; i < 24; i++) {
            switch (i % 3) {
                case 0 -> assertThat(DISK.good("ps").stdout()).contains("fills", "talks");
                case 1 -> assertThat(DISK.good("images").stdout()).contains("base");
                default ->
                    assertThat(DISK.good("logs", "--tail", "1", "talks").exitCode())
                            .isZero();
            }
        }
        assertThat(Files.size(DISK.home().resolve("reserve")))
                .as("what is left of the reserve")
                .isGreaterThan(RESERVE / 4 * 3);

        DISK.good("kill", "talks");
        DISK.remount("size=300m");
        await().until(() -> Files.exists(DISK.home().resolve("vms")) && !isHalted());
        assertThat(DISK.home().resolve("reserve")).hasSize(RESERVE);
    }

    private static boolean isHalted() {
        return DISK.good("ps", "--format", "json").stdout().contains("disk-full");
    }
}
