package dev.cloche.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.erdtman.jcs.JsonCanonicalizer;
import org.erdtman.jcs.NumberToJSON;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Holds the canonical form against the RFC's own samples and against another implementation, on generated documents. */
class CanonicalFormTest {
    private static final int DOUBLES = 2_000;
    private static final int DOCUMENTS = 1_000;
    private static final int DEPTH = 5;

    private final Random random = new Random(8785);

    /** RFC 8785, appendix B, but for the numbers that are refused here: from 2^53 to 1e21. */
    @ParameterizedTest
    @CsvSource({
        "0000000000000000, 0",
        "8000000000000000, 0",
        "0000000000000001, 5e-324",
        "8000000000000001, -5e-324",
        "7fefffffffffffff, 1.7976931348623157e+308",
        "ffefffffffffffff, -1.7976931348623157e+308",
        "44b52d02c7e14af5, 9.999999999999997e+22",
        "44b52d02c7e14af6, 1e+23",
        "44b52d02c7e14af7, 1.0000000000000001e+23",
        "444b1ae4d6e2ef50, 1e+21",
        "3eb0c6f7a0b5ed8c, 9.999999999999997e-7",
        "3eb0c6f7a0b5ed8d, 0.000001",
        "41b3de4355555553, 333333333.3333332",
        "41b3de4355555554, 333333333.33333325",
        "41b3de4355555555, 333333333.3333333",
        "41b3de4355555556, 333333333.3333334",
        "41b3de4355555557, 333333333.33333343",
        "becbf647612f3696, -0.0000033333333333333333",
        "4340000000000000, 9007199254740992",
        "c340000000000000, -9007199254740992"
    })
    void numbersAreWrittenAsInTheAppendixOfTheRfc(String bits, String text) {
        double value = Double.longBitsToDouble(Long.parseUnsignedLong(bits, 16));
        // Without a fraction it stands for an integer, of which 2^53 is the last.
        String given = text.contains("9007199254740992") ? text : Double.toString(value);
        assertThat(Json.parse(given).text()).isEqualTo(text);
    }

    @Test
    void numbersAreWrittenAsByAnotherImplementation() throws IOException {
        List<String> different = new ArrayList<>();
        for (double value : doubles().toList()) {
            double magnitude = Math.abs(value);
            if (!Double.isFinite(value) || (magnitude >= 1L << 53 && magnitude < 1e21)) {
                continue;
            }
            String actual = Json.parse(Double.toString(value)).text();
            if (Double.parseDouble(actual) != value) {
                different.add(Double.toString(value) + ": " + actual);
            }
            // Below, the other one writes 1e-320 in 79 characters, and never comes to an end with some.
            if (magnitude < Double.MIN_NORMAL) {
                continue;
            }
            String expected = NumberToJSON.serializeNumber(value);
            if (!actual.equals(expected)) {
                different.add(Double.toString(value) + ": " + actual + " for " + expected);
            }
        }
        assertThat(different).isEmpty();
    }

    /** Returns any double, some of every size, decimal ones, the smallest of all, and the neighbours of powers. */
    private Stream<Double> doubles() {
        Stream<Double> anyBits = random.longs(DOUBLES).mapToObj(Double::longBitsToDouble);
        Stream<Double> decimals = random.longs(DOUBLES / 2, -1_000_000_000L, 1_000_000_000L)
                .mapToObj(value -> value / Math.pow(10, random.nextInt(12)));
        Stream<Double> smallest = IntStream.rangeClosed(0, 300).mapToObj(Double::longBitsToDouble);
        Stream<Double> nearPowers = IntStream.rangeClosed(-1074, 1023)
                .filter(exponent -> exponent % 7 == 0)
                .mapToObj(exponent -> Math.scalb(1.0, exponent))
                .flatMap(CanonicalFormTest::neighbours);
        Stream<Double> nearTens = IntStream.rangeClosed(-323, 308)
                .filter(exponent -> exponent % 3 == 0)
                .mapToObj(exponent -> Double.parseDouble("1e" + exponent))
                .flatMap(CanonicalFormTest::neighbours);
        return Stream.of(anyBits, decimals, smallest, nearPowers, nearTens).flatMap(all -> all);
    }

    private static Stream<Double> neighbours(double value) {
        return Stream.of(Math.nextDown(value), value, Math.nextUp(value), -value, value * 3, value * 7);
    }

    @Test
    void documentsAreWrittenAsByAnotherImplementation() throws IOException {
        for (int i = 0; i < DOCUMENTS; i++) {
            String document = value(DEPTH);
            // It takes arrays and objects alone.
            String expected = new JsonCanonicalizer("[" + document + "]").getEncodedString();
            Json json = Json.parse(document);
            assertThat("[" + json.text() + "]").as(document).isEqualTo(expected);
            assertThat(Json.of(json.tree())).isEqualTo(json);
            assertThat(Json.parse(json.text())).isEqualTo(json);
        }
    }

    private String value(int depth) {
        return switch (random.nextInt(depth > 0 ? 8 : 6)) {
            case 0 -> List.of("null", "true", "false").get(random.nextInt(3));
            case 1 -> Long.toString(random.nextLong(-(1L << 53), (1L << 53) + 1));
            case 2 -> Integer.toString(random.nextInt(100));
            case 3 -> decimal();
            case 4, 5 -> string();
            case 6 -> {
                List<String> items = new ArrayList<>();
                for (int i = random.nextInt(5); i > 0; i--) {
                    items.add(value(depth - 1));
                }
                yield space() + "[" + String.join(",", items) + space() + "]";
            }
            default -> {
                List<String> members = new ArrayList<>();
                for (int i = random.nextInt(6); i > 0; i--) {
                    // The number keeps names apart.
                    String name = string();
                    members.add(name.substring(0, name.length() - 1) + i + "\"" + space() + ":" + value(depth - 1));
                }
                yield "{" + space() + String.join("," + space(), members) + "}";
            }
        };
    }

    private String decimal() {
        int exponent = random.nextInt(-40, 6);
        return (random.nextBoolean() ? "-" : "") + random.nextInt(1000) + "." + random.nextInt(1_000_000)
                + (random.nextBoolean() ? "e" + exponent : random.nextBoolean() ? "E+" + random.nextInt(9) : "");
    }

    private String space() {
        return List.of("", " ", "\n\t", "\r\n").get(random.nextInt(4));
    }

    private String string() {
        StringBuilder text = new StringBuilder("\"");
        for (int i = random.nextInt(8); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0 -> text.append(String.format("\\u%04X", random.nextInt(0x20)));
                case 1 ->
                    text.append(List.of("\\\"", "\\\\", "\\/", "\\b", "\\t", "\\n", "\\f", "\\r")
                            .get(random.nextInt(8)));
                case 2 -> text.appendCodePoint(random.nextInt(0x10000, 0x110000));
                case 3 -> text.append((char) random.nextInt(0xe000, 0x10000));
                case 4 -> text.append((char) random.nextInt(0x7f, 0xd800));
                default -> text.append((char) random.nextInt('a', '{'));
            }
        }
        return text.append('"').toString();
    }
}
