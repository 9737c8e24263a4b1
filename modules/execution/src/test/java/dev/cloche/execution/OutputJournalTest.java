package dev.cloche.execution;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.linux.DiskReserve;
import dev.cloche.vm.Output;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputJournalTest {
    private static final long LARGE = 1 << 20;

    @TempDir
    Path root;

    /** Of the process whose output it is. */
    private final CompletableFuture<Void> over = new CompletableFuture<>();

    private Path directory() {
        return root.resolve("exec-1");
    }

    private DiskReserve reserve() {
        return DiskReserve.in(root);
    }

    @Test
    void whatIsWrittenIsReadInItsOrder() throws IOException {
        try (OutputJournal journal = open(LARGE)) {
            append(journal, Output.STDOUT, 0, "one ");
            append(journal, Output.STDERR, 0, "oops ");
            append(journal, Output.STDOUT, 4, "two");
            assertThat(journal.end(Output.STDOUT)).isEqualTo(7);
            assertThat(journal.end(Output.STDERR)).isEqualTo(5);
        }
        assertThat(read()).isEqualTo("out:one err:oops out:two");
    }

    @Test
    void theNextWriterGoesOnBehindWhatIsWhole() throws IOException {
        try (OutputJournal journal = open(LARGE)) {
            append(journal, Output.STDOUT, 0, "whole ");
            append(journal, Output.STDOUT, 6, "and half");
        }
        Path file = OutputRecord.newest(directory());
        byte[] all = Files.readAllBytes(file);
        for (int cut = 1; cut < 33; cut++) {
            Files.write(file, Arrays.copyOf(all, all.length - cut));
            try (OutputJournal journal = open(LARGE)) {
                assertThat(journal.end(Output.STDOUT))
                        .as("%d bytes cut off", cut)
                        .isEqualTo(6);
                append(journal, Output.STDOUT, 6, "then more");
            }
            assertThat(read()).isEqualTo("out:whole out:then more");
        }
    }

    @Test
    void aDamagedByteEndsWhatIsSound() throws IOException {
        try (OutputJournal journal = open(LARGE)) {
            append(journal, Output.STDOUT, 0, "sound");
            append(journal, Output.STDOUT, 5, "damaged");
        }
        Path file = OutputRecord.newest(directory());
        byte[] all = Files.readAllBytes(file);
        all[all.length - 3] ^= 1;
        Files.write(file, all);
        assertThat(read()).isEqualTo("out:sound");
        try (OutputJournal journal = open(LARGE)) {
            assertThat(journal.end(Output.STDOUT)).isEqualTo(5);
        }
    }

    @Test
    void theOldestGoesAndThatIsTold() throws IOException {
        try (OutputJournal journal = open(200)) {
            for (int i = 0; i < 100; i++) {
                append(journal, Output.STDOUT, 10L * i, "0123456789");
            }
        }
        try (OutputJournal journal = open(200)) {
            assertThat(journal.end(Output.STDOUT)).isEqualTo(1000);
        }
        try (ExecutionLog log = new ExecutionLog(directory(), over::join)) {
            ExecutionOutput first = log.next().orElseThrow();
            assertThat(first.missing()).isBetween(900L, 990L);
            long end = first.missing() + first.bytes().remaining();
            for (Optional<ExecutionOutput> next = log.next(); next.isPresent(); next = log.next()) {
                assertThat(next.get().missing()).isZero();
                end += next.get().bytes().remaining();
            }
            assertThat(end).isEqualTo(1000);
        }
    }

    @Test
    void bytesThatAreLostAreAGap() throws IOException {
        try (OutputJournal journal = open(LARGE)) {
            append(journal, Output.STDOUT, 0, "a");
            append(journal, Output.STDOUT, 101, "b");
            assertThatThrownBy(() -> append(journal, Output.STDOUT, 50, "c"))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        try (ExecutionLog log = new ExecutionLog(directory(), over::join)) {
            assertThat(log.next().orElseThrow().missing()).isZero();
            assertThat(log.next().orElseThrow().missing()).isEqualTo(100);
        }
    }

    @Test
    void thereIsOneWriter() throws IOException {
        try (OutputJournal _ = open(LARGE)) {
            assertThat(OutputJournal.open(directory(), LARGE, reserve(), Clock.systemUTC()))
                    .isEmpty();
        }
        open(LARGE).close();
    }

    @Test
    void aReaderFollowsAcrossSegmentsAndEndsWithTheProcess() throws Exception {
        StringBuilder read = new StringBuilder();
        Files.createDirectories(directory());
        Thread reader = Thread.ofVirtual().start(() -> {
            try (ExecutionLog log = new ExecutionLog(directory(), over::join)) {
                Deadline soon = Deadline.after(Duration.ofMinutes(5));
                for (Optional<ExecutionOutput> next = log.await(soon); next.isPresent(); next = log.await(soon)) {
                    read.append(UTF_8.decode(next.get().bytes().duplicate()));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        StringBuilder written = new StringBuilder();
        try (OutputJournal journal = open(LARGE)) {
            for (int i = 0; i < 2000; i++) {
                String piece = "line " + i + "\n";
                append(journal, Output.STDOUT, written.length(), piece);
                written.append(piece);
            }
            journal.sync();
            over.complete(null);
        }
        reader.join();
        assertThat(read.toString()).isEqualTo(written.toString());
    }

    @Test
    void aReaderOfAnOutputThatIsNotWrittenYetLearnsOfTheEnd() throws Exception {
        try (ExecutionLog log = new ExecutionLog(directory(), over::join)) {
            Thread end = Thread.ofVirtual().start(() -> over.complete(null));
            assertThat(log.await(Deadline.none())).isEmpty();
            assertThat(log.await(Deadline.none())).isEmpty();
            end.join();
        }
    }

    @Test
    void aReaderIsToldWhyTheEndCannotBeFoundOut() throws Exception {
        over.completeExceptionally(new IllegalStateException("the registry is gone"));
        try (ExecutionLog log = new ExecutionLog(directory(), over::join)) {
            assertThatThrownBy(() -> log.await(Deadline.none())).hasMessageContaining("the registry is gone");
        }
    }

    private OutputJournal open(long keptBytes) throws IOException {
        return OutputJournal.open(directory(), keptBytes, reserve(), Clock.systemUTC())
                .orElseThrow();
    }

    private static void append(OutputJournal journal, Output output, long offset, String text) throws IOException {
        journal.append(output, offset, ByteBuffer.wrap(text.getBytes(UTF_8)));
    }

    private String read() {
        StringBuilder text = new StringBuilder();
        try (ExecutionLog log = new ExecutionLog(directory(), over::join)) {
            for (Optional<ExecutionOutput> next = log.next(); next.isPresent(); next = log.next()) {
                text.append(next.get().error() ? "err:" : "out:")
                        .append(UTF_8.decode(next.get().bytes().duplicate()));
            }
        }
        return text.toString();
    }
}
