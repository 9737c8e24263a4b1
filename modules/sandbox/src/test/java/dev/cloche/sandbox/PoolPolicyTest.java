package dev.cloche.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.pool.DepthPolicy;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PoolPolicyTest {
    private static final PoolStatus.Policy PLAIN = PoolStatus.Policy.of(DepthPolicy.of(1));

    private static PoolStatus.Probe port(int port) {
        return new PoolStatus.Probe(port, Optional.empty());
    }

    private static PoolStatus.Probe page(int port, String path) {
        return new PoolStatus.Probe(port, Optional.of(path));
    }

    @Test
    void vmsThatWereAskedForSomethingElseAreOfAnotherVersion() {
        Set<String> versions = new HashSet<>();
        for (PoolStatus.Policy policy : List.of(
                PLAIN,
                PLAIN.withCheck(List.of("8000")),
                PLAIN.withProbes(List.of(port(8000))),
                PLAIN.withProbes(List.of(port(8001))),
                PLAIN.withProbes(List.of(page(8000, "/"))),
                PLAIN.withProbes(List.of(port(8000), page(8000, "/"))),
                PLAIN.withProbes(List.of(port(8000))).withCheck(List.of("8000")),
                PLAIN.withProbes(List.of(port(8000))).withInProcess(true))) {
            versions.add(policy.version("t"));
            assertThat(policy.version("t"))
                    .isEqualTo(policy.withMaxAge(PLAIN.maxAge()).version("t"));
        }
        assertThat(versions).hasSize(8).contains("t");
    }

    @Test
    void whatNoVmCanBeAskedForIsRefused() {
        assertThatThrownBy(() -> port(0)).isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThatThrownBy(() -> port(65_536)).isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThatThrownBy(() -> page(80, "health")).isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThatThrownBy(() -> page(80, "/a b")).isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThat(page(80, "/" + "a".repeat(1_999)).path()).isPresent();
        assertThatThrownBy(() -> page(80, "/" + "a".repeat(2_000)))
                .isInstanceOf(SandboxException.InvalidSpecification.class);
        assertThat(PLAIN.withProbes(Collections.nCopies(16, port(80))).probes()).hasSize(16);
        assertThatThrownBy(() -> PLAIN.withProbes(Collections.nCopies(17, port(80))))
                .isInstanceOf(SandboxException.InvalidSpecification.class)
                .hasMessageContaining("17");
    }
}
