package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.vm.VmIsolation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GroupRecordTest {
    @TempDir
    private Path directory;

    private Path vm = Path.of("");
    private Path group = Path.of("");

    @BeforeEach
    void aVmAndItsGroup() throws IOException {
        vm = Files.createDirectories(directory.resolve("vms/one"));
        group = Files.createDirectories(directory.resolve("groups/cloche-one"));
    }

    private Optional<VmIsolation.Group> read(String path, String missing) throws IOException {
        String json = "{\"version\":1,\"path\":%s,\"missing\":\"%s\"}".formatted(path, missing);
        Files.writeString(vm.resolve("group.json"), json);
        return GroupRecord.read(vm);
    }

    private OptionalLong peak(String text) throws IOException {
        Files.writeString(group.resolve("memory.peak"), text);
        return read('"' + group.toString() + '"', "").orElseThrow().memoryPeak();
    }

    @Test
    void whereNoGroupWasWantedThereIsNone() throws IOException {
        assertThat(GroupRecord.read(vm)).isEmpty();
        assertThat(read("null", "none is delegated"))
                .contains(new VmIsolation.Group(Optional.empty(), "none is delegated", OptionalLong.empty()));
    }

    @Test
    void theKernelSaysHowMuchItHasTakenAtMost() throws IOException {
        assertThat(read('"' + group.toString() + '"', "memory: x"))
                .contains(new VmIsolation.Group(Optional.of(group.toString()), "memory: x", OptionalLong.empty()));
        assertThat(peak("4096\n")).hasValue(4096);
        assertThat(peak("max\n")).isEmpty();
        assertThat(peak("99999999999999999999\n")).isEmpty();
        assertThat(peak("")).isEmpty();
    }

    @Test
    void noOtherFileIsReadThanThatOfItsOwnGroup() throws IOException {
        Path other = Files.createDirectories(directory.resolve("groups/cloche-two"));
        Files.writeString(other.resolve("memory.peak"), "1\n");
        Files.writeString(group.resolve("memory.peak"), "2\n");
        Path copy = Files.createDirectories(directory.resolve("groups/cloche-one.1"));
        Files.createSymbolicLink(copy.resolve("memory.peak"), group.resolve("memory.peak"));

        for (String path : new String[] {other.toString(), "cloche-one", group + "/.", "/", ""}) {
            assertThat(read('"' + path + '"', "").orElseThrow().path()).as(path).isEmpty();
        }
        VmIsolation.Group linked = read('"' + copy.toString() + '"', "").orElseThrow();
        assertThat(linked.path()).contains(copy.toString());
        assertThat(linked.memoryPeak()).isEmpty();
    }
}
