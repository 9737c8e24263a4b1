package dev.cloche.cli.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/**
 * The environment that this process was started with, to the byte: {@link System#getenv} decodes it by the locale, and what
 * does not fit is lost.
 */
final class OwnEnvironment {
    private final byte[] block;

    /** @param block as in {@code /proc/PID/environ}, see proc_pid_environ(5): entries {@code NAME=value}, each with a NUL at its end */
    OwnEnvironment(byte[] block) {
        this.block = block.clone();
    }

    static OwnEnvironment ofThisProcess() {
        try {
            return new OwnEnvironment(Files.readAllBytes(Path.of("/proc/self/environ")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the value of a variable, of several with its name the first, as getenv(3) does. */
    Optional<byte[]> value(String name) {
        byte[] wanted = (name + "=").getBytes(StandardCharsets.UTF_8);
        int begin = 0;
        while (begin < block.length) {
            int end = begin;
            while (end < block.length && block[end] != 0) {
                end++;
            }
            int value = begin + wanted.length;
            if (value <= end && Arrays.equals(block, begin, value, wanted, 0, wanted.length)) {
                return Optional.of(Arrays.copyOfRange(block, value, end));
            }
            begin = end + 1;
        }
        return Optional.empty();
    }
}
