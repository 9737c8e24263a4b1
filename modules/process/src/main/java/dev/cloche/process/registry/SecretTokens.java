package dev.cloche.process.registry;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Makes secrets that cannot be guessed. Stateless. */
final class SecretTokens {
    private static final int BYTES = 16;
    private static final SecureRandom RANDOM = new SecureRandom();

    private SecretTokens() {}

    /** 128 random bits as 32 hexadecimal digits. */
    static String next() {
        byte[] bytes = new byte[BYTES];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }
}
