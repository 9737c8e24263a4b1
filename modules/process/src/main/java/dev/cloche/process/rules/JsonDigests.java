package dev.cloche.process.rules;

import dev.cloche.process.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Hashes canonical JSON with SHA-256. Stateless. */
public final class JsonDigests {
    private JsonDigests() {}

    /** Returns 64 hexadecimal digits. */
    public static String sha256(Json json) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(json.text().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }
}
