package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.VmException;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class DescriptorLimitTest {
    @Test
    void theSoftLimitIsRead() {
        String limits = """
            Limit                     Soft Limit           Hard Limit           Units
            Max processes             96271                96271                processes
            Max open files            64                   1024                 files
            """;
        assertThat(DescriptorLimit.of(limits)).hasValue(64);
        assertThat(DescriptorLimit.of(limits.replace("64  ", "unlimited"))).isEmpty();
    }

    @Test
    void tooFewAreRefusedInOneSentenceWithTheRemedy() {
        assertThatThrownBy(() -> DescriptorLimit.check(OptionalLong.of(255)))
                .isInstanceOf(VmException.MissingResource.class)
                .hasMessageStartingWith(
                        "This process may have only 255 files open at a time, which are too few to run a VM")
                .satisfies(refused -> assertThat(((VmException.MissingResource) refused).remedy())
                        .contains("ulimit -n"));
        assertThatNoException().isThrownBy(() -> DescriptorLimit.check(OptionalLong.of(256)));
        assertThatNoException().isThrownBy(() -> DescriptorLimit.check(OptionalLong.empty()));
    }
}
