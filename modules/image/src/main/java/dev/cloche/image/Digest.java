package dev.cloche.image;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * The SHA-256 of some content, which is also its name. The OCI image specification allows other algorithms; no registry
 * uses them, and they are refused here.
 *
 * @param hex 64 lower-case hexadecimal digits
 */
public record Digest(String hex) implements Comparable<Digest> {
    static final String PREFIX = "sha256:";
    private static final Pattern HEX = Pattern.compile("[0-9a-f]{64}");

    public Digest {
        if (!HEX.matcher(hex).matches()) {
            throw new IllegalArgumentException("not the 64 hexadecimal digits of a SHA-256");
        }
    }

    /**
     * Reads {@code sha256:<hex>}.
     *
     * @throws IllegalArgumentException if it is anything else
     */
    public static Digest parse(String text) {
        if (!text.startsWith(PREFIX)) {
            throw new IllegalArgumentException("not a sha256 digest");
        }
        return new Digest(text.substring(PREFIX.length()));
    }

    public static Digest of(byte[] content) {
        return new Digest(HexFormat.of().formatHex(sha256().digest(content)));
    }

    /** Returns the digest of what was given to {@code sha256}, which is reset. */
    public static Digest finish(MessageDigest sha256) {
        return new Digest(HexFormat.of().formatHex(sha256.digest()));
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every JDK has SHA-256", e);
        }
    }

    @Override
    public int compareTo(Digest other) {
        return hex.compareTo(other.hex);
    }

    @Override
    public String toString() {
        return PREFIX + hex;
    }
}
