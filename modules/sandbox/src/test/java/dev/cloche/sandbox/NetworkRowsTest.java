package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.catalog.Catalog;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.PublishedPort;
import dev.cloche.vm.VmId;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkRowsTest {
    @TempDir
    Path root;

    @Test
    void aNetworkComesBackAsItWasAskedForAndGoesWithItsSandbox() {
        List<PublishedPort> ports = Stream.of("8080:80", "0:81", "0.0.0.0:5353:53/udp")
                .flatMap(port -> PublishedPort.parse(port).stream())
                .toList();
        try (Catalog catalog = Catalog.open(root, List.of(SandboxStore.SCHEMA))) {
            SandboxStore store = new SandboxStore(catalog, Clock.systemUTC(), () -> {});
            for (NetworkSpec network : List.of(
                    NetworkSpec.none(),
                    NetworkSpec.none().withPorts(PublishedPort.parse("8000-8010:80-90")),
                    NetworkSpec.user(),
                    new NetworkSpec.User(ports, Optional.of("9.9.9.9")))) {
                long id = insert(store, network);
                assertThat(store.network(id)).isEqualTo(network);
                assertThat(store.end(id, Termination.closed())).isTrue();
                assertThat(store.deleteEnded(id)).isTrue();
                assertThat(store.network(id)).isEqualTo(NetworkSpec.none());
            }
            List<Long> left = catalog.read(transaction -> transaction.list(
                    row -> row.getLong(1),
                    "SELECT count(*) FROM sandbox_port UNION ALL SELECT count(*) FROM sandbox_network"
                            + " UNION ALL SELECT count(*) FROM sandbox_channel_port"));
            assertThat(left).containsExactly(0L, 0L, 0L);
        }
    }

    private static long insert(SandboxStore store, NetworkSpec network) {
        SandboxSpec spec =
                SandboxSpec.of("image").withName("one").withEphemeral(true).withNetwork(network);
        MainCommand main = new MainCommand(List.of(), CommandOptions.none());
        return store.insert(
                        new SandboxStore.NewSandbox("one", spec, main),
                        Optional.of(new SandboxStore.NewRun(VmId.random(), true, ProcessIdentity.current())),
                        directory -> {})
                .orElseThrow();
    }
}
