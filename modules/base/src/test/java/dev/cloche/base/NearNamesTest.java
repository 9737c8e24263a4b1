package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearNamesTest {
    private static final List<String> NAMES = List.of("dev", "dev2", "web", "staging");

    @Test
    void aMistypedNameIsNearToThoseThatAFewLettersMakeOfIt() {
        assertThat(NearNames.of("dve2", NAMES)).isEmpty();
        assertThat(NearNames.of("devv", NAMES)).containsExactly("dev", "dev2");
        assertThat(NearNames.of("stagign", NAMES)).containsExactly("staging");
        assertThat(NearNames.of("", NAMES)).isEmpty();
    }

    @Test
    void whereNothingIsNearTheOtherRemedyIsGiven() {
        assertThat(NearNames.remedy("wob", NAMES, "list them")).isEqualTo("Did you mean web?");
        assertThat(NearNames.remedy("production", NAMES, "list them")).isEqualTo("list them");
    }
}
