package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.registry.Challenge;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChallengeTest {
    @Test
    void quotedAndPlainParametersAreRead() {
        Challenge challenge = Challenge.choose(List.of(
                        "Bearer realm=\"https://auth.example/token\",service=reg , scope=\"repository:a/b:pull,push\""))
                .orElseThrow();
        assertThat(challenge.scheme()).isEqualTo("bearer");
        assertThat(challenge.parameters())
                .containsEntry("realm", "https://auth.example/token")
                .containsEntry("service", "reg")
                .containsEntry("scope", "repository:a/b:pull,push");
    }

    @Test
    void aTokenIsPreferredToAPassword() {
        assertThat(Challenge.choose(List.of("Basic realm=\"x\"", "bearer realm=\"https://a\"")))
                .map(Challenge::scheme)
                .contains("bearer");
        assertThat(Challenge.choose(List.of("Basic realm=\"x\"")))
                .map(Challenge::scheme)
                .contains("basic");
    }

    @Test
    void whatCannotBeAnsweredIsNone() {
        assertThat(Challenge.choose(List.of())).isEmpty();
        assertThat(Challenge.choose(List.of("", "Digest nonce=1", "Bearer", "Bearer realm=\"unfinished")))
                .isEmpty();
    }
}
