package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StateRootOpeningTest {
    @TempDir
    private Path directory;

    private ClocheOptions options;

    @BeforeEach
    void prepare() throws Exception {
        Path share = directory.resolve("share");
        Files.createDirectories(share.resolve("kernel"));
        for (String name : List.of("cloche-guard", "cloche-tsc", "kernel/vmlinux", "initramfs")) {
            Files.createFile(share.resolve(name));
        }
        options = ClocheOptions.ofEnvironment()
                .withHome(directory.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never());
    }

    @Test
    void isAtTheFirstUse() {
        try (Cloche cloche = Cloche.openOnFirstUse(options)) {
            assertThat(options.home()).doesNotExist();
            assertThat(cloche.sandboxes().list()).isEmpty();
            assertThat(options.home()).exists();
            cloche.ensureOpen();
        }
    }

    @Test
    void isNotAtAllIfItIsClosedBefore() {
        Cloche cloche = Cloche.openOnFirstUse(options);
        cloche.close();
        assertThatThrownBy(cloche::ensureOpen).isInstanceOf(IllegalStateException.class);
        assertThat(options.home()).doesNotExist();
    }

    @Test
    void isTriedAgainAfterAFailure() throws Exception {
        Files.writeString(options.home(), "in the way");
        try (Cloche cloche = Cloche.openOnFirstUse(options)) {
            assertThatThrownBy(cloche::ensureOpen).isInstanceOf(HostException.class);
            Files.delete(options.home());
            cloche.ensureOpen();
            assertThat(options.home()).isDirectory();
        }
    }
}
