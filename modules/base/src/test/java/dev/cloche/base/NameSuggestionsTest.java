package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NameSuggestionsTest {
    private static final List<String> NAMES = List.of("dev", "dev2", "web", "staging");

    @Test
    void aMistypedNameIsNearToThoseThatAFewLettersMakeOfIt() {
        assertThat(NameSuggestions.of("dov3", NAMES)).isEmpty();
        assertThat(NameSuggestions.of("devv", NAMES)).containsExactly("dev", "dev2");
        assertThat(NameSuggestions.of("stagign", NAMES)).containsExactly("staging");
        assertThat(NameSuggestions.of("", NAMES)).isEmpty();
    }

    @Test
    void lettersThatAreSwappedWithTheirNeighboursAreOneMistake() {
        assertThat(NameSuggestions.of("dve2", NAMES)).containsExactly("dev2");
        assertThat(NameSuggestions.of("agian", List.of("again"))).containsExactly("again");
        assertThat(NameSuggestions.of("again", List.of("agnai"))).isEmpty();
    }

    @Test
    void threeAreNamedAtMost() {
        assertThat(NameSuggestions.of("a1", List.of("a2", "a3", "a4", "a5"))).containsExactly("a2", "a3", "a4");
    }

    @Test
    void whereNothingIsNearTheOtherRemedyIsGiven() {
        assertThat(NameSuggestions.remedy("wob", NAMES, "list them")).isEqualTo("Did you mean web?");
        assertThat(NameSuggestions.remedy("production", NAMES, "list them")).isEqualTo("list them");
    }
}
