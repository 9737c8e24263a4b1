package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.HealthCheck.Verdict;
import org.junit.jupiter.api.Test;

class KvmStartsTest {
    private static final String SLOW =
            "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid,nodev,noexec,relatime,nsdelegate 0 0\n";
    private static final String FAST = "cgroup2 /sys/fs/cgroup cgroup2 rw,relatime,nsdelegate,favordynmods 0 0\n";
    private static final String FIRST = "cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0\n";

    @Test
    void aKernelThatMovesAThreadForEachVmIsNamedWithWhatHelps() {
        HealthCheck check = new KvmStarts("6.1.0-28-amd64", SLOW, "N", "Not affected").check();
        assertThat(check.verdict()).isEqualTo(Verdict.WARNING);
        assertThat(check.finding()).contains("Linux 6.1.0-28-amd64");
        assertThat(check.fix()).contains("remount,favordynmods").doesNotContain("nx_huge_pages");
        assertThat(new KvmStarts("6.8.0-1020-azure", SLOW, "N", "Not affected")
                        .check()
                        .fix())
                .contains("nx_huge_pages=never");
        assertThat(new KvmStarts("6.8.0", SLOW, "Y", "KVM: Mitigation: Split huge pages")
                        .check()
                        .fix())
                .as("it is needed there")
                .doesNotContain("nx_huge_pages");
    }

    @Test
    void whereNothingIsSlowNothingIsSaid() {
        assertThat(new KvmStarts("6.1.0", FAST, "N", "").check().verdict()).isEqualTo(Verdict.OK);
        assertThat(new KvmStarts("6.1.0", FIRST, "N", "").check().verdict()).isEqualTo(Verdict.OK);
        assertThat(new KvmStarts("6.8.0", SLOW, "never", "").check().verdict()).isEqualTo(Verdict.OK);
        assertThat(new KvmStarts("6.13.1", SLOW, "N", "").check().verdict()).isEqualTo(Verdict.OK);
        assertThat(new KvmStarts("5.15.0", SLOW, "N", "").check().verdict()).isEqualTo(Verdict.OK);
        assertThat(new KvmStarts("nonsense", "", "", "").check().verdict()).isEqualTo(Verdict.OK);
    }
}
