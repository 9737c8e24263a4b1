package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessesTest {
    private Process child;
    private ProcessIdentity identity;

    @BeforeEach
    void start() throws IOException {
        child = new ProcessBuilder("cat")
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        identity = ProcessIdentity.of(child.pid()).orElseThrow();
    }

    @AfterEach
    void stop() throws InterruptedException {
        child.destroyForcibly();
        child.waitFor();
    }

    @Test
    void aSignalReachesThePinnedProcessAndItsEndIsSeen() throws Exception {
        try (PinnedProcess pinned = PinnedProcess.open(identity).orElseThrow()) {
            assertThat(pinned.onEnd()).isNotDone();
            assertThat(pinned.signal(15)).isTrue();
            pinned.onEnd().get(5, TimeUnit.MINUTES);
            assertThat(child.waitFor()).isEqualTo(128 + 15);
            assertThat(pinned.signal(15)).isFalse();
        }
    }

    @Test
    void aProcessOfTheSamePidAndAnotherStartTimeOrBootIsNotTaken() {
        assertThat(PinnedProcess.open(new ProcessIdentity(identity.pid(), identity.startTime() + 1, identity.bootId())))
                .isEmpty();
        assertThat(PinnedProcess.open(new ProcessIdentity(identity.pid(), identity.startTime(), "another boot")))
                .isEmpty();
        assertThat(child.isAlive()).isTrue();
    }

    @Test
    void anEndedProcessCannotBePinned() throws InterruptedException {
        child.destroyForcibly();
        child.waitFor();
        assertThat(PinnedProcess.open(identity)).isEmpty();
        assertThat(ProcessIdentity.of(identity.pid())).isNotEqualTo(identity);
    }

    @Test
    void closingCancelsTheWatch() {
        PinnedProcess pinned = PinnedProcess.open(identity).orElseThrow();
        var end = pinned.onEnd();
        pinned.close();
        pinned.close();
        assertThatThrownBy(() -> end.get(5, TimeUnit.MINUTES))
                .satisfiesAnyOf(
                        e -> assertThat(e).isInstanceOf(CancellationException.class),
                        e -> assertThat(e).hasCauseInstanceOf(CancellationException.class));
        assertThatThrownBy(() -> pinned.signal(15)).isInstanceOf(IllegalStateException.class);
        assertThat(child.isAlive()).isTrue();
    }

    @Test
    void refusalsOfTheKernelAreTyped() {
        FaultyLibc libc = new FaultyLibc();
        libc.pidfdSendSignal = -Errno.EPERM;
        try (PinnedProcess pinned = PinnedProcess.open(libc, identity).orElseThrow()) {
            assertThatThrownBy(() -> pinned.signal(15)).hasMessageContaining("not permitted");
            assertThatThrownBy(pinned::onEnd).hasMessageContaining("too many open files");
        }
        assertThat(libc.closed).containsExactly(libc.pidfdOpen);
        libc.pidfdOpen = -Errno.EMFILE;
        assertThatThrownBy(() -> PinnedProcess.open(libc, identity)).isInstanceOf(SystemCallException.class);
    }

    @Test
    void aNameWithParenthesesAndSpacesDoesNotHideTheStartTime(@TempDir Path proc) throws IOException {
        Files.createDirectories(proc.resolve("sys/kernel/random"));
        Files.writeString(proc.resolve("sys/kernel/random/boot_id"), "boot\n");
        Files.createDirectories(proc.resolve("7"));
        Files.writeString(
                proc.resolve("7/stat"), "7 (a) R 1 (b) S 1 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 4711 9 9\n");
        assertThat(ProcessIdentity.of(proc, 7)).contains(new ProcessIdentity(7, 4711, "boot"));
        assertThat(ProcessIdentity.of(proc, 8)).isEmpty();
    }

    @Test
    void thisJvmIsAlive() {
        assertThat(ProcessIdentity.current().pid())
                .isEqualTo(ProcessHandle.current().pid());
        assertThat(ProcessIdentity.currentBootId())
                .contains(ProcessIdentity.current().bootId());
    }

    @Test
    void anUnknownSystemSaysSo() {
        assertThatThrownBy(() -> LibcHolder.choose("Mac OS X", "aarch64").flock(1, 1))
                .isInstanceOf(UnsupportedSystemException.class)
                .hasMessageStartingWith("Cloche does not run on Mac OS X on aarch64");
        assertThat(FileCalls.Lazy.choose("Mac OS X", "aarch64")).isEmpty();
        assertThat(FileCalls.Lazy.choose("Linux", "riscv64")).isEmpty();
        assertThatThrownBy(() -> LibcHolder.choose("Linux", "riscv64").pidfdOpen(1, 0))
                .isInstanceOf(UnsupportedSystemException.class);
    }
}
