package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpExchange;
import dev.cloche.image.registry.Credential;
import dev.cloche.image.registry.LoginFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegistryLoginsTest {
    private static final RegistryLogin ALICE = new RegistryLogin("alice", "open sesame");

    @TempDir
    Path root;

    @Test
    void aRealRegistryTakesTheRightPasswordAndNoOther() throws Exception {
        assumeTrue(
                LocalRegistry.missing().isEmpty(), () -> LocalRegistry.missing().orElseThrow());
        TestImage image = new TestImage().layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"));
        try (LocalRegistry registry = LocalRegistry.startForAlice(root.resolve("registry"));
                StoreFixture store = new StoreFixture(root.resolve("store"), options())) {
            ImageReference reference =
                    registry.pushAsAlice(image.writeLayout(root.resolve("layout"), "app"), "app", "team/app:1");
            unauthorized(store, reference);

            assertThatThrownBy(() ->
                            logins().login(registry.name(), new RegistryLogin("alice", "wrong"), StoreFixture.soon()))
                    .isInstanceOf(LoginFailed.class)
                    .hasMessageContaining("Logging in to " + registry.name() + " failed")
                    .hasMessageContaining("HTTP 401");
            assertThat(kept()).doesNotExist();

            assertThat(logins().login(registry.name(), ALICE, StoreFixture.soon()))
                    .isTrue();
            assertThat(Files.getPosixFilePermissions(kept())).isEqualTo(PosixFilePermissions.fromString("rw-------"));
            assertThat(store.pull(reference).manifest()).isEqualTo(image.manifestDigest());

            assertThat(logins().logout(registry.name(), StoreFixture.soon())).isTrue();
            assertThat(logins().logout(registry.name(), StoreFixture.soon())).isFalse();
            unauthorized(store, registry.pushAsAlice(root.resolve("layout"), "app", "team/app:2"));
        }
    }

    @Test
    void aTokenServerVerifiesThePasswordWithoutAScope() throws IOException {
        try (ScriptedRegistry registry = new ScriptedRegistry()) {
            registry.script(new TokenFlow(registry, "Basic YWxpY2U6b3BlbiBzZXNhbWU="));
            assertThat(logins().login(registry.name(), ALICE, StoreFixture.soon()))
                    .isTrue();
            assertThatThrownBy(
                            () -> logins().login(registry.name(), new RegistryLogin("bob", "b"), StoreFixture.soon()))
                    .isInstanceOf(LoginFailed.class)
                    .hasMessageContaining("get a token");
            assertThat(LoginFile.read(kept()).encodedLogins()).containsOnlyKeys(registry.name());
            assertThat(registry.requests("/token"))
                    .allSatisfy(r -> assertThat(r.query()).contains("service=s"));
        }
    }

    @Test
    void anIdentityTokenBuysAccessTokensByPostAndIsInNoAddress() throws IOException {
        TestImage image = new TestImage().layer(TestImage.Compression.GZIP, Map.of("bin/sh", "shell"));
        try (ScriptedRegistry registry = new ScriptedRegistry()) {
            ImageReference reference = registry.serve("team/app", "1", image);
            TokenFlow flow = new TokenFlow(registry, "");
            registry.script(flow);
            Path config = root.resolve("config.json");
            Files.writeString(config, "{\"auths\":{\"" + registry.name() + "\":{\"identitytoken\":\"s3cret+/=\"}}}");
            try (StoreFixture store =
                    new StoreFixture(root.resolve("store"), StoreFixture.quick(Optional.of(config)))) {
                store.pull(reference);
            }
            assertThat(flow.forms)
                    .hasSize(1)
                    .first()
                    .asString()
                    .contains("grant_type=refresh_token")
                    .contains("refresh_token=s3cret%2B%2F%3D")
                    .contains("scope=repository%3Ateam%2Fapp%3Apull");
            assertThat(registry.requests()).allSatisfy(r -> {
                assertThat(r.path() + r.query().orElse("")).doesNotContain("s3cret");
                assertThat(r.authorization().orElse("")).doesNotContain("s3cret");
            });
        }
    }

    @Test
    void aTokenThatExpiresDuringThePullIsRenewedOnceForAllLayers() throws IOException {
        TestImage image = new TestImage()
                .layer(TestImage.Compression.GZIP, Map.of("a", "1"))
                .layer(TestImage.Compression.GZIP, Map.of("b", "2"))
                .layer(TestImage.Compression.GZIP, Map.of("c", "3"));
        try (ScriptedRegistry registry = new ScriptedRegistry();
                StoreFixture store = new StoreFixture(root.resolve("store"), options())) {
            ImageReference reference = registry.serve("team/app", "1", image);
            TokenFlow flow = new TokenFlow(registry, "");
            flow.expireAt(image.blobDigest(0));
            registry.script(flow);
            store.pull(reference);
            assertThat(registry.requests("/token")).hasSize(2);
        }
    }

    @Test
    void whatIsNoRegistryIsRefusedBeforeAnythingIsAsked() {
        for (String name : new String[] {"", "debian", "https://ghcr.io", "ghcr.io/x", "a b", "x@y.z", "-.io"}) {
            assertThatThrownBy(() -> logins().login(name, ALICE, StoreFixture.soon()))
                    .as(name)
                    .isInstanceOf(LoginFailed.class)
                    .hasMessageContaining("no registry's name");
        }
    }

    @Test
    void dockerHubHasOneNameHoweverItIsWritten() throws IOException {
        Files.write(kept(), LoginFile.document(Map.of("docker.io", "YTpi")));
        assertThat(logins().logout("index.docker.io", StoreFixture.soon())).isTrue();
    }

    @Test
    void aRegistryThatAsksForNoLoginKeepsItUnverified() throws IOException {
        try (ScriptedRegistry registry = new ScriptedRegistry()) {
            registry.put("/v2/", "{}".getBytes(StandardCharsets.UTF_8));
            assertThat(logins().login(registry.name(), ALICE, StoreFixture.soon()))
                    .isFalse();
            assertThat(LoginFile.read(kept()).login(registry.name()))
                    .contains(Credential.password(ALICE.user(), ALICE.password()));
        }
    }

    private static void unauthorized(StoreFixture store, ImageReference reference) {
        assertThatThrownBy(() -> store.pull(reference))
                .isInstanceOfSatisfying(
                        PullFailed.class, e -> assertThat(e.reason()).isEqualTo(PullFailed.Reason.UNAUTHORIZED));
    }

    private Path kept() {
        return root.resolve("logins.json");
    }

    private ImageStoreOptions options() {
        ImageStoreOptions quick = StoreFixture.quick(Optional.empty());
        return quick.withRegistries(() -> quick.registries().get().withLogins(LoginSources.NONE.withKept(kept())));
    }

    private RegistryLogins logins() {
        return new RegistryLogins(kept(), options().registries());
    }

    /** A registry whose every path but the token server's needs a token that it gave, for a login that it wants. */
    private static final class TokenFlow implements ScriptedRegistry.Script {
        private final ScriptedRegistry registry;
        private final String wanted;
        private final AtomicInteger given = new AtomicInteger();
        private final Set<String> valid = java.util.concurrent.ConcurrentHashMap.newKeySet();
        final CopyOnWriteArrayList<String> forms = new CopyOnWriteArrayList<>();
        private String expiring = "none";

        TokenFlow(ScriptedRegistry registry, String wantedLogin) {
            this.registry = registry;
            this.wanted = wantedLogin;
        }

        synchronized void expireAt(Digest blob) {
            expiring = blob.toString();
        }

        @Override
        public synchronized boolean answer(HttpExchange exchange) throws IOException {
            String path = exchange.getRequestURI().getPath();
            String header = Optional.ofNullable(exchange.getRequestHeaders().getFirst("Authorization"))
                    .orElse("");
            if (path.equals("/token")) {
                if (exchange.getRequestMethod().equals("POST")) {
                    forms.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
                } else if (!header.equals(wanted)) {
                    ScriptedRegistry.status(exchange, 401);
                    return true;
                }
                String token = "token-" + given.incrementAndGet();
                valid.add("Bearer " + token);
                ScriptedRegistry.body(exchange, ("{\"token\":\"" + token + "\"}").getBytes(StandardCharsets.UTF_8));
                return true;
            }
            if (path.endsWith(expiring)) {
                expiring = "none";
                valid.clear();
            }
            if (!valid.contains(header)) {
                exchange.getResponseHeaders()
                        .add("WWW-Authenticate", "Bearer realm=\"http://" + registry.name() + "/token\",service=\"s\"");
                ScriptedRegistry.status(exchange, 401);
                return true;
            }
            if (path.equals("/v2/")) {
                ScriptedRegistry.body(exchange, "{}".getBytes(StandardCharsets.UTF_8));
                return true;
            }
            return false;
        }
    }
}
