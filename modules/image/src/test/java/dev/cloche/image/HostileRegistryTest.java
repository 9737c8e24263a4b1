package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.cloche.image.manifest.ManifestDocument;
import dev.cloche.image.registry.InvalidResponse;
import dev.cloche.image.registry.RegistryHost;
import dev.cloche.image.registry.RegistryHttp;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of a registry that are wrong by intent: too long, of another kind, or leading to addresses that must not be asked. */
class HostileRegistryTest extends OnRawRegistry {
    @Test
    void anEndlessManifestIsCutOff() {
        registry.fault("/manifests/1", (out, _, _) -> {
            out.write(RawRegistry.head("HTTP/1.1 200 OK", "Connection: close"));
            endless(out);
        });
        fails(PullFailed.Reason.BAD_CONTENT, "longer than 4194304 bytes");
        assertThat(registry.requests("/manifests/")).hasSize(1);
    }

    @Test
    void anEndlessHeadIsCutOff() {
        registry.fault("/manifests/1", (out, _, _) -> {
            out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
            while (true) {
                out.write(("X-Filler: " + "x".repeat(1000) + "\r\n").getBytes(StandardCharsets.US_ASCII));
            }
        });
        fails(PullFailed.Reason.UNREACHABLE, "fetch the manifest app:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "no http at all\u001b[2J\r\n\r\n",
                "HTTP/1.1 odd\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n"
            })
    void whatIsNoHttpIsReportedWithoutItsControlCharacters(String answer) {
        registry.fault("/manifests/1", (out, _, _) -> out.write(answer.getBytes(StandardCharsets.ISO_8859_1)));
        fails(PullFailed.Reason.UNREACHABLE, "fetch the manifest app:1");
    }

    @Test
    void aMediaTypeThatContradictsTheDocumentIsRefused() {
        registry.fault("/manifests/1", (out, content, _) -> {
            byte[] unnamed = new String(content, StandardCharsets.UTF_8)
                    .replaceFirst("\"mediaType\":\"[^\"]*\",", "")
                    .getBytes(StandardCharsets.UTF_8);
            out.write(RawRegistry.head(
                    "HTTP/1.1 200 OK",
                    "Content-Type: " + ManifestDocument.OCI_INDEX,
                    "Content-Length: " + unnamed.length));
            out.write(unnamed);
        });
        fails(PullFailed.Reason.BAD_CONTENT, "media type does not fit");
    }

    @Test
    void aLayersMediaTypeMayBeWrongAboutItsCompression() {
        byte[] tar = TestImage.tar(Map.of("a", "1"));
        TestImage zstd = new TestImage()
                .dishonestLayer(tar, TestImage.compress(TestImage.Compression.ZSTD, tar))
                .dishonestLayer(TestImage.tar(Map.of("b", "2")), TestImage.tar(Map.of("b", "2")));
        assertThat(store.pull(registry.serve(zstd)).manifest()).isEqualTo(zstd.manifestDigest());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{\"token\":\"hunter2 \\r\\nX: y\"}", "{\"token\":hunter2}", "{}", "[]"})
    void aBadTokenIsRefusedAtOnceAndNotQuoted(String answer) {
        askForToken("http://" + registry.name() + "/token");
        registry.fault(
                "/token?scope=repository%3Aapp%3Apull",
                (out, _, _) -> {
                    byte[] body = answer.getBytes(StandardCharsets.UTF_8);
                    out.write(RawRegistry.head("HTTP/1.1 200 OK", "Content-Length: " + body.length));
                    out.write(body);
                });
        ImageException failure = fails(PullFailed.Reason.SERVER_ERROR, "token server 127.0.0.1");
        assertThat(failure).message().doesNotContain("hunter2");
        assertThat(failure).hasNoCause();
        assertThat(registry.requests("/token")).hasSize(1);
    }

    @Test
    void anEndlessTokenIsCutOff() {
        askForToken("http://" + registry.name() + "/token");
        registry.fault(
                "/token?scope=repository%3Aapp%3Apull",
                (out, _, _) -> {
                    out.write(RawRegistry.head("HTTP/1.1 200 OK", "Connection: close"));
                    endless(out);
                });
        fails(PullFailed.Reason.SERVER_ERROR, "more than 65536 bytes");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://registry.example/token",
                "file:///etc/passwd",
                "https://u:p@registry.example/",
                "",
                "https://",
                "http://[",
                "ftp://127.0.0.1/"
            })
    void aTokenServerIsOnlyAskedWhereItMayBe(String realm) {
        askForToken(realm);
        fails(PullFailed.Reason.SERVER_ERROR, "token server cannot be asked");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://registry.example/x",
                "file:///etc/passwd",
                "https://u:p@registry.example/",
                "http://[",
                "ftp://127.0.0.1/"
            })
    void aRedirectLeadsOnlyWhereItMay(String location) {
        registry.fault(
                blob,
                (out, _, _) -> out.write(RawRegistry.head(
                        "HTTP/1.1 307 Temporary Redirect", "Location: " + location, "Content-Length: 0")));
        fails(PullFailed.Reason.SERVER_ERROR, "it points to");
        assertThat(registry.requests(blob)).hasSize(1);
    }

    @Test
    void tlsIsNotGivenUpByARedirectNotEvenToLoopback() {
        RegistryOptions options =
                patient(1, Duration.ofSeconds(20)).registries().get();
        RegistryHost host = RegistryHost.of("registry.example", Set.of());
        try (RegistryHttp http = new RegistryHttp(host, options, StoreFixture.soon(), PullListener.none())) {
            InvalidResponse refused = catchThrowableOfType(
                    InvalidResponse.class,
                    () -> http.permitted(URI.create("https://registry.example/x"), "http://127.0.0.1/x"));
            assertThat(refused).hasMessageContaining("without TLS");
        }
    }

    @Test
    void aCircleOfRedirectsEnds() {
        registry.fault(
                blob,
                (out, _, _) -> out.write(RawRegistry.head(
                        "HTTP/1.1 302 Found", "Location: /v2/app/blobs/" + blob, "Content-Length: 0")));
        fails(PullFailed.Reason.SERVER_ERROR, "redirects more than 5 times");
    }

    private void askForToken(String realm) {
        registry.fault(
                "/manifests/1",
                (out, _, _) -> out.write(RawRegistry.head(
                        "HTTP/1.1 401 Unauthorized",
                        "WWW-Authenticate: Bearer realm=\"" + realm + "\"",
                        "Content-Length: 0")));
    }
}
