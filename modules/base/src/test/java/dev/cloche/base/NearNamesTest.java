package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearNamesTest {
    private static final List<String> NAMES = List.of("dev", "dev2", "web", "staging");

    @Test
    void aMistypedNameIsNearToThoseThatAFewLettersMakeOfIt() {
        assertThat(NearNames.of("dov3", NAMES)).isEmpty();
        assertThat(NearNames.of("devv", NAMES)).containsExactly("dev", "dev2");
        assertThat(NearNames.of("stagign", NAMES)).containsExactly("staging");
        assertThat(NearNames.of("", NAMES)).isEmpty();
    }

    @Test
    void lettersThatAreSwappedWithTheirNeighboursAreOneMistake() {
        assertThat(NearNames.of("dve2", NAMES)).containsExactly("dev2");
        assertThat(NearNames.of("agian", List.of("again"))).containsExactly("again");
        assertThat(NearNames.of("again", List.of("agnai"))).isEmpty();
    }

    @Test
    void threeAreNamedAtMost() {
        assertThat(NearNames.of("a1", List.of("a2", "a3", "a4", "a5"))).containsExactly("a2", "a3", "a4");
    }

    @Test
    void whereNothingIsNearTheOtherRemedyIsGiven() {
        assertThat(NearNames.remedy("wob", NAMES, "list them")).isEqualTo("Did you mean web?");
        assertThat(NearNames.remedy("production", NAMES, "list them")).isEqualTo("list them");
    }
}
