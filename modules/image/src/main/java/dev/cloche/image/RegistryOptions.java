package dev.cloche.image;

import java.time.Duration;
import java.util.Set;

/**
 * How to speak to registries.
 *
 * @param plainHttp registries ({@code host} or {@code host:port}, as in an image's name) that may be spoken to without
 *     TLS; those on the loopback interface always may
 * @param logins where logins come from
 * @param attempts how often a request is tried in all
 * @param firstPause wait before the second try; later ones double it
 * @param stall how long a registry may be silent, and over which time it must send 1 KiB a second
 */
public record RegistryOptions(
        Set<String> plainHttp, LoginSources logins, int attempts, Duration firstPause, Duration stall) {
    public RegistryOptions {
        plainHttp = Set.copyOf(plainHttp);
        if (attempts < 1) {
            throw new IllegalArgumentException("a request is tried at least once");
        }
        if (firstPause.isNegative() || !stall.isPositive()) {
            throw new IllegalArgumentException("waits are positive");
        }
    }

    /** TLS but for loopback, and Docker's logins. */
    public static RegistryOptions defaults() {
        return new RegistryOptions(
                Set.of(), LoginSources.ofDocker(), 5, Duration.ofMillis(300), Duration.ofSeconds(60));
    }

    /** The same with these logins. */
    public RegistryOptions withLogins(LoginSources sources) {
        return new RegistryOptions(plainHttp, sources, attempts, firstPause, stall);
    }
}
