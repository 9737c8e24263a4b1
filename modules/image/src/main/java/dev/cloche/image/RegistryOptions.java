package dev.cloche.image;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;

/**
 * How to speak to registries.
 *
 * @param plainHttp registries ({@code host} or {@code host:port}, as in an image's name) that may be spoken to without
 *     TLS; those on the loopback interface always may
 * @param dockerConfig Docker's {@code config.json}, from which logins are read; empty for anonymous access
 * @param attempts how often a request is tried in all
 * @param firstPause wait before the second try; later ones double it
 * @param stall how long a registry may be silent
 */
public record RegistryOptions(
        Set<String> plainHttp, Optional<Path> dockerConfig, int attempts, Duration firstPause, Duration stall) {
    public RegistryOptions {
        plainHttp = Set.copyOf(plainHttp);
        if (attempts < 1) {
            throw new IllegalArgumentException("a request is tried at least once");
        }
        if (firstPause.isNegative() || !stall.isPositive()) {
            throw new IllegalArgumentException("waits are positive");
        }
    }

    /** TLS but for loopback, and the logins of {@code $DOCKER_CONFIG} or {@code ~/.docker}. */
    public static RegistryOptions defaults() {
        String home = System.getenv("DOCKER_CONFIG");
        Path directory =
                home == null || home.isBlank() ? Path.of(System.getProperty("user.home"), ".docker") : Path.of(home);
        return new RegistryOptions(
                Set.of(),
                Optional.of(directory.resolve("config.json")),
                5,
                Duration.ofMillis(300),
                Duration.ofSeconds(60));
    }
}
