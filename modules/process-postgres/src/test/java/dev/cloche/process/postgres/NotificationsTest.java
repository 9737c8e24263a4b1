package dev.cloche.process.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.process.Change;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NotificationsTest {
    private static Change event(String id, long sequence) {
        return new Change(id, Change.Kind.EVENT, sequence, Optional.of("note"));
    }

    @Test
    void whatIsWrittenIsRead() {
        List<Change> changes = List.of(
                event("p", 7), new Change("wörk 1", Change.Kind.REGISTERED, 0, Optional.empty()), event("q*", 1));
        assertThat(Notifications.write("me", changes))
                .map(Notifications::read)
                .containsExactly(new Notifications.Message("me", Optional.of(changes)));
    }

    @Test
    void manyChangesAreSplitBelowWhatTheServerAccepts() {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            changes.add(event("ü".repeat(i), i));
        }
        List<String> texts = Notifications.write("me", changes);
        assertThat(texts).allMatch(text -> text.getBytes(StandardCharsets.UTF_8).length < 8_000);
        assertThat(texts.stream().flatMap(text -> Notifications.read(text).changes().orElseThrow().stream()))
                .containsExactlyElementsOf(changes);
    }

    @Test
    void whatCannotBeReadMeansAnything() {
        for (String text : List.of("you\n*", "you\nsomething\tnew", "you\nevent\tx\tnote\tp", "you\nodd\t1\tnote\tp")) {
            assertThat(Notifications.read(text)).isEqualTo(new Notifications.Message("you", Optional.empty()));
        }
        assertThat(Notifications.read(Notifications.anything("me")).changes()).isEmpty();
    }
}
