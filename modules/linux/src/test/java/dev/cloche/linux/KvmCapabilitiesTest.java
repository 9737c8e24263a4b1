package dev.cloche.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class KvmCapabilitiesTest {
    @Test
    void onlyWhatAGuestMayUseCounts() {
        try (Arena arena = Arena.ofConfined()) {
            int[][] entries = {
                // leaf, sub-leaf, flags, eax, ebx, ecx, edx
                {0x80000001, 0, 0, 1, 2, 3, 4},
                {0xB, 1, 1, 5, 6, 7, 8},
                {0x7, 0, 1, 9, 10, 11, 12},
                {0x1, 0, 0, 0xA0671, 0x01020800, 13, 14},
            };
            assertThat(KvmCapabilities.features(cpuid(arena, entries)))
                    .containsExactly("cpuid 1.0 a0671 0 d e", "cpuid 7.0 9 a b c", "cpuid 80000001.0 0 0 3 4");
            entries[3][4] = 0x07020800;
            assertThat(KvmCapabilities.features(cpuid(arena, entries)))
                    .as("asked on another processor")
                    .contains("cpuid 1.0 a0671 0 d e");
        }
    }

    private static MemorySegment cpuid(Arena arena, int[][] entries) {
        MemorySegment cpuid = arena.allocate(8 + 40L * entries.length, Long.BYTES);
        cpuid.set(ValueLayout.JAVA_INT, 0, entries.length);
        for (int i = 0; i < entries.length; i++) {
            for (int j = 0; j < entries[i].length; j++) {
                cpuid.set(ValueLayout.JAVA_INT, 8 + 40L * i + 4L * j, entries[i][j]);
            }
        }
        return cpuid;
    }

    @Test
    void thisHostsKvmOffersTheSameEachTime() {
        Path device = Path.of("/dev/kvm");
        Assumptions.assumeTrue(Files.isWritable(device), "there is no /dev/kvm for this user");
        List<String> offer;
        try {
            offer = KvmCapabilities.read(device);
        } catch (SystemCallException noKvm) {
            Assumptions.abort("it is no KVM: " + noKvm.getMessage());
            return;
        }
        assertThat(offer).anyMatch(line -> line.startsWith("cpuid 7.0 "));
        assertThat(offer).contains("msr 174");
        for (int i = 0; i < 100; i++) {
            assertThat(KvmCapabilities.read(device)).isEqualTo(offer);
        }
    }

    @Test
    void whatIsNoKvmIsSaidToBeNone() {
        assertThatThrownBy(() -> KvmCapabilities.read(Path.of("/dev/null")))
                .isInstanceOf(SystemCallException.class)
                .hasMessageContaining("KVM_GET_SUPPORTED_CPUID of /dev/null");
        assertThatThrownBy(() -> KvmCapabilities.read(Path.of("/nonexistent/kvm")))
                .isInstanceOf(SystemCallException.class);
    }
}
