package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.image.manifest.Descriptor;
import dev.cloche.image.manifest.PlatformChoice;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlatformChoiceTest {
    private static final Platform ARM = new Platform("linux", "arm64", "");
    private static final Platform AMD = new Platform("linux", "amd64", "");

    @Test
    void systemArchitectureAndVariantAllHaveToMatch() {
        List<Descriptor> index = List.of(
                image(1, new Platform("windows", "arm64", "")),
                image(2, new Platform("linux", "arm", "v7")),
                image(3, new Platform("linux", "arm64", "v9")),
                image(4, ARM));
        assertThat(PlatformChoice.choose(index, ARM)).contains(index.get(3));
        assertThat(PlatformChoice.choose(index, new Platform("linux", "arm", "v7")))
                .contains(index.get(1));
        assertThat(PlatformChoice.choose(index, AMD)).isEmpty();
        assertThat(PlatformChoice.existing(index))
                .isEqualTo("windows/arm64, linux/arm/v7, linux/arm64/v9, linux/arm64");
    }

    @Test
    void theVariantThatIsMeantByNoneMayBeWritten() {
        assertThat(PlatformChoice.choose(List.of(image(1, new Platform("Linux", "ARM64", "V8"))), ARM))
                .isPresent();
        assertThat(PlatformChoice.choose(List.of(image(1, new Platform("linux", "amd64", "v1"))), AMD))
                .isPresent();
        assertThat(PlatformChoice.choose(List.of(image(1, new Platform("linux", "amd64", "v3"))), AMD))
                .isEmpty();
    }

    @Test
    void ofSeveralThatMatchTheFirstIsTakenAndAnAttestationNever() {
        Descriptor attestation =
                new Descriptor("application/json", digest(1), 1, Optional.of(AMD), Optional.empty(), true);
        assertThat(PlatformChoice.choose(List.of(attestation, image(2, AMD), image(3, AMD)), AMD))
                .contains(image(2, AMD));
        assertThat(PlatformChoice.choose(List.of(attestation), AMD)).isEmpty();
    }

    @Test
    void anOnlyImageOfWhichNothingIsSaidIsTaken() {
        Descriptor untold = Descriptor.of("application/json", digest(1), 1);
        assertThat(PlatformChoice.choose(List.of(untold), AMD)).contains(untold);
        assertThat(PlatformChoice.choose(List.of(untold, Descriptor.of("application/json", digest(2), 1)), AMD))
                .isEmpty();
    }

    private static Descriptor image(int number, Platform platform) {
        return new Descriptor("application/json", digest(number), 1, Optional.of(platform), Optional.empty(), false);
    }

    private static Digest digest(int number) {
        return Digest.parse("sha256:" + "%064x".formatted(number));
    }
}
