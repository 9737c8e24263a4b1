package dev.cloche.image;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Says where logins for registries come from; the first that knows the registry decides.
 *
 * @param given by registry, as in images' names ({@code docker.io} for Docker Hub)
 * @param kept the file in which {@link RegistryLogins} keeps its own
 * @param dockerConfig Docker's {@code config.json}: the registry's helper of {@code credHelpers}, else the one of
 *     {@code credsStore}, then {@code auths}
 */
public record LoginSources(Map<String, RegistryLogin> given, Optional<Path> kept, Optional<Path> dockerConfig) {
    /** Anonymous access. */
    public static final LoginSources NONE = new LoginSources(Map.of(), Optional.empty(), Optional.empty());

    public LoginSources {
        given = Map.copyOf(given);
    }

    /** Returns the logins of {@code $DOCKER_CONFIG}, or of {@code ~/.docker}. */
    public static LoginSources ofDocker() {
        String home = System.getenv("DOCKER_CONFIG");
        Path directory =
                home == null || home.isBlank() ? Path.of(System.getProperty("user.home"), ".docker") : Path.of(home);
        return NONE.withDockerConfig(directory.resolve("config.json"));
    }

    /** Returns the same with this file of our own. */
    public LoginSources withKept(Path file) {
        return new LoginSources(given, Optional.of(file), dockerConfig);
    }

    /** Returns the same with this file of Docker's. */
    public LoginSources withDockerConfig(Path file) {
        return new LoginSources(given, kept, Optional.of(file));
    }

    /** Returns the same with these logins first. */
    public LoginSources withGiven(Map<String, RegistryLogin> logins) {
        return new LoginSources(logins, kept, dockerConfig);
    }
}
