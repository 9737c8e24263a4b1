package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessIdentityTest {
    private static final ProcessIdentity RECORDED = new ProcessIdentity(77, 4711, "this-boot");

    @TempDir
    Path proc;

    @BeforeEach
    void boot() throws IOException {
        bootId("this-boot");
    }

    @Test
    void isAliveWhilePidStartTimeAndBootAreTheSame() throws IOException {
        process("sleep", 'S', 4711);
        assertThat(RECORDED.isAlive(proc)).isTrue();
    }

    @Test
    void isNotAliveOnceThePidIsGoneOrBelongsToAnother() throws IOException {
        assertThat(RECORDED.isAlive(proc)).isFalse();
        process("stranger", 'S', 9999);
        assertThat(RECORDED.isAlive(proc)).isFalse();
    }

    @Test
    void isNotAliveAfterAReboot() throws IOException {
        process("sleep", 'S', 4711);
        bootId("next-boot");
        assertThat(RECORDED.isAlive(proc)).isFalse();
    }

    @Test
    void isNotAliveAsAZombie() throws IOException {
        process("sleep", 'Z', 4711);
        assertThat(RECORDED.isAlive(proc)).isFalse();
    }

    @Test
    void readsNamesThatLookLikeFields() throws IOException {
        process("a) S 1 (b", 'R', 4711);
        assertThat(RECORDED.isAlive(proc)).isTrue();
    }

    @Test
    void thisProcessIsAlive() {
        assertThat(ProcessIdentity.current().isAlive()).isTrue();
    }

    private void bootId(String id) throws IOException {
        Path file = proc.resolve("sys/kernel/random/boot_id");
        Files.createDirectories(file.getParent());
        Files.writeString(file, id + "\n");
    }

    private void process(String name, char state, long startTime) throws IOException {
        Path directory = Files.createDirectories(proc.resolve("77"));
        String between = " 0".repeat(18);
        Files.writeString(
                directory.resolve("stat"), "77 (" + name + ") " + state + between + " " + startTime + " 0 0\n");
    }
}
