package dev.cloche.image.registry;

import dev.cloche.base.JsonValue;
import dev.cloche.image.ImageReference;
import dev.cloche.image.manifest.JsonText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A file of logins in the form of Docker's {@code config.json}; a missing one has none. */
public final class LoginFile {
    /** Under these names Docker keeps the login for Docker Hub. */
    private static final List<String> DOCKER_HUB_KEYS =
            List.of("https://index.docker.io/v1/", "index.docker.io", "docker.io", "registry-1.docker.io");

    private static final int LONGEST = 1 << 20;

    private final JsonValue.Fields content;

    private LoginFile(JsonValue.Fields content) {
        this.content = content;
    }

    /**
     * Reads the logins of a file; none, if it is not there.
     *
     * @throws LoginsUnreadable if the file is there and cannot be read; no word of it is in the message
     */
    public static LoginFile read(Path file) throws LoginsUnreadable {
        try {
            if (Files.size(file) > LONGEST) {
                throw new LoginsUnreadable("the file " + file + " is too long to be one of logins");
            }
            return new LoginFile(JsonValue.parse(Files.readAllBytes(file)));
        } catch (NoSuchFileException absent) {
            return new LoginFile(JsonValue.Fields.NONE);
        } catch (LoginsUnreadable e) {
            throw e;
        } catch (IOException e) {
            throw new LoginsUnreadable("the file of logins " + file + " cannot be read");
        } catch (JsonValue.Malformed e) {
            // The parser's words quote the document.
            throw new LoginsUnreadable("the file of logins " + file + " is no JSON object");
        }
    }

    /** Returns the login that stands in the file itself. */
    public Optional<Credential> login(String registry) {
        return content.object("auths").stream()
                .flatMap(auths -> keys(registry).flatMap(key -> auths.object(key).stream()))
                .flatMap(entry -> Credential.of(entry).stream())
                .findFirst();
    }

    /** Name of the helper that keeps the registry's login: one of its own, else the one for all. */
    Optional<String> helper(String registry) {
        return content.object("credHelpers").stream()
                .flatMap(helpers -> keys(registry).flatMap(key -> helpers.text(key).stream()))
                .findFirst()
                .or(() -> content.text("credsStore"))
                .filter(name -> !name.isEmpty());
    }

    /** Returns the passwords in the file, {@code user:password} in base 64, by the names under which they stand. */
    public Map<String, String> encodedLogins() {
        Map<String, String> logins = new TreeMap<>();
        content.object("auths")
                .ifPresent(auths -> auths.fields()
                        .keySet()
                        .forEach(name -> auths.object(name)
                                .flatMap(entry -> entry.text("auth"))
                                .ifPresent(encoded -> logins.put(name, encoded))));
        return logins;
    }

    /** Returns a file with these logins, in the form of {@link #encodedLogins}. */
    public static byte[] document(Map<String, String> encodedLogins) {
        return encodedLogins.entrySet().stream()
                .map(login -> JsonText.write(login.getKey()) + ":" + JsonText.write(Map.of("auth", login.getValue())))
                .collect(Collectors.joining(",", "{\"auths\":{", "}}\n"))
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Returns what helpers are asked for. */
    static String helperKey(String registry) {
        return registry.equals(ImageReference.DOCKER_HUB) ? DOCKER_HUB_KEYS.getFirst() : registry;
    }

    private static Stream<String> keys(String registry) {
        return registry.equals(ImageReference.DOCKER_HUB)
                ? DOCKER_HUB_KEYS.stream()
                : Stream.of(
                        registry,
                        "https://" + registry,
                        "http://" + registry,
                        "https://" + registry + "/v1/",
                        "https://" + registry + "/v2/");
    }
}
