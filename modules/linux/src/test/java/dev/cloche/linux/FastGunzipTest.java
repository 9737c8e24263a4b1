package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** It must answer as the JDK does, for every input. */
class FastGunzipTest {
    private static final long SEED = 20_260_103;

    @BeforeEach
    void needTheLibrary() {
        assumeTrue(FastGunzip.installed(), "skipped: libisal2 is not installed");
    }

    @Test
    void contentOfEveryKindAndLengthComesBack() throws IOException {
        Random random = new Random(SEED);
        for (int length : new int[] {0, 1, 100, 65_536, 262_144, 262_145, 3_000_000}) {
            byte[] content = new byte[length];
            random.nextBytes(content);
            Arrays.fill(content, length / 3, length / 2, (byte) 'x');
            assertThat(gunzip(gzip(content))).isEqualTo(content);
        }
    }

    @Test
    void membersFollowEachOtherWhereverTheReadsBreak() throws IOException {
        byte[] one = gzip("one ".repeat(1000).getBytes(StandardCharsets.UTF_8));
        byte[] two = gzip(new byte[0]);
        byte[] three = gzip("three".getBytes(StandardCharsets.UTF_8));
        byte[] all = concat(concat(one, two), three);
        String expected = "one ".repeat(1000) + "three";
        assertThat(new String(gunzip(all), StandardCharsets.UTF_8)).isEqualTo(expected);
        InputStream drops = new ByteArrayInputStream(all) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                return super.read(target, offset, Math.min(length, 1));
            }
        };
        try (FastGunzip gunzip = FastGunzip.of(drops)) {
            assertThat(gunzip.readAllBytes()).asString().isEqualTo(expected);
        }
    }

    @Test
    void whatFollowsTheLastMemberIsIgnored() throws IOException {
        byte[] content = {1, 2, 3};
        assertThat(gunzip(concat(gzip(content), new byte[1000]))).isEqualTo(content);
        assertThat(gunzip(concat(gzip(content), new byte[] {0x1f}))).isEqualTo(content);
    }

    @Test
    void truncationIsNoticedWhereverItIs() throws IOException {
        byte[] content = new byte[3000];
        new Random(SEED).nextBytes(content);
        byte[] whole = gzip(content);
        for (int length = 0; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            assertThatThrownBy(() -> gunzip(cut)).as("cut at " + length).isInstanceOf(EOFException.class);
        }
    }

    @Test
    void damageEndsAsInTheJdkOrWithAnError() throws IOException {
        byte[] content = "some text that repeats itself, some text ".repeat(200).getBytes(StandardCharsets.UTF_8);
        byte[] whole = gzip(content);
        Random random = new Random(SEED);
        int refused = 0;
        for (int round = 0; round < 3000; round++) {
            byte[] damaged = whole.clone();
            damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            try {
                assertThat(gunzip(damaged)).isEqualTo(jdk(damaged));
            } catch (ZipException | EOFException expected) {
                refused++;
            }
        }
        assertThat(refused).as("seed " + SEED).isBetween(1000, 3000);
    }

    @Test
    void errorsOfTheSourcePass() throws IOException {
        byte[] whole = gzip(new byte[100_000]);
        InputStream broken = new ByteArrayInputStream(whole, 0, 20) {
            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                int read = super.read(target, offset, length);
                if (read < 0) {
                    throw new UncheckedIOException(new IOException("cable cut"));
                }
                return read;
            }
        };
        try (FastGunzip gunzip = FastGunzip.of(broken)) {
            assertThatThrownBy(gunzip::readAllBytes)
                    .isInstanceOf(UncheckedIOException.class)
                    .hasMessageContaining("cable cut");
        }
    }

    private static byte[] gunzip(byte[] compressed) throws IOException {
        try (FastGunzip gunzip = FastGunzip.of(new ByteArrayInputStream(compressed))) {
            return gunzip.readAllBytes();
        }
    }

    private static byte[] jdk(byte[] compressed) throws IOException {
        try (GZIPInputStream gunzip = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
            return gunzip.readAllBytes();
        }
    }

    private static byte[] gzip(byte[] content) throws IOException {
        ByteArrayOutputStream compressed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(compressed)) {
            gzip.write(content);
        }
        return compressed.toByteArray();
    }

    private static byte[] concat(byte[] one, byte[] other) {
        byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }
}
