package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TreeRemovalTest {
    @TempDir
    Path directory;

    @Test
    void aTreeGoesWithAllThatIsInItAndWhatItsLinksPointAtStays() throws IOException {
        Path precious = Files.createDirectory(directory.resolve("precious"));
        Files.writeString(precious.resolve("file"), "mine");
        Path tree = Files.createDirectories(directory.resolve("tree/a/b/c"));
        Files.writeString(tree.resolve("file"), "x");
        Files.createSymbolicLink(tree.resolve("out"), precious);
        Files.createSymbolicLink(directory.resolve("tree/up"), Path.of(".."));
        Files.writeString(directory.resolve("tree/lock"), "");
        assertThat(remove("tree")).isTrue();
        assertThat(directory.resolve("tree")).doesNotExist();
        assertThat(precious.resolve("file")).hasContent("mine");
    }

    @Test
    void aLinkInThePlaceOfTheTreeIsRemovedItself() throws IOException {
        Path precious = Files.createDirectory(directory.resolve("precious"));
        Files.createSymbolicLink(directory.resolve("tree"), precious);
        assertThat(remove("tree")).isTrue();
        assertThat(precious).isDirectory();
        assertThat(Files.isSymbolicLink(directory.resolve("tree"))).isFalse();
    }

    @Test
    void whatIsGoneAlreadyIsNotMissed() {
        assertThat(remove("tree")).isTrue();
    }

    @Test
    void aDeepTreeIsNotTheStacks() throws IOException {
        Path deep = directory.resolve("tree");
        for (int i = 0; i < 200; i++) {
            deep = deep.resolve("d");
        }
        Files.createDirectories(deep);
        assertThat(remove("tree")).isTrue();
        assertThat(directory.resolve("tree")).doesNotExist();
    }

    private boolean remove(String name) {
        try (DirectoryHandle parent = DirectoryHandle.open(directory)) {
            return TreeRemoval.remove(parent, name, "lock");
        }
    }
}
