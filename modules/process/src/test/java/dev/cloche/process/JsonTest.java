package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.JsonValue;
import dev.cloche.process.store.CodePoints;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
    /** The example of RFC 8785, section 3.2.2, and its sorting by UTF-16 units of section 3.2.3. */
    @Test
    void itIsInTheFormOfRfc8785() {
        String given = "{ \"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],"
                + " \"string\": \"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\","
                + " \"literals\": [null, true, false] }";
        assertThat(Json.parse(given).text())
                .isEqualTo("{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27],"
                        + "\"string\":\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
        assertThat(Json.parse("{\"\\ufb33\":1,\"\\ud83d\\ude00\":2,\"\\u0080\":3,\"1\":4,\"\\r\":5}")
                        .text())
                .isEqualTo("{\"\\r\":5,\"1\":4,\"\u0080\":3,\"\ud83d\ude00\":2,\"\ufb33\":1}");
    }

    @ParameterizedTest
    @CsvSource({
        "-0, 0",
        "-0.0, 0",
        "1.0, 1",
        "10e-1, 1",
        "1e21, 1e+21",
        "9007199254740992, 9007199254740992",
        "-9007199254740992, -9007199254740992",
        "5e-324, 5e-324",
        "1.7976931348623157e308, 1.7976931348623157e+308",
        "1e-400, 0"
    })
    void numbersAreWrittenAsEcmaScriptDoes(String given, String canonical) {
        assertThat(Json.parse(given).text()).isEqualTo(canonical);
        assertThat(Json.parse(canonical)).isEqualTo(Json.parse(given));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "9007199254740993",
                "-9007199254740993",
                "9007199254740993.0",
                "1e20",
                "18446744073709551616",
                "1e400",
                "100000000000000000000000000000000000000000000000000000"
            })
    void numbersThatCannotBeToldFromTheirNeighboursAreRefused(String number) {
        for (String text : List.of(number, "[" + number + "]", "{\"a\":[{\"b\":" + number + "}]}")) {
            assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(ProcessException.Invalid.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "[1,]",
                "1 2",
                "{}{}",
                "{\"a\":1,\"a\":2}",
                "nul",
                "NaN",
                "'a'",
                "01",
                "\"\\ud800\"",
                "{\"\\udc00\":1}",
                "\"\\ud83d \\ude00\"",
                "// no\n1"
            })
    void whatIsNoJsonOrHasNoOneMeaningIsRefused(String text) {
        assertThatThrownBy(() -> Json.parse(text)).isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    void whatIsTooDeepOrTooLongIsRefusedBeforeItCostsMuch() {
        assertThat(Json.parse("[".repeat(64) + "]".repeat(64)).text()).hasSize(128);
        assertThatThrownBy(() -> Json.parse("[".repeat(65) + "]".repeat(65)))
                .isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> Json.parse("[".repeat(500_000))).isInstanceOf(ProcessException.Invalid.class);
        assertThatThrownBy(() -> Json.parse("\"" + "x".repeat(Json.LONGEST) + "\""))
                .isInstanceOf(ProcessException.Invalid.class);
    }

    @Test
    void valuesAreEqualExactlyIfTheirMeaningIs() {
        assertThat(Json.parse("{ \"b\" : 1.0, \"a\" : \"\\u0041\" }")).isEqualTo(Json.parse("{\"a\":\"A\",\"b\":1}"));
        assertThat(Json.parse("[1,2]")).isNotEqualTo(Json.parse("[2,1]"));
        assertThat(Json.object(Map.of("z", Json.of(1), "a", Json.array(List.of(Json.NULL, Json.TRUE)))))
                .isEqualTo(Json.parse("{\"a\":[null,true],\"z\":1}"));
        assertThat(Json.of(Json.parse("{\"x\":[1.5]}").tree())).isEqualTo(Json.parse("{\"x\":[1.5]}"));
    }

    @Test
    void namesHaveToBeKeepableByEveryStore() {
        for (String wrong : List.of("", "  ", "a\u0000b", "a\nb", "a\ud800", "x".repeat(513))) {
            assertThatThrownBy(() -> SessionScope.of(wrong)).isInstanceOf(ProcessException.Invalid.class);
            assertThatThrownBy(() -> SessionScope.of("s", wrong)).isInstanceOf(ProcessException.Invalid.class);
            assertThatThrownBy(() -> EventType.plain(wrong)).isInstanceOf(ProcessException.Invalid.class);
            assertThatThrownBy(() -> new ProcessInput(wrong, Json.NULL)).isInstanceOf(ProcessException.Invalid.class);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "note", "a b", "ü€", "\u007f\u2028", "a\"b", "a\\b", "\n\u0001", "\ud83d\ude00", "</script>"
            })
    void aStringIsWrittenAsItIsRead(String value) {
        assertThat(Json.of(value)).isEqualTo(Json.parse(Json.of(value).text()));
        assertThat(Json.of(value).tree()).isEqualTo(new JsonValue.Text(value));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, 1L << 53, -(1L << 53), (1L << 53) - 1, 1_000_000_000_000L})
    void aNumberIsWrittenAsItIsRead(long value) {
        assertThat(Json.of(value)).isEqualTo(Json.parse(Long.toString(value)));
        assertThat(Json.of(value).tree()).isEqualTo(new JsonValue.Numeral(Long.toString(value)));
    }

    @Test
    void namesAreInTheOrderOfTheirUtf8() {
        List<String> names = List.of("", "A", "a", "aa", "é", "\uff5e", "\ud83c\udf01", "\ud83c\udf02");
        for (int i = 0; i < names.size(); i++) {
            for (int j = 0; j < names.size(); j++) {
                assertThat(Integer.signum(CodePoints.ORDER.compare(names.get(i), names.get(j))))
                        .as(names.get(i) + " to " + names.get(j))
                        .isEqualTo(Integer.signum(Integer.compare(i, j)));
            }
        }
    }
}
