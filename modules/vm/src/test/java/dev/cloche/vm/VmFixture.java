package dev.cloche.vm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.base.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/**
 * What the contract of a provider is tested with. Its guests need the programs {@code true false echo cat sleep env pwd
 * hostname yes} and {@code sh}, in {@code /bin}.
 */
public interface VmFixture {
    /** The provider of the present test. */
    VmProvider provider();

    /** What its guests boot from. */
    RootDisk rootDisk();

    default Deadline soon() {
        return Deadline.after(Duration.ofSeconds(60));
    }

    default VmSpec spec() {
        return VmSpec.of(VmId.random(), rootDisk());
    }

    default Vm running() {
        Vm vm = provider().create(spec());
        vm.start(soon());
        return vm;
    }

    default String read(InputStream stream) throws IOException {
        return new String(stream.readAllBytes(), UTF_8);
    }

    default String output(Vm vm, ExecRequest request) throws IOException {
        try (GuestExecution execution = vm.guest().exec(request, soon())) {
            String text = read(execution.stdout());
            assertThat(read(execution.stderr())).isEmpty();
            assertThat(execution.await(soon())).isEqualTo(new ExitStatus.Exited(0));
            return text;
        }
    }
}
