package dev.cloche.vmm.admission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.VmException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostRoomReaderTest {
    @TempDir
    Path root;

    private Path proc;
    private Path groups;

    @BeforeEach
    void makeAHost() throws IOException {
        proc = Files.createDirectories(root.resolve("proc"));
        groups = Files.createDirectories(root.resolve("groups"));
        Files.createDirectories(proc.resolve("self"));
        Files.createDirectories(proc.resolve("pressure"));
        Files.writeString(
                proc.resolve("meminfo"), "MemTotal:       8388608 kB\nMemFree: 1 kB\nMemAvailable:  4194304 kB\n");
        Files.writeString(
                proc.resolve("pressure/memory"), "some avg10=7.00 avg60=0.00\nfull avg10=1.50 avg60=0.00 total=0\n");
    }

    private HostRoom read() {
        return new HostRoomReader(proc, groups, root).read();
    }

    @Test
    void isWhatTheKernelSays() {
        HostRoom host = read();
        assertThat(host.totalMiB()).isEqualTo(8192);
        assertThat(host.availableMiB()).isEqualTo(4096);
        assertThat(host.pressure()).hasValue(1.5);
        assertThat(host.diskTotalMiB())
                .isGreaterThanOrEqualTo(host.diskFreeMiB())
                .isPositive();
    }

    @Test
    void isTheLeastOfTheGroupsAroundThisProcess() throws IOException {
        Files.writeString(proc.resolve("self/cgroup"), "9:pids:/x\n0::/a/b\n");
        Path inner = Files.createDirectories(groups.resolve("a/b"));
        Files.writeString(inner.resolve("memory.max"), "max\n");
        Files.writeString(groups.resolve("a/memory.max"), String.valueOf(1024L << 20));
        Files.writeString(groups.resolve("a/memory.current"), String.valueOf(700L << 20));
        Files.writeString(groups.resolve("a/memory.stat"), "anon 1\ninactive_file " + (100L << 20) + "\n");

        HostRoom host = read();
        assertThat(host.totalMiB()).isEqualTo(1024);
        assertThat(host.availableMiB()).isEqualTo(424);
    }

    @Test
    void aGroupOutsideOfTheMountIsNotLookedFor() throws IOException {
        Files.writeString(proc.resolve("self/cgroup"), "0::/../../..\n");
        assertThat(read().totalMiB()).isEqualTo(8192);
    }

    @Test
    void aKernelWithoutPressureHasNone() throws IOException {
        Files.delete(proc.resolve("pressure/memory"));
        assertThat(read().pressure()).isEmpty();
        Files.writeString(proc.resolve("pressure/memory"), "full avg10=much\n");
        assertThat(read().pressure()).isEmpty();
    }

    @Test
    void aBrokenProcIsRefusedWithTheWayOut() throws IOException {
        Files.writeString(proc.resolve("meminfo"), "MemTotal: many kB\n");
        assertThatThrownBy(this::read)
                .isInstanceOf(VmException.MissingResource.class)
                .hasMessageContaining("CLOCHE_LIMITS=off");
        Files.delete(proc.resolve("meminfo"));
        assertThatThrownBy(this::read).isInstanceOf(VmException.MissingResource.class);
    }
}
