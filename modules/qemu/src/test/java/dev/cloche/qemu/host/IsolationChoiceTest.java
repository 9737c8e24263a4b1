package dev.cloche.qemu.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class IsolationChoiceTest {
    private static Isolation least(String variable, Optional<Isolation> configured, Optional<Isolation> asked) {
        return new IsolationChoice(Map.of("CLOCHE_ISOLATION", variable), () -> configured, () -> false).of(asked);
    }

    @Test
    void withoutAWordItIsTheBestThatThereIs() {
        assertThat(least("", Optional.empty(), Optional.empty())).isEqualTo(Isolation.AUTO);
    }

    @Test
    void theHighestOfAllHoldsWhicheverSaysIt() {
        Optional<Isolation> sealed = Optional.of(Isolation.SEALED);
        Optional<Isolation> reduced = Optional.of(Isolation.REDUCED);
        assertThat(least("full", sealed, reduced)).isEqualTo(Isolation.FULL);
        assertThat(least("reduced", sealed, reduced)).isEqualTo(Isolation.SEALED);
        assertThat(least("reduced", reduced, sealed)).isEqualTo(Isolation.SEALED);
        assertThat(least("", Optional.of(Isolation.AUTO), reduced)).isEqualTo(Isolation.AUTO);
    }

    @Test
    void reducedIsHadWhereNothingElseIsSaid() {
        assertThat(least("", Optional.empty(), Optional.of(Isolation.REDUCED))).isEqualTo(Isolation.REDUCED);
        assertThat(least("reduced", Optional.empty(), Optional.empty())).isEqualTo(Isolation.REDUCED);
    }

    @Test
    void aWordThatIsNoLevelIsRefusedWithAllThatThereAre() {
        assertThatThrownBy(() -> least("best", Optional.empty(), Optional.empty()))
                .isInstanceOfSatisfying(
                        VmException.MissingResource.class,
                        e -> assertThat(e.remedy()).contains("auto", "reduced", "sealed", "full"));
    }
}
