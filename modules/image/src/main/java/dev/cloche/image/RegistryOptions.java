package dev.cloche.image;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Says how to speak to registries.
 *
 * @param plainHttp registries ({@code host} or {@code host:port}, as in an image's name) that may be spoken to without
 *     TLS; those on the loopback interface always may
 * @param mirrors by registry, who is asked before it, in this order
 * @param authorities files with certificates, in PEM, of certificate authorities to trust for registries besides the JDK's
 * @param logins where logins come from
 * @param attempts how often a request is tried in all
 * @param firstPause wait before the second try; later ones double it
 * @param stall how long a registry may be silent, and over which time it must send 1 KiB a second
 */
public record RegistryOptions(
        Set<String> plainHttp,
        Map<String, List<RegistryMirror>> mirrors,
        List<Path> authorities,
        LoginSources logins,
        int attempts,
        Duration firstPause,
        Duration stall) {
    public RegistryOptions {
        plainHttp = Set.copyOf(plainHttp);
        mirrors = mirrors.entrySet().stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, entry -> List.copyOf(entry.getValue())));
        authorities = List.copyOf(authorities);
        if (attempts < 1) {
            throw new IllegalArgumentException("a request is tried at least once");
        }
        if (firstPause.isNegative() || !stall.isPositive()) {
            throw new IllegalArgumentException("waits are positive");
        }
    }

    /** Returns TLS but for loopback, and Docker's logins. */
    public static RegistryOptions defaults() {
        return new RegistryOptions(
                Set.of(),
                Map.of(),
                List.of(),
                LoginSources.ofDocker(),
                5,
                Duration.ofMillis(300),
                Duration.ofSeconds(60));
    }

    /** Returns the same with these logins. */
    public RegistryOptions withLogins(LoginSources sources) {
        return new RegistryOptions(plainHttp, mirrors, authorities, sources, attempts, firstPause, stall);
    }

    /** Returns the same with these mirrors, by registry. */
    public RegistryOptions withMirrors(Map<String, List<RegistryMirror>> added) {
        return new RegistryOptions(plainHttp, added, authorities, logins, attempts, firstPause, stall);
    }

    /** Returns the same with these registries and mirrors that may be spoken to without TLS. */
    public RegistryOptions withPlainHttp(Set<String> hosts) {
        return new RegistryOptions(hosts, mirrors, authorities, logins, attempts, firstPause, stall);
    }

    /** Returns the same with these files of certificates. */
    public RegistryOptions withAuthorities(List<Path> files) {
        return new RegistryOptions(plainHttp, mirrors, files, logins, attempts, firstPause, stall);
    }
}
