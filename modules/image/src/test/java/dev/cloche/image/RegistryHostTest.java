package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.registry.RegistryHost;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RegistryHostTest {
    @ParameterizedTest
    @ValueSource(strings = {"localhost", "localhost:5000", "127.0.0.1:5000", "127.9.9.9", "[::1]:5000", "named:5000"})
    void loopbackAndNamedRegistriesMayBePlain(String name) {
        assertThat(RegistryHost.of(name, Set.of("named:5000")).base()).hasScheme("http");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"named", "named:5001", "localhost.example.com", "127.0.0.1.example.com", "10.0.0.1:5000", "[::2]"
            })
    void othersNeedTls(String name) {
        assertThat(RegistryHost.of(name, Set.of("named:5000")).base()).hasScheme("https");
    }

    @Test
    void dockerHubAnswersUnderAnotherName() {
        assertThat(RegistryHost.of("docker.io", Set.of()).base()).hasToString("https://registry-1.docker.io");
    }
}
