package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** It must answer as the JDK does. */
class FastSha256Test {
    private static final long SEED = 20_260_104;

    @BeforeEach
    void needTheLibrary() {
        assumeTrue(FastSha256.installed(), "skipped: libssl3 is not installed");
    }

    @Test
    void everyLengthAroundBlocksAndStepsHasTheDigestOfTheJdk() throws NoSuchAlgorithmException {
        byte[] content = content(300_000);
        MessageDigest fast = FastSha256.fastest();
        assertThat(fast).isInstanceOf(FastSha256.class);
        for (int length = 0; length < 300; length++) {
            fast.update(content, 7, length);
            assertThat(fast.digest()).isEqualTo(jdk(content, 7, length));
        }
        for (int length : new int[] {65_535, 65_536, 65_537, 131_072, 131_073, 299_993}) {
            fast.update(content, 7, length);
            assertThat(fast.digest()).isEqualTo(jdk(content, 7, length));
        }
    }

    @Test
    void howTheContentIsCutMakesNoDifference() throws NoSuchAlgorithmException {
        byte[] content = content(1_000_000);
        Random random = new Random(SEED);
        MessageDigest fast = FastSha256.fastest();
        for (int from = 0; from < content.length; ) {
            int length = Math.min(random.nextInt(150_000), content.length - from);
            switch (random.nextInt(3)) {
                case 0 -> fast.update(content, from, length);
                case 1 ->
                    fast.update(ByteBuffer.allocateDirect(length)
                            .put(content, from, length)
                            .flip());
                default -> {
                    for (int i = 0; i < length; i++) {
                        fast.update(content[from + i]);
                    }
                }
            }
            from += length;
        }
        assertThat(fast.digest()).as("seed " + SEED).isEqualTo(jdk(content, 0, content.length));
    }

    @Test
    void aResetForgetsWhatWasGiven() throws NoSuchAlgorithmException {
        MessageDigest fast = FastSha256.fastest();
        fast.update(content(100));
        fast.reset();
        assertThat(fast.digest()).isEqualTo(jdk(new byte[0], 0, 0));
        assertThat(fast.getDigestLength()).isEqualTo(32);
    }

    @Test
    void severalAtOnceDoNotMix() throws NoSuchAlgorithmException {
        byte[] content = content(200);
        MessageDigest one = FastSha256.fastest();
        MessageDigest other = FastSha256.fastest();
        for (int i = 0; i < 100; i++) {
            one.update(content, i, 1);
            other.update(content, 100 + i, 1);
        }
        assertThat(one.digest()).isEqualTo(jdk(content, 0, 100));
        assertThat(other.digest()).isEqualTo(jdk(content, 100, 100));
    }

    private static byte[] content(int length) {
        byte[] content = new byte[length];
        new Random(SEED).nextBytes(content);
        return content;
    }

    private static byte[] jdk(byte[] content, int offset, int length) throws NoSuchAlgorithmException {
        MessageDigest jdk = MessageDigest.getInstance("SHA-256");
        jdk.update(content, offset, length);
        return jdk.digest();
    }
}
