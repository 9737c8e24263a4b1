package dev.cloche.image;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

/** A login, ready for the Authorization header. Its text does not show it. */
final class Credential {
    /** Under these names Docker keeps the login for Docker Hub. */
    private static final List<String> DOCKER_HUB_KEYS =
            List.of("https://index.docker.io/v1/", "index.docker.io", "docker.io", "registry-1.docker.io");

    private static final int LONGEST_CONFIG = 1 << 20;

    private final String basic;

    private Credential(String basic) {
        this.basic = basic;
    }

    /** Value of an Authorization header. */
    String basicHeader() {
        return "Basic " + basic;
    }

    /**
     * Looks a registry up among the {@code auths} of Docker's config.json. A missing file means no login.
     *
     * @throws IOException if the file is there and cannot be read
     */
    static Optional<Credential> find(Path dockerConfig, String registry) throws IOException {
        byte[] document;
        try {
            if (Files.size(dockerConfig) > LONGEST_CONFIG) {
                throw new IOException(dockerConfig + " is too long for Docker's configuration");
            }
            document = Files.readAllBytes(dockerConfig);
        } catch (NoSuchFileException absent) {
            return Optional.empty();
        }
        Json.Fields auths;
        try {
            auths = Json.parse(document).object("auths").orElse(null);
        } catch (Json.Malformed e) {
            throw new IOException(dockerConfig + " cannot be read: " + e.getMessage(), e);
        }
        if (auths == null) {
            return Optional.empty();
        }
        List<String> keys = registry.equals(ImageReference.DOCKER_HUB)
                ? DOCKER_HUB_KEYS
                : List.of(registry, "https://" + registry, "http://" + registry, "https://" + registry + "/v1/");
        return keys.stream()
                .flatMap(key -> auths.object(key).flatMap(Credential::of).stream())
                .findFirst();
    }

    private static Optional<Credential> of(Json.Fields entry) {
        Optional<String> encoded = entry.text("auth").filter(auth -> !auth.isEmpty());
        if (encoded.isPresent()) {
            return encoded.filter(Credential::isBase64).map(Credential::new);
        }
        return entry.text("username")
                .flatMap(user -> entry.text("password")
                        .map(password -> new Credential(Base64.getEncoder()
                                .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)))));
    }

    /** So that nothing from the file can end the header and begin another. */
    private static boolean isBase64(String text) {
        try {
            return Base64.getDecoder().decode(text).length > 0;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public String toString() {
        return "a login";
    }
}
