package dev.cloche.bench.compare;

import dev.cloche.bench.probe.BenchVm;
import dev.cloche.bench.report.Report;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.GuestExecution;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * A gibibyte out of a guest and a quarter of one in, of random bytes, whose SHA-256 both sides compute. The digests take the
 * emulated guest most of the time, so the rates say nothing about the channel.
 */
final class BulkDigests {
    private static final int CHUNK = 64 * 1024;
    private static final long OUT = 1L << 30;
    private static final long IN = 256L << 20;

    /** The digest of what went through {@code tee}, as the last thing on the standard error. */
    private static final String PRODUCE = "mkfifo /tmp/copy; sha256sum < /tmp/copy > /tmp/digest & " + "head -c " + OUT
            + " /dev/urandom | tee /tmp/copy; wait; rm /tmp/copy; cat /tmp/digest >&2";

    private final BenchVm vm;

    BulkDigests(BenchVm vm) {
        this.vm = vm;
    }

    void measure(Report report) throws IOException {
        report.heading("Much, compared by SHA-256 on both sides, once");
        note(report, "out of the guest", OUT, this::out);
        note(report, "into the guest", IN, this::in);
    }

    /** Answers what the digest of the bytes is here, and in the guest. */
    private interface Transfer {
        List<String> run() throws IOException;
    }

    private static void note(Report report, String where, long bytes, Transfer transfer) throws IOException {
        System.gc();
        List<MemoryPoolMXBean> heap = ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
        heap.forEach(MemoryPoolMXBean::resetPeakUsage);
        long before = used(heap);
        long begin = System.nanoTime();
        List<String> digests = transfer.run();
        double seconds = (System.nanoTime() - begin) / 1e9;
        if (!digests.getFirst().equals(digests.getLast())) {
            throw new IllegalStateException("what went " + where + " differs: " + digests);
        }
        report.note(String.format(
                Locale.ROOT,
                "%d MiB %s in %.1f s: the same on both sides; peak of the JVM's heap with its garbage %.1f MiB, before %.1f MiB.",
                bytes >> 20,
                where,
                seconds,
                peak(heap) / (double) (1 << 20),
                before / (double) (1 << 20)));
    }

    private static long used(List<MemoryPoolMXBean> heap) {
        return heap.stream().mapToLong(pool -> pool.getUsage().getUsed()).sum();
    }

    private static long peak(List<MemoryPoolMXBean> heap) {
        return heap.stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
    }

    private List<String> out() throws IOException {
        MessageDigest digest = sha256();
        byte[] chunk = new byte[CHUNK];
        try (GuestExecution producer = vm.guest().exec(ExecRequest.of("sh", "-c", PRODUCE), BenchVm.patience())) {
            InputStream stdout = producer.stdout();
            long total = 0;
            for (int n = stdout.read(chunk); n >= 0; n = stdout.read(chunk)) {
                digest.update(chunk, 0, n);
                total += n;
            }
            if (total != OUT) {
                throw new IllegalStateException(total + " bytes have come");
            }
            return List.of(hexadecimal(digest), firstWord(producer.stderr()));
        }
    }

    private List<String> in() throws IOException {
        MessageDigest digest = sha256();
        Random random = new Random(1);
        byte[] chunk = new byte[CHUNK];
        try (GuestExecution consumer =
                vm.guest().exec(ExecRequest.of("sha256sum").withStdin(), BenchVm.patience())) {
            try (OutputStream stdin = consumer.stdin()) {
                for (long left = IN; left > 0; left -= chunk.length) {
                    random.nextBytes(chunk);
                    digest.update(chunk);
                    stdin.write(chunk);
                }
            }
            return List.of(hexadecimal(digest), firstWord(consumer.stdout()));
        }
    }

    private static String firstWord(InputStream text) throws IOException {
        return new String(text.readAllBytes(), StandardCharsets.US_ASCII).split(" ", 2)[0];
    }

    private static String hexadecimal(MessageDigest digest) {
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
