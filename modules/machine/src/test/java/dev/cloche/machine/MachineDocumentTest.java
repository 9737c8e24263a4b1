package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.machine.config.DocumentException;
import dev.cloche.machine.config.MachineDocument;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.tomlj.Toml;

/** What people wrote survives what programs change. */
class MachineDocumentTest {
    private static final String BY_HAND = """
            # My machine - ask Jo before you change it!

            name = 'web'      # literal quotes
              cpus=2 # two are enough
            memory_mb   =   2_048
            vm_id = "x"
            created_at = "2025-02-01T10:20:30.123456Z"
            "odd key" = "\\u00e9"
            mystery = [ 1, # one
               2,
            ]
            # about the address
            ip_address = '10.0.0.1' # by hand

            # the environment
            [env]
            A = "1" # first
            'B C' = \"""
            two
            lines\"""

            [[block_devices]]
            # the root
            path = "/x"
            read_only = true
            cache = "none"

            [[block_devices]]
            path = "/y"

            [mine.table]
            z = 1979-05-27T07:32:00Z
            # the end
            """;

    @Test
    void oneChangedValueChangesOneLine() throws Exception {
        MachineDocument document = parse(BY_HAND);
        PersistedMachine machine = document.machine();
        assertThat(text(document.meaning(machine))).isEqualTo(BY_HAND);
        assertThat(text(document.meaning(
                        machine.withResources(machine.resources().withCpus(4)))))
                .isEqualTo(BY_HAND.replace("  cpus=2 #", "  cpus=4 #"));
        assertThat(text(document.meaning(
                        machine.withSettings(machine.settings().withEnv(Map.of("A", "2", "B C", "two\nlines"))))))
                .isEqualTo(BY_HAND.replace("A = \"1\"", "A = \"2\""));
        List<BlockDevice> devices = List.of(new BlockDevice("/z", true), new BlockDevice("/y", false));
        assertThat(text(document.meaning(machine.withForeign(new UnsupportedKeys(
                        Optional.empty(), Optional.empty(), devices, Optional.empty(), Optional.empty())))))
                .isEqualTo(BY_HAND.replace("path = \"/x\"", "path = \"/z\""));
    }

    @Test
    void aValueThatGoesLeavesItsComments() throws Exception {
        MachineDocument document = parse(BY_HAND);
        PersistedMachine machine = document.machine();
        MachineDocument cleared =
                document.meaning(machine.withStatus(machine.status().withIpAddress(Optional.empty())));
        assertThat(text(cleared)).contains("# about the address", "# by hand").doesNotContain("10.0.0.1");
        assertThat(text(cleared.meaning(machine.withSettings(machine.settings().withEnv(Map.of())))))
                .contains("# the environment", "# first", "# about the address", "ip_address = \"10.0.0.1\"");
    }

    @Test
    void devicesComeAndGoOneByOne() throws Exception {
        MachineDocument document = parse(BY_HAND);
        PersistedMachine machine = document.machine();
        List<BlockDevice> more = new ArrayList<>(machine.foreign().blockDevices());
        more.add(new BlockDevice("/new", true));
        MachineDocument grown = document.meaning(withDevices(machine, more));
        assertThat(text(grown)).contains("cache = \"none\"", "/new");
        assertThat(text(grown.meaning(machine)))
                .contains("cache = \"none\"", "# the root")
                .doesNotContain("/new");
        assertThat(grown.meaning(withDevices(machine, List.of()))
                        .machine()
                        .foreign()
                        .blockDevices())
                .isEmpty();
    }

    private static PersistedMachine withDevices(PersistedMachine machine, List<BlockDevice> devices) {
        return machine.withForeign(
                new UnsupportedKeys(Optional.empty(), Optional.empty(), devices, Optional.empty(), Optional.empty()));
    }

    @Test
    void lineEndsStayAsTheyAreAndTheLastMayBeMissing() throws Exception {
        MachineDocument crlf =
                parse("name = \"web\"\r\nvm_id = \"x\"\r\ncpus = 2\r\n# end\r\ncreated_at = \"2025-02-01T10:20:30Z\"");
        String changed = text(crlf.meaning(
                crlf.machine().withResources(crlf.machine().resources().withCpus(9))));
        assertThat(changed).contains("cpus = 9\r\n# end\r\n").startsWith("name = \"web\"\r\n");
    }

    /** Random documents, comments, foreign keys and changes, with strings that break careless writers. */
    @Test
    void allThatIsWrittenIsReadAgainAndWhatIsOthersStays() throws Exception {
        for (long seed = 0; seed < 400; seed++) {
            Random random = new Random(seed);
            HostileText hostile = new HostileText(random);
            List<String> comments = new ArrayList<>();
            Map<String, String> foreign = new TreeMap<>();
            String text = document(random, hostile, comments, foreign);
            MachineDocument document = parse(text);
            PersistedMachine machine = document.machine();
            for (int change = 0; change < 6; change++) {
                machine = ConfigMutations.random(machine, random, hostile);
                document = document.meaning(machine);
                String now = text(document);
                assertThat(parse(now).machine()).as("seed %d", seed).isEqualTo(machine);
                assertThat(now).as("seed %d", seed).contains(comments);
                Map<String, Object> kept = new TreeMap<>(
                        Toml.parse(now).getTableOrEmpty(List.of("others")).toMap());
                assertThat(kept).as("seed %d", seed).isEqualTo(foreign);
            }
        }
    }

    private static String document(
            Random random, HostileText hostile, List<String> comments, Map<String, String> foreign) {
        StringBuilder text = new StringBuilder("name = \"web\"\nvm_id = \"x\"\n");
        List<String> lines = new ArrayList<>(
                List.of("cpus = 2", "state = 'created'", "ip_address = \"1\"", "last_error = \"x\"", "publish = []"));
        java.util.Collections.shuffle(lines, random);
        lines.forEach(
                line -> text.append(comment(random, comments)).append(line).append('\n'));
        text.append(comment(random, comments))
                .append("[env]\n")
                .append(comment(random, comments))
                .append("Z = '1'\n");
        text.append(comment(random, comments)).append("[others]\n");
        for (int i = random.nextInt(5); i >= 0; i--) {
            String key = hostile.next();
            String value = hostile.next();
            if (foreign.putIfAbsent(key, value) == null) {
                text.append(comment(random, comments));
                text.append('"')
                        .append(Toml.tomlEscape(key))
                        .append("\" = \"")
                        .append(Toml.tomlEscape(value))
                        .append("\"\n");
            }
        }
        return text.append(comment(random, comments)).toString();
    }

    private static String comment(Random random, List<String> comments) {
        String comment = "# note " + comments.size() + " = [\"'{ \u00e9 " + random.nextInt(1000) + " # again";
        comments.add(comment);
        return random.nextBoolean() ? comment + "\n" : comment + "\n\n";
    }

    private static MachineDocument parse(String text) throws DocumentException {
        return MachineDocument.parse(text.getBytes(StandardCharsets.UTF_8), "web", Instant.EPOCH);
    }

    private static String text(MachineDocument document) {
        return new String(document.bytes(), StandardCharsets.UTF_8);
    }
}
