package dev.cloche.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValueTest {
    @Test
    void nothingOfANumberIsLost() throws JsonValue.Malformed {
        String digits = "123456789012345678901234567890.10e-3";
        assertThat(JsonValue.parse(digits)).isEqualTo(new JsonValue.Numeral(digits));
        assertThat(new JsonValue.Numeral("-9223372036854775808").whole()).hasValue(Long.MIN_VALUE);
        assertThat(new JsonValue.Numeral("9223372036854775808").whole()).isEmpty();
        assertThat(new JsonValue.Numeral("1.0").whole()).isEmpty();
        assertThat(new JsonValue.Numeral("1e999").nearest()).isInfinite();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "01", "1.", ".5", "+1", "1f", "0x1p3", "NaN", "1e", "١"})
    void whatIsNoNumberOfJsonIsRefused(String digits) {
        assertThatThrownBy(() -> new JsonValue.Numeral(digits)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void membersReadTheSameWhereTheyAreAbsentOrOfAnotherType() throws JsonValue.Malformed {
        JsonValue.Fields fields =
                JsonValue.parse("{\"text\":\"a\",\"number\":7,\"list\":[true,null],\"object\":{\"b\":1}}"
                        .getBytes(StandardCharsets.UTF_8));
        assertThat(fields.text("text")).hasValue("a");
        assertThat(fields.text("number")).isEmpty();
        assertThat(fields.whole("number")).hasValue(7);
        assertThat(fields.items("list")).hasValue(List.of(JsonValue.Literal.TRUE, JsonValue.Literal.NULL));
        assertThat(fields.object("object").orElseThrow().requireWhole("b")).isEqualTo(1);
        assertThatThrownBy(() -> fields.requireText("none"))
                .isInstanceOf(NoSuchElementException.class)
                .hasMessageContaining("none");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[", "[1", "{\"a\":1,\"a\":2}", "1 2", "{\"a\"", "nul", "[1,]", "// no\n1"})
    void whatIsNoOneDocumentIsMalformed(String document) {
        assertThatThrownBy(() -> JsonValue.parse(document)).isInstanceOf(JsonValue.Malformed.class);
    }

    @Test
    void aDocumentThatIsTooDeepIsMalformed() {
        assertThatCode(() -> JsonValue.parse("[".repeat(64) + "]".repeat(64))).doesNotThrowAnyException();
        assertThatThrownBy(() -> JsonValue.parse("[".repeat(65) + "]".repeat(65)))
                .isInstanceOf(JsonValue.Malformed.class);
        assertThatThrownBy(() -> JsonValue.parse("{\"a\":".repeat(1_000_000))).isInstanceOf(JsonValue.Malformed.class);
    }
}
