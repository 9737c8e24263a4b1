package dev.cloche.runtime;

import dev.cloche.linux.FastSha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;

/** Computes digests. */
final class Sha256 {
    private static final int BUFFER = 64 * 1024;

    private Sha256() {}

    static byte[] of(byte[] bytes) {
        return FastSha256.fastest().digest(bytes);
    }

    /** Returns that of a file, in hexadecimal. */
    static String of(Path file) throws IOException {
        MessageDigest digest = FastSha256.fastest();
        byte[] buffer = new byte[BUFFER];
        try (InputStream in = Files.newInputStream(file)) {
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                digest.update(buffer, 0, read);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }
}
