package dev.cloche.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CommandWordsTest {
    @Test
    void aNameIsAnArgument() {
        assertThat(CommandWords.of("Start it with: cloche.machines().start(\"dev\")"))
                .isEqualTo("Start it with: cloche machine start dev");
        assertThat(CommandWords.of("Stop it first with: cloche.sandboxes().stop(\"web\", …), or remove it with:"
                        + " cloche.sandboxes().remove(\"web\", true)"))
                .isEqualTo("Stop it first with: cloche stop web, or remove it with: cloche rm --force web");
        assertThat(CommandWords.of("cloche.images().pull(\"registry.test:5000/a$1/b:c\")"))
                .isEqualTo("cloche pull registry.test:5000/a$1/b:c");
    }

    @Test
    void anAdviceOfSeveralWordsBecomesOneCommand() {
        assertThat(CommandWords.of("Call cloche.driveCommands() on a Cloche that stays open, and wait for it again:"
                        + " cloche.processes().await(\"p1\", …)"))
                .isEqualTo("Run: cloche process await p1");
    }

    @Test
    void otherTextsStayAsTheyAre() {
        assertThat(CommandWords.of("Free some space.")).isEqualTo("Free some space.");
    }
}
