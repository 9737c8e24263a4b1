package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileSignalTest {
    @TempDir
    Path directory;

    @Test
    void filesThatAreMadeWrittenOrTouchedAreSignals() throws Exception {
        Path file = directory.resolve("file");
        try (FileSignal signal = FileSignal.listen(directory)) {
            assertThat(signal.await(Deadline.after(Duration.ofMillis(1)))).isFalse();
            Files.createFile(file);
            assertThat(signal.await(Deadline.none())).isTrue();
        }
        try (FileSignal signal = FileSignal.listen(directory)) {
            Files.writeString(file, "x");
            assertThat(signal.await(Deadline.none())).isTrue();
        }
        try (FileSignal signal = FileSignal.listen(directory)) {
            FileSignal.give(file);
            assertThat(signal.await(Deadline.none())).isTrue();
        }
    }

    @Test
    void anotherProcessSignalsToo() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        try (FileSignal signal = FileSignal.listen(directory)) {
            assertThat(new ProcessBuilder("touch", file.toString()).start().waitFor())
                    .isZero();
            assertThat(signal.await(Deadline.none())).isTrue();
        }
    }

    @Test
    void signalsFromBeforeAWaitCountAsOne() throws Exception {
        try (FileSignal signal = FileSignal.listen(directory)) {
            signal.wake();
            signal.wake();
            assertThat(signal.await(Deadline.none())).isTrue();
            assertThat(signal.await(Deadline.after(Duration.ofMillis(1)))).isFalse();
        }
    }

    @Test
    void closingEndsEveryWait() throws Exception {
        FileSignal signal = FileSignal.listen(directory);
        FutureTask<Boolean> wait = new FutureTask<>(() -> signal.await(Deadline.none()));
        Thread.ofVirtual().start(wait);
        signal.close();
        signal.close();
        assertThat(wait.get()).isFalse();
        assertThat(signal.isClosed()).isTrue();
        assertThat(signal.await(Deadline.none())).isFalse();
    }

    @Test
    void whatIsMissingCannotBeListenedToNorSignalled() {
        assertThatThrownBy(() -> FileSignal.listen(directory.resolve("missing")))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> FileSignal.give(directory.resolve("missing"))).isInstanceOf(IOException.class);
    }
}
