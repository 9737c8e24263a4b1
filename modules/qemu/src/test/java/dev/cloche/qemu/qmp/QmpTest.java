package dev.cloche.qemu.qmp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QmpTest {
    private static QmpAnswer parse(String line) throws IOException {
        return QmpAnswer.parse(line.getBytes(UTF_8));
    }

    @Test
    void aCommandIsOneLineWithAllArguments() {
        QmpCommand command = new QmpCommand("chardev-add", Map.of("backend", Map.of("path", "/a \"b\"\n,{}")));
        assertThat(new String(command.line(), UTF_8))
                .endsWith("}\n")
                .containsOnlyOnce("\n")
                .contains("{\"backend\":{\"path\":\"/a \\\"b\\\"\\n,{}\"}}", "\"execute\":\"chardev-add\"");
        assertThat(new String(new QmpCommand("x", Map.of("nr", 2)).line(), UTF_8))
                .contains("{\"nr\":2}");
        assertThat(new String(new QmpCommand("x", Map.of("wait", false)).line(), UTF_8))
                .contains("{\"wait\":false}");
    }

    @Test
    void eachKindOfAnswerIsToldApartWhereverItsKeyStands() throws IOException {
        assertThat(parse("{\"QMP\":{\"version\":{},\"capabilities\":[]}}")).isEqualTo(new QmpAnswer.Greeting());
        assertThat(parse("{\"return\":[{\"error\":1}]}")).isEqualTo(new QmpAnswer.Done(Map.of(), 1));
        assertThat(parse("{\"return\":{\"status\":\"paused\",\"running\":false,\"a\":{\"b\":\"c\"}}}"))
                .isEqualTo(new QmpAnswer.Done(Map.of("status", "paused"), 0));
        assertThat(parse("{\"timestamp\":{\"return\":1},\"event\":\"STOP\"}"))
                .isEqualTo(new QmpAnswer.Event("STOP", Map.of()));
        assertThat(parse("{\"data\":{\"status\":\"active\"},\"event\":\"MIGRATION\"}"))
                .isEqualTo(new QmpAnswer.Event("MIGRATION", Map.of("status", "active")));
        assertThat(parse("{\"error\":{\"class\":\"DeviceNotFound\",\"more\":[1],\"desc\":\"none\"}}"))
                .isEqualTo(new QmpAnswer.Refused("DeviceNotFound", "none"));
    }

    @Test
    void whatIsNoAnswerIsRefused() {
        for (String wrong : List.of("", "[]", "{}", "{\"a\":1}", "{\"error\":{\"class\":", "return", "{\"a\":")) {
            assertThatThrownBy(() -> parse(wrong)).as(wrong).isInstanceOf(IOException.class);
        }
    }
}
