package dev.cloche.vmm.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestNetwork;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** What a guest is told of itself. */
class GuestIdentityTest {
    @Test
    void anIdentityShowsNoSecrets() {
        GuestIdentity identity = GuestIdentity.fresh("box", Clock.systemUTC())
                .withEnvironment(Map.of("TOKEN", "hidden"))
                .withSecrets(Map.of("key", "hidden".getBytes(StandardCharsets.UTF_8)));
        assertThat(identity.toString()).contains("box", "TOKEN", "key").doesNotContain("hidden");
    }

    @Test
    void aWholeIdentityArrivesAsItWasSent() throws Exception {
        GuestNetwork network = new GuestNetwork(
                OptionalInt.of(1400),
                Optional.of("02:00:5e:00:00:01"),
                List.of("10.0.2.15/24", "fd00::15/64"),
                List.of("10.0.2.2"),
                List.of("10.0.2.3"));
        GuestIdentity sent = GuestIdentity.fresh("box", Clock.systemUTC())
                .withEnvironment(Map.of("A", "b=c"))
                .withSecrets(Map.of("key", new byte[] {'=', 0, -1}))
                .withNetwork(network);
        FrameDecoder decoder = new FrameDecoder();
        decoder.space().put(HostFrames.configure(1, sent));
        decoder.filled();
        GuestIdentity read = HostRequests.identity(
                new PayloadReader("configure", decoder.next().orElseThrow().payload()));
        assertThat(read.network()).contains(network);
        assertThat(read.environment()).isEqualTo(sent.environment());
        assertThat(read.secrets()).hasSize(1).containsEntry("key", new byte[] {'=', 0, -1});
        assertThat(read.clock()).isEqualTo(sent.clock());
        assertThat(read.machineId()).isEqualTo(sent.machineId());
    }
}
