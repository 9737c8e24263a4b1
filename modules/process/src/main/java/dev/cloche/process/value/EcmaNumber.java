package dev.cloche.process.value;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;

/**
 * Writes doubles as ECMAScript does (ECMA-262, {@code Number::toString}), which is what RFC 8785 asks for: the fewest
 * digits from which the same double is read, and of those the nearest. Stateless.
 */
final class EcmaNumber {
    /** Powers of ten from which, and up to which, a number is written without an exponent. */
    private static final int SMALLEST = -6;

    private static final int LARGEST = 21;

    private EcmaNumber() {}

    /**
     * Returns the text.
     *
     * @param value finite
     */
    static String text(double value) {
        if (value == 0) {
            return "0";
        }
        BigDecimal shortest = shortest(Math.abs(value));
        String digits = shortest.unscaledValue().toString();
        // It is 0.DIGITS times ten to this power.
        int point = digits.length() - shortest.scale();
        StringBuilder text = new StringBuilder(value < 0 ? "-" : "");
        if (point > LARGEST || point <= SMALLEST) {
            text.append(digits.charAt(0));
            if (digits.length() > 1) {
                text.append('.').append(digits, 1, digits.length());
            }
            int exponent = point - 1;
            return text.append(exponent < 0 ? "e-" : "e+")
                    .append(Math.abs(exponent))
                    .toString();
        }
        if (point <= 0) {
            return text.append("0.").repeat("0", -point).append(digits).toString();
        }
        if (point >= digits.length()) {
            return text.append(digits).repeat("0", point - digits.length()).toString();
        }
        return text.append(digits, 0, point)
                .append('.')
                .append(digits, point, digits.length())
                .toString();
    }

    /** Returns it without zeros at its end. */
    private static BigDecimal shortest(double value) {
        if (value < Double.MIN_NORMAL) {
            // The JDK writes two digits where one would do, which only here are others: 4.9E-324 for 5e-324.
            BigDecimal one = new BigDecimal(value).round(new MathContext(1, RoundingMode.HALF_EVEN));
            if (one.doubleValue() == value) {
                return one.stripTrailingZeros();
            }
        }
        return new BigDecimal(Double.toString(value)).stripTrailingZeros();
    }
}
