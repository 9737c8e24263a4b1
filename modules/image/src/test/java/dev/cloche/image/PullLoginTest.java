package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Who a pull says that it is, and to whom. */
class PullLoginTest extends OnScriptedRegistry {
    private static final String LOGIN = "alice:open sesame";

    @Test
    void aTokenIsFetchedWithTheLoginAndUsedForTheRest() throws IOException {
        ImageReference reference = registry.serve("team/app", "1", small());
        registry.script(exchange -> {
            String path = exchange.getRequestURI().getPath();
            if (path.equals("/token")) {
                assertThat(exchange.getRequestURI().getQuery()).contains("scope=repository:team/app:pull");
                ScriptedRegistry.body(exchange, "{\"token\":\"t0ken\"}".getBytes(StandardCharsets.UTF_8));
                return true;
            }
            if (!"Bearer t0ken".equals(exchange.getRequestHeaders().getFirst("Authorization"))) {
                exchange.getResponseHeaders()
                        .add(
                                "WWW-Authenticate",
                                "Bearer realm=\"http://" + registry.name()
                                        + "/token\",service=\"s\",scope=\"repository:team/app:pull\"");
                ScriptedRegistry.status(exchange, 401);
                return true;
            }
            return false;
        });
        try (StoreFixture withLogin = new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            withLogin.pull(reference);
        }
        assertThat(registry.requests("/token"))
                .hasSize(1)
                .allSatisfy(r -> assertThat(r.authorization()).contains("Basic " + base64(LOGIN)));
        assertThat(registry.requests("/blobs/"))
                .allSatisfy(r -> assertThat(r.authorization()).contains("Bearer t0ken"));
    }

    @Test
    void basicAuthenticationIsUsedWhereItIsAskedFor() throws IOException {
        ImageReference reference = registry.serve("app", "1", small());
        registry.script(exchange -> {
            if (exchange.getRequestHeaders().containsKey("Authorization")) {
                return false;
            }
            exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"registry\"");
            ScriptedRegistry.status(exchange, 401);
            return true;
        });
        failsWith(PullFailed.Reason.UNAUTHORIZED, () -> fixture.pull(reference), "HTTP 401");
        try (StoreFixture withLogin = new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            withLogin.pull(reference);
        }
    }

    @Test
    void aRedirectToAnotherHostIsFollowedWithoutTheCredentials() throws IOException {
        TestImage image = small();
        ImageReference reference = registry.serve("app", "1", image);
        try (ScriptedRegistry elsewhere = new ScriptedRegistry();
                StoreFixture withLogin =
                        new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            image.blobs().forEach((digest, blob) -> elsewhere.put("/store/" + digest, blob));
            registry.script(exchange -> {
                if (!exchange.getRequestHeaders().containsKey("Authorization")) {
                    exchange.getResponseHeaders().add("WWW-Authenticate", "Basic realm=\"registry\"");
                    ScriptedRegistry.status(exchange, 401);
                    return true;
                }
                String path = exchange.getRequestURI().getPath();
                if (path.contains("/blobs/")) {
                    String digest = path.substring(path.lastIndexOf('/') + 1);
                    exchange.getResponseHeaders().add("Location", "http://" + elsewhere.name() + "/store/" + digest);
                    ScriptedRegistry.status(exchange, 307);
                    return true;
                }
                return false;
            });
            withLogin.pull(reference);
            assertThat(elsewhere.requests())
                    .hasSize(2)
                    .allSatisfy(r -> assertThat(r.authorization()).isEmpty());
        }
    }

    @Test
    void aHostThatItRedirectsToCannotAskForThePassword() throws IOException {
        ImageReference reference = registry.serve("app", "1", small());
        try (ScriptedRegistry thief = new ScriptedRegistry();
                StoreFixture withLogin =
                        new StoreFixture(root.resolve("l"), StoreFixture.quick(Optional.of(login())))) {
            thief.script(exchange -> {
                exchange.getResponseHeaders()
                        .add("WWW-Authenticate", "Bearer realm=\"http://" + thief.name() + "/token\"");
                ScriptedRegistry.status(exchange, 401);
                return true;
            });
            registry.script(exchange -> {
                exchange.getResponseHeaders().add("Location", "http://" + thief.name() + "/steal");
                ScriptedRegistry.status(exchange, 302);
                return true;
            });
            failsWith(PullFailed.Reason.UNAUTHORIZED, () -> withLogin.pull(reference), "HTTP 401");
            assertThat(thief.requests())
                    .hasSize(1)
                    .allSatisfy(r -> assertThat(r.authorization()).isEmpty());
        }
    }

    private Path login() throws IOException {
        Path config = root.resolve("config.json");
        Files.writeString(config, "{\"auths\":{\"" + registry.name() + "\":{\"auth\":\"" + base64(LOGIN) + "\"}}}");
        return config;
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
