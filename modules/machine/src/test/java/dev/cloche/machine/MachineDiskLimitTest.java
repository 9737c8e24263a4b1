package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.PullListener;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer.Throttle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What a machine may ask of its disk, on VMs in memory. */
class MachineDiskLimitTest extends MachinesInMemory {
    private static final Throttle FEW = Throttle.none().withIops(100);
    private static final Throttle BOTH = FEW.withBytesPerSecond(1 << 20);

    private Throttle ofItsVm() {
        return vms.spec(vm().id()).map(VmSpec::throttle).orElseThrow();
    }

    private ChangedMachine change(Throttle limits) {
        return machines.change(WEB, now -> now.withSettings(now.settings().withDiskThrottle(limits)), soon());
    }

    private void apply(String text) throws IOException {
        Path file = Files.writeString(home.resolve("wanted.toml"), "name = \"web\"\n" + text);
        var _ = machines.apply(file, PullListener.none(), soon());
    }

    @Test
    void eachOfItsStartsHasThem() {
        make(MachineSettings.DEFAULTS.withDiskThrottle(BOTH));
        start().close();
        assertThat(ofItsVm()).isEqualTo(BOTH);
        machines.suspend(WEB, soon());
        start().close();
        assertThat(ofItsVm()).isEqualTo(BOTH);
        machines.stop(WEB, Duration.ofSeconds(1), soon());
        assertThat(change(FEW).atNextStart()).isFalse();
        start().close();
        assertThat(ofItsVm()).isEqualTo(FEW);
    }

    @Test
    void aChangeIsThereAtOnceWhereItRuns() throws IOException {
        make(MachineSettings.DEFAULTS);
        start().close();
        assertThat(change(FEW).atNextStart()).isFalse();
        assertThat(ofItsVm()).isEqualTo(FEW);
        apply("disk_bps = 1048576\n");
        assertThat(ofItsVm()).isEqualTo(BOTH);
        apply("disk_iops = 0\n");
        assertThat(ofItsVm()).isEqualTo(Throttle.none().withBytesPerSecond(1 << 20));
        assertThat(change(Throttle.none()).atNextStart()).isFalse();
        assertThat(ofItsVm()).isEqualTo(Throttle.none());
        assertThat(store().load(WEB).settings()).isEqualTo(MachineSettings.DEFAULTS);
    }

    @Test
    void aChangeThatDidNotReachItsVmIsMadeUpForByTheNext() {
        make(MachineSettings.DEFAULTS);
        start().close();
        change(FEW);
        // As a process leaves it that died in between.
        vms.throttleDisk(vm().id(), Throttle::none, soon());
        change(FEW);
        assertThat(ofItsVm()).isEqualTo(FEW);
    }

    @Test
    void whatIsOutOfRangeIsRefusedWithItsLine() throws IOException {
        make(MachineSettings.DEFAULTS);
        assertThatThrownBy(() -> apply("disk_iops = 9\n"))
                .isInstanceOf(MachineException.Invalid.class)
                .hasMessageContaining("wanted.toml:2")
                .hasMessageContaining("9 requests per second to a disk is out of range: give 10 to 1000000");
        assertThatThrownBy(() -> apply("disk_bps = \"20m\"\n"))
                .isInstanceOf(MachineException.Invalid.class)
                .hasMessageContaining("disk_bps is not an integer");
        assertThat(store().load(WEB).settings()).isEqualTo(MachineSettings.DEFAULTS);
    }
}
