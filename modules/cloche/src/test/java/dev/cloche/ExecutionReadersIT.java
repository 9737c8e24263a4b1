package dev.cloche;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.InstalledShare;
import dev.cloche.base.SharedInput;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.Output;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several readers of what a command in a real VM writes. */
@Timeout(1200)
class ExecutionReadersIT {
    private static final int KEPT = 256 << 10;

    @TempDir
    static Path home;

    static Cloche cloche;
    static Sandbox box;

    @BeforeAll
    static void open() {
        Path share = InstalledShare.require();
        cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()));
        box = cloche.sandbox("base").name("box").memoryMib(256).start();
    }

    @AfterAll
    static void close() {
        if (cloche != null) {
            box.close();
            cloche.close();
        }
    }

    @Test
    void oneThatIsStuckDelaysNoneOfNinetyNine() throws Exception {
        StringBuilder all = new StringBuilder();
        for (int i = 1; i <= 300_000; i++) {
            all.append(i).append('\n');
        }
        // The pace is the fastest's, which may leave any other behind: so all of it is kept.
        try (Execution seq = box.command("seq", "1", "300000").start().keepForReaders(all.length());
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> read = new ArrayList<>();
            for (int i = 0; i < 99; i++) {
                SharedInput.Reader reader = seq.reader(Output.STDOUT, 0);
                read.add(threads.submit(() -> new String(reader.readAllBytes(), UTF_8)));
            }
            SharedInput.Reader stuck = seq.reader(Output.STDOUT, 0);
            for (Future<String> one : read) {
                assertThat(one.get()).isEqualTo(all.toString());
            }
            assertThat(seq.await()).isEqualTo(new ExitStatus.Exited(0));
            assertThat(stuck.offset()).isZero();
            assertThat(seq.stdoutOffset()).isZero();
            assertThat(seq.stdout().readAllBytes()).hasSize(all.length());
            assertThat(seq.reader(Output.STDOUT, all.length() - 7L).readAllBytes())
                    .isEqualTo("300000\n".getBytes(UTF_8));
            assertThat(seq.reader(Output.STDERR, 0).read()).isEqualTo(-1);
        }
    }

    @Test
    void whoIsTooSlowForWhatIsKeptIsToldOrEnds() throws Exception {
        try (Execution seq = box.command("seq", "1", "300000").start().keepForReaders(KEPT)) {
            SharedInput.Reader told = seq.reader(Output.STDOUT, 0);
            SharedInput.Reader ends = seq.reader(Output.STDOUT, 0, Execution.Lag.ENDS);
            long all = seq.reader(Output.STDOUT, 0).transferTo(OutputStream.nullOutputStream());
            assertThatThrownBy(told::read)
                    .isInstanceOfSatisfying(GuestException.OutputGap.class, gap -> {
                        assertThat(gap.offset()).isZero();
                        assertThat(gap.missing()).isEqualTo(all - KEPT);
                    })
                    .hasMessageStartingWith("stdout of execution ");
            assertThat(new String(told.readAllBytes(), UTF_8)).hasSize(KEPT).endsWith("\n300000\n");
            assertThat(ends.read()).isEqualTo(-1);
            assertThat(ends.missed()).isEqualTo(all - KEPT);
        }
    }

    @Test
    void readersGoOnWhereTheyWereInAnotherAttachment() throws Exception {
        int id;
        long known;
        Execution first = box.command("sh", "-c", "echo one; read line; echo two")
                .stdin(true)
                .acknowledged(true)
                .start();
        try (SharedInput.Reader reader = first.reader(Output.STDOUT, 0)) {
            assertThat(new String(reader.readNBytes(4), UTF_8)).isEqualTo("one\n");
            known = reader.offset();
            first.acknowledge(known, 0);
            id = first.id();
            Future<Integer> waits;
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                waits = threads.submit(() -> reader.read());
                first.close();
            }
            assertThatThrownBy(waits::get)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(IOException.class);
        }
        try (Execution rest = box.attach(id, known, 0)) {
            SharedInput.Reader one = rest.reader(Output.STDOUT, known);
            SharedInput.Reader other = rest.reader(Output.STDOUT, 0);
            try (OutputStream in = rest.stdin()) {
                in.write('\n');
            }
            assertThat(new String(one.readAllBytes(), UTF_8)).isEqualTo("two\n");
            assertThatThrownBy(other::read).isInstanceOf(GuestException.OutputGap.class);
            assertThat(new String(other.readAllBytes(), UTF_8)).isEqualTo("two\n");
            assertThat(rest.await()).isEqualTo(new ExitStatus.Exited(0));
            rest.acknowledge(one.offset(), 0);
        }
    }
}
