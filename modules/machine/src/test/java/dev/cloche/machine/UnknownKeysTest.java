package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.machine.config.ConfigKeys;
import dev.cloche.machine.config.MachineDocument;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Covers the warning about keys that Cloche does not know. */
class UnknownKeysTest {
    private static final Set<String> OF_BLOCK_DEVICES = Set.of(ConfigKeys.PATH, ConfigKeys.READ_ONLY);

    @Test
    void areThoseThatHaveNoName() {
        assertThat(unknown("cpsu = 4\ncpus = 3\n[others]\nx = 1\n")).containsExactly("cpsu", "others");
        assertThat(unknown("\"\" = 1\nCPUS = 4\n")).containsExactly("", "CPUS");
    }

    @Test
    void areNoneOfThoseThatClocheReadsOrWrites() throws IllegalAccessException {
        Set<String> named = new TreeSet<>();
        for (Field field : ConfigKeys.class.getDeclaredFields()) {
            if (field.getType() == String.class) {
                named.add((String) field.get(null));
            }
        }
        named.removeAll(OF_BLOCK_DEVICES);
        assertThat(ConfigKeys.TOP_LEVEL).containsExactlyInAnyOrderElementsOf(named);
    }

    private static Set<String> unknown(String text) {
        return MachineDocument.unknownKeys(text.getBytes(StandardCharsets.UTF_8));
    }
}
