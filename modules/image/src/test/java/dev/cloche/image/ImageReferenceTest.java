package dev.cloche.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageReferenceTest {
    private static final String HEX = "0123456789abcdef".repeat(4);

    @ParameterizedTest
    @CsvSource({
        "debian, docker.io/library/debian:latest",
        "debian:12, docker.io/library/debian:12",
        "docker.io/debian, docker.io/library/debian:latest",
        "index.docker.io/debian, docker.io/library/debian:latest",
        "owner/image, docker.io/owner/image:latest",
        "ghcr.io/x/y:tag, ghcr.io/x/y:tag",
        "GHCR.io/x/y, ghcr.io/x/y:latest",
        "localhost/x, localhost/x:latest",
        "localhost:5000/x:1, localhost:5000/x:1",
        "host:5000/a/b_c/d__e/f-g.h, host:5000/a/b_c/d__e/f-g.h:latest",
        "[::1]:5000/x, [::1]:5000/x:latest"
    })
    void shortFormsMeanWhatTheyMeanToDocker(String text, String full) {
        assertThat(ImageReference.parse(text)).hasToString(full);
        assertThat(ImageReference.parse(full)).isEqualTo(ImageReference.parse(text));
    }

    @Test
    void aDigestDecidesAndTheTagIsDropped() {
        String full = "docker.io/library/debian@sha256:" + HEX;
        assertThat(ImageReference.parse("debian:12@sha256:" + HEX)).hasToString(full);
        assertThat(ImageReference.parse(full)).hasToString(full);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":",
                "/",
                "@",
                "Debian",
                "debian:",
                "debian:a b",
                "a//b",
                "a/../b",
                "../etc",
                "-a",
                "a..b",
                "x@sha256:1",
                "x@md5:0123456789abcdef",
                "host:99999/x",
                "host:port/x",
                "evil.com\n/x",
                "a/b/",
                "x:tag/y:z",
                "ho_st.de/x"
            })
    void nonsenseIsRefused(String text) {
        assertThatThrownBy(() -> ImageReference.parse(text)).isInstanceOf(BadReference.class);
    }

    @Test
    void aMessageQuotesNoControlCharactersAndStaysShort() {
        assertThatThrownBy(() -> ImageReference.parse("\u001b[2J" + "x".repeat(500)))
                .isInstanceOf(BadReference.class)
                .message()
                .doesNotContain("\u001b")
                .hasSizeLessThan(400);
    }
}
