package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.sandbox.Template;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was copied into a template, against what is on this host. */
class ChangedFilesTest {
    @TempDir
    Path host;

    private static Instant change(Path file) throws IOException {
        return ((FileTime) Files.getAttribute(file, "unix:ctime")).toInstant();
    }

    private interface Change {
        void make() throws IOException;
    }

    /** Changes a file until the clock of its file system, which is a coarse one, has gone on. */
    private static void change(Path file, Instant then, Change change) throws IOException {
        do {
            change.make();
        } while (!change(file).isAfter(then));
    }

    private static Template.Recipe copying(Path... sources) {
        Template.Recipe recipe = Template.Recipe.empty().with(Template.Recipe.Kind.RUN, List.of("/none", "/there"));
        for (Path source : sources) {
            recipe = recipe.with(Template.Recipe.Kind.COPY, List.of(source.toString(), "/there"));
        }
        return recipe;
    }

    @Test
    void onlyWhatHasChangedSinceIsTold() throws IOException {
        Path same = Files.writeString(host.resolve("same"), "same");
        Path other = Files.writeString(host.resolve("other"), "before");
        Instant then = change(other);
        assertThat(TemplateSteps.changedSince(then, copying(same, other))).isEmpty();
        change(other, then, () -> Files.writeString(other, "after"));
        assertThat(TemplateSteps.changedSince(then, copying(same, other))).containsExactly(other);
        assertThat(TemplateSteps.changedSince(change(other), copying(same, other)))
                .isEmpty();
    }

    @Test
    void whatIsBelowADirectoryCountsAlsoWithAnEarlierTimeOfItsContents() throws IOException {
        Path below = Files.createDirectories(host.resolve("app/below"));
        Path file = Files.writeString(below.resolve("file"), "before");
        Instant made = change(file);
        assertThat(TemplateSteps.changedSince(made, copying(host.resolve("app"))))
                .isEmpty();
        change(file, made, () -> {
            Files.writeString(file, "after!");
            Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        });
        assertThat(TemplateSteps.changedSince(made, copying(host.resolve("app"))))
                .containsExactly(host.resolve("app"));

        Instant then = change(file);
        assertThat(TemplateSteps.changedSince(then, copying(host.resolve("app"))))
                .isEmpty();
        change(below, then, () -> {
            Files.writeString(below.resolve("more"), "");
            Files.delete(below.resolve("more"));
        });
        assertThat(TemplateSteps.changedSince(then, copying(host.resolve("app"))))
                .containsExactly(host.resolve("app"));
    }

    @Test
    void whatIsGoneHasChanged() {
        assertThat(TemplateSteps.changedSince(Instant.MAX, copying(host.resolve("none"))))
                .containsExactly(host.resolve("none"));
    }
}
