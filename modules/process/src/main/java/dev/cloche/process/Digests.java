package dev.cloche.process;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256 of canonical JSON. Stateless. */
final class Digests {
    private Digests() {}

    /** 64 hexadecimal digits. */
    static String sha256(Json json) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(json.text().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
