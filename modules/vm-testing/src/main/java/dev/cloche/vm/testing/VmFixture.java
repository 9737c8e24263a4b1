package dev.cloche.vm.testing;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.Deadline;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.GuestException;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFailure;
import dev.cloche.vm.RootDisk;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/**
 * Says what the contract of a provider is tested with. Its guests need the programs {@code true false echo cat sleep env pwd
 * hostname yes seq stty} and {@code sh}, in {@code /bin}.
 */
public interface VmFixture {
    /** Returns the provider of the present test. */
    VmProvider provider();

    /** Returns what its guests boot from. */
    RootDisk rootDisk();

    default Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
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

    /** Reads to the end, past a gap. */
    default void drain(InputStream stream) throws IOException {
        try {
            stream.transferTo(OutputStream.nullOutputStream());
        } catch (GuestException.OutputGap once) {
            stream.transferTo(OutputStream.nullOutputStream());
        }
    }

    /** Asserts that a guest refuses, and why. */
    default void assertRefused(GuestFailure why, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        GuestException.Refused.class,
                        e -> assertThat(e.failure()).isEqualTo(why));
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
