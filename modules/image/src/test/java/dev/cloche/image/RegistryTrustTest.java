package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A registry whose certificate only the authority in a file vouches for. */
class RegistryTrustTest {
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    Path root;

    private HttpsServer server;
    private ImageReference reference;
    private final TestImage image = new TestImage().layer(TestImage.Compression.GZIP, Map.of("etc/motd", "hello"));

    @BeforeEach
    void start() throws Exception {
        String address = addressOfThisHost();
        Shell.run(
                root,
                "\"$1\" -genkeypair -alias r -keyalg EC -dname CN=registry -ext \"san=ip:$2\" -validity 2"
                        + " -storetype PKCS12 -keystore keys.p12 -storepass changeit;"
                        + " \"$1\" -exportcert -rfc -alias r -keystore keys.p12 -storepass changeit -file authority.pem",
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                address);
        server = HttpsServer.create(new InetSocketAddress(address, 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(identity()));
        serve("/v2/app/manifests/1", image.manifestDocument());
        image.blobs().forEach((digest, blob) -> serve("/v2/app/blobs/" + digest, blob));
        server.start();
        reference = ImageReference.parse(address + ":" + server.getAddress().getPort() + "/app:1");
    }

    /** The loopback interface is spoken to without TLS. */
    private static String addressOfThisHost() throws IOException {
        Optional<String> address = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(found -> found instanceof Inet4Address && !found.isLoopbackAddress())
                .map(InetAddress::getHostAddress)
                .findFirst();
        assumeTrue(address.isPresent(), "skipped: this host has no address but loopback");
        return address.orElseThrow();
    }

    private SSLContext identity() throws Exception {
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(root.resolve("keys.p12"))) {
            keys.load(in, PASSWORD);
        }
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, PASSWORD);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        return context;
    }

    private void serve(String path, byte[] bytes) {
        server.createContext(path, exchange -> {
            exchange.sendResponseHeaders(200, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.stop(0);
        }
    }

    @Test
    void aRegistryIsTrustedIfAFileVouchesForIt() {
        try (StoreFixture store = trusting(List.of(root.resolve("authority.pem")))) {
            assertThat(store.pull(reference).manifest()).isEqualTo(image.manifestDigest());
        }
    }

    @Test
    void withoutItTheRegistryIsRefused() {
        try (StoreFixture store = trusting(List.of())) {
            PullFailed failure = catchThrowableOfType(PullFailed.class, () -> store.pull(reference));
            assertThat(failure.reason()).isEqualTo(PullFailed.Reason.UNREACHABLE);
            assertThat(failure).hasMessageContaining("certification path");
        }
    }

    @Test
    void whereAPlainRegistrySendsItsReadersByTlsItIsAskedForItsCertificate() throws IOException {
        String authority = reference.registry();
        HttpServer plain = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        plain.createContext("/", exchange -> {
            exchange.getResponseHeaders().add("Location", "https://" + authority + exchange.getRequestURI());
            exchange.sendResponseHeaders(307, -1);
            exchange.close();
        });
        plain.start();
        ImageReference local =
                ImageReference.parse("127.0.0.1:" + plain.getAddress().getPort() + "/app:1");
        try (StoreFixture store = trusting(List.of(root.resolve("authority.pem")));
                StoreFixture other = new StoreFixture(root.resolve("other"), StoreFixture.quick(Optional.empty()))) {
            assertThat(store.pull(local).manifest()).isEqualTo(image.manifestDigest());
            PullFailed failure = catchThrowableOfType(PullFailed.class, () -> other.pull(local));
            assertThat(failure).hasMessageContaining("certification path");
        } finally {
            plain.stop(0);
        }
    }

    @Test
    void aFileWithoutACertificateIsNamed() throws IOException {
        Path empty = Files.createFile(root.resolve("empty.pem"));
        for (Path wrong : List.of(empty, root.resolve("keys.p12"), root.resolve("absent.pem"))) {
            try (StoreFixture store = trusting(List.of(wrong))) {
                PullFailed failure = catchThrowableOfType(PullFailed.class, () -> store.pull(reference));
                assertThat(failure.reason()).isEqualTo(PullFailed.Reason.BAD_SETTINGS);
                assertThat(failure).hasMessageContaining(wrong.toString());
            }
        }
    }

    private StoreFixture trusting(List<Path> files) {
        ImageStoreOptions quick = StoreFixture.quick(Optional.empty());
        return new StoreFixture(
                root.resolve("store"),
                quick.withRegistries(() -> quick.registries().get().withAuthorities(files)));
    }
}
