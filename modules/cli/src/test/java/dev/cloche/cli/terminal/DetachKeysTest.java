package dev.cloche.cli.terminal;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import org.junit.jupiter.api.Test;

class DetachKeysTest {
    private static final DetachKeys USUAL = DetachKeys.parse("ctrl-p,ctrl-q");

    private static String passed(DetachFilter filter, String... typed) {
        StringBuilder out = new StringBuilder();
        for (String bytes : typed) {
            out.append(new String(filter.pass(bytes.getBytes(ISO_8859_1), bytes.length()), ISO_8859_1));
        }
        return out.toString();
    }

    @Test
    void keysAreWrittenAsInDocker() {
        assertThat(USUAL.keys()).containsExactly((byte) 16, (byte) 17);
        assertThat(DetachKeys.parse("ctrl-@,a,CTRL-[").keys()).containsExactly((byte) 0, (byte) 'a', (byte) 27);
        for (String bad : new String[] {"", "ctrl-", "ctrl-1", "ab", "a,,b", "ü"}) {
            assertThatThrownBy(() -> DetachKeys.parse(bad)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void theKeysDetachAndAreNotForTheCommandNorIsWhatFollows() {
        DetachFilter filter = new DetachFilter(USUAL);
        assertThat(passed(filter, "ls\r\20", "\21rest", "more")).isEqualTo("ls\r");
        assertThat(filter.detached()).isTrue();
    }

    @Test
    void whatOnlyBeginsLikeTheKeysGoesThrough() {
        DetachFilter filter = new DetachFilter(USUAL);
        assertThat(passed(filter, "\20", "x", "\20\20", "a\21")).isEqualTo("\20x\20\20a\21");
        assertThat(filter.detached()).isFalse();
    }

    @Test
    void keysThatRepeatThemselvesAreFoundWhereverTheyBegin() {
        Random random = new Random(11);
        DetachKeys keys = DetachKeys.parse("a,a,b,a,a,c");
        for (int round = 0; round < 2_000; round++) {
            StringBuilder typed = new StringBuilder();
            for (int i = 0; i < 40; i++) {
                typed.append("abc".charAt(random.nextInt(100) < 60 ? 0 : 1 + random.nextInt(2)));
            }
            int at = typed.indexOf("aabaac");
            DetachFilter filter = new DetachFilter(keys);
            String out = passed(filter, typed.toString());
            assertThat(filter.detached()).isEqualTo(at >= 0);
            if (at >= 0) {
                assertThat(out).isEqualTo(typed.substring(0, at));
            } else {
                assertThat(typed.toString()).startsWith(out);
                assertThat("aabaac").startsWith(typed.substring(out.length()));
            }
        }
    }
}
