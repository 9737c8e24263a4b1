package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.sandbox.TemplateMaking;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Wherever an image is named, the beginning of its digest means it, too. */
class DigestNamesIT {
    private static final int MIB = 256;

    @TempDir
    Path home;

    @Test
    void poolsTemplatesAndMachinesAreMadeOfAnImageByTheBeginningOfItsDigest() {
        Path share = InstalledShare.require();
        try (Cloche cloche = Cloche.open(ClocheOptions.ofEnvironment()
                .withHome(home.resolve("state"))
                .withShare(share)
                .withTemplateMaking(new TemplateMaking.Never()))) {
            String digest = cloche.images().pull("base").summary().manifest().toString();
            String prefix = digest.substring(0, "sha256:".length() + 8);

            assertThat(cloche.pools().pool(prefix).memoryMib(MIB).set().image()).isEqualTo(digest);
            assertThat(cloche.templates()
                            .make(cloche.sandbox(prefix).memoryMib(MIB))
                            .orElseThrow()
                            .image())
                    .contains(digest);
            assertThat(cloche.machines().create("dev", prefix).diskGib(1).make().imageDigest())
                    .contains(digest);
            assertUnknown(
                    () -> cloche.pools().pool("sha256:000000").memoryMib(MIB).set());
            assertUnknown(() ->
                    cloche.templates().make(cloche.sandbox("sha256:000000").memoryMib(MIB)));
            assertUnknown(() -> cloche.machines().create("other", "sha256:000000"));

            cloche.machines().remove("dev", true);
            cloche.templates().list().forEach(template -> cloche.templates().remove(template.name()));
            // A pool does not keep its image, and can be removed without it.
            cloche.images().remove("base", true);
            cloche.pools().pool(prefix).memoryMib(MIB).remove();
            assertThat(cloche.pools().list()).isEmpty();
        }
    }

    private static void assertUnknown(ThrowingCallable naming) {
        assertThatThrownBy(naming)
                .isInstanceOfSatisfying(
                        ClocheException.class, e -> assertThat(e.code()).isEqualTo("image.not-found"));
    }
}
