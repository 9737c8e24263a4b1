package dev.cloche.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WarningLoggersTest {
    @Test
    void aWarningOfTheLibraryIsOneSentenceOnStandardError() {
        assertThat(printed(() -> System.getLogger("dev.cloche.pool.WarmPool")
                        .log(System.Logger.Level.WARNING, "the VM resists", new IOException("disk\u001b[2J full"))))
                .isEqualTo("cloche: warning: the VM resists: disk?[2J full.\n");
    }

    @Test
    void whatIsNoWarningIsNotPrinted() {
        assertThat(printed(() -> System.getLogger("x").log(System.Logger.Level.INFO, "started")))
                .isEmpty();
    }

    private static String printed(Runnable work) {
        PrintStream before = System.err;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        System.setErr(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        try {
            work.run();
        } finally {
            System.setErr(before);
        }
        return bytes.toString(StandardCharsets.UTF_8);
    }
}
