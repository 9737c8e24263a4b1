package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RawTextTest {
    @Test
    void ordinaryNamesAreTheirUtf8() {
        String name = "a \u00fc \u6f22 \ud83d\ude00 \ufffd";
        assertThat(RawText.encode(name)).isEqualTo(name.getBytes(StandardCharsets.UTF_8));
        assertThat(RawText.decode(name.getBytes(StandardCharsets.UTF_8))).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"ff", "61c3", "c0af", "eda080", "edb2ff", "f4908080", "61ff62", "f09f98", "c3c3a4"})
    void bytesThatAreNoUtf8ComeBack(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);
        assertThat(RawText.encode(RawText.decode(bytes))).isEqualTo(bytes);
    }

    @Test
    void anyBytesComeBack() {
        Random random = new Random(11);
        for (int i = 0; i < 5_000; i++) {
            byte[] bytes = new byte[random.nextInt(12)];
            random.nextBytes(bytes);
            assertThat(RawText.encode(RawText.decode(bytes))).isEqualTo(bytes);
        }
    }

    @Test
    void halfASurrogatePairIsNoName() {
        assertThatThrownBy(() -> RawText.encode("\ud83d")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RawText.encode("\udc00")).isInstanceOf(IllegalArgumentException.class);
    }
}
