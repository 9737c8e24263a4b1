package dev.cloche.machine;

import java.util.List;
import java.util.Random;

/** Strings that break careless writers of TOML, from a seed. */
final class HostileText {
    private static final List<String> PIECES = List.of(
            "\"",
            "\"\"\"",
            "'''",
            "\\",
            "\\u0041",
            "\n",
            "\r\n",
            "\r",
            "\t",
            "#",
            "=",
            ".",
            "[",
            "]",
            "[[x]]",
            "{",
            "}",
            ",",
            " ",
            "\u0001",
            "\u001f",
            "\u007f",
            "\u0085",
            "\u2028",
            "\ufeff",
            "\u00e9",
            "\ud83d\ude00",
            "true",
            "1e9",
            "inf",
            "2026-01-01",
            "$(x)",
            "\\\n",
            "key = 1\n",
            "\u202e");

    private final Random random;

    HostileText(Random random) {
        this.random = random;
    }

    String next() {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(PIECES.get(random.nextInt(PIECES.size())));
        }
        return text.toString();
    }

    /** A name of a variable. */
    String name() {
        return "v" + next().replace("=", "");
    }
}
