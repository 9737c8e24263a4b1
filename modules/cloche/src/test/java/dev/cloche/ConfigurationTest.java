package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.image.RegistryMirror;
import dev.cloche.interpreter.Language;
import dev.cloche.pool.PoolConfig;
import dev.cloche.vm.Isolation;
import dev.cloche.vm.VmLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigurationTest {
    @TempDir
    Path directory;

    @Test
    void withoutAFileThereIsNothingToSay() {
        assertThat(Configuration.read(directory.resolve("config.toml")))
                .isEqualTo(new Configuration(
                        Map.of(),
                        Set.of(),
                        List.of(),
                        OptionalLong.empty(),
                        PoolConfig.DEFAULT.budget(),
                        Optional.empty(),
                        false,
                        VmLimits.DEFAULT,
                        Map.of()));
    }

    @Test
    void everyKeyIsRead() throws IOException {
        Configuration settings = read("""
                isolation = "sealed"
                on-alarm = "stop"
                certificate-authorities = ["/etc/ssl/a.pem", "/etc/ssl/b.pem"]

                [registry."docker.io"]
                mirrors = ["mirror.example:5000", "proxy.example/docker"] # the second is slower

                [registry."registry.example:5000"]
                plain-http = true

                [registry."ghcr.io"]
                plain-http = false
                mirrors = []

                [images]
                keep = "20g"

                [pools]
                vms = 200
                memory = "48g"

                [interpreter]
                python = "python:3.13-slim"
                """);
        assertThat(settings)
                .isEqualTo(new Configuration(
                        Map.of(
                                "docker.io",
                                List.of(
                                        RegistryMirror.parse("mirror.example:5000"),
                                        RegistryMirror.parse("proxy.example/docker")),
                                "ghcr.io",
                                List.of()),
                        Set.of("registry.example:5000"),
                        List.of(Path.of("/etc/ssl/a.pem"), Path.of("/etc/ssl/b.pem")),
                        OptionalLong.of(20L << 30),
                        new PoolConfig.Budget(200, 48 << 10),
                        Optional.of(Isolation.SEALED),
                        true,
                        VmLimits.DEFAULT,
                        Map.of(Language.PYTHON, "python:3.13-slim")));
    }

    @Test
    void anAlarmIsRecordedUnlessItIsToStopTheVm() throws IOException {
        assertThat(read("").alarmEnds()).isFalse();
        assertThat(read("on-alarm = \"record\"").alarmEnds()).isFalse();
        assertThat(read("on-alarm = \"stop\"").alarmEnds()).isTrue();
    }

    @Test
    void limitsAreReadAndTheOthersStayAsUsual() throws IOException {
        OptionalLong none = OptionalLong.empty();
        assertThat(read("limits.sandboxes = 8").limits())
                .isEqualTo(new VmLimits(
                        VmLimits.DEFAULT.memory(),
                        VmLimits.DEFAULT.memoryFloor(),
                        VmLimits.DEFAULT.pressure(),
                        VmLimits.DEFAULT.diskFloor(),
                        new VmLimits.Amount.None(),
                        new VmLimits.Bound(none, none, OptionalLong.of(8), none),
                        Map.of(),
                        VmLimits.Clones.EXPECTED,
                        VmLimits.UnderPressure.RETIRE_POOLS));
        assertThat(read("""
                [limits]
                memory = "50%"
                memory-floor = "2g"
                pressure = "off"
                disk-floor = "off"
                state-disk = "20%"
                under-pressure = "nothing"
                cpus = 16
                disk = "1t"

                [limits.label."team=a"]
                memory = "8g"
                cpus = 4
                sandboxes = 10
                disk = "100g"
                """).limits())
                .isEqualTo(new VmLimits(
                        new VmLimits.Amount.Share(50, 0),
                        new VmLimits.Amount.Size(2048),
                        OptionalInt.empty(),
                        new VmLimits.Amount.None(),
                        new VmLimits.Amount.Share(20, 0),
                        new VmLimits.Bound(none, OptionalLong.of(16), none, OptionalLong.of(1 << 20)),
                        Map.of(
                                "team=a",
                                new VmLimits.Bound(
                                        OptionalLong.of(8192),
                                        OptionalLong.of(4),
                                        OptionalLong.of(10),
                                        OptionalLong.of(102_400))),
                        VmLimits.Clones.FULL,
                        VmLimits.UnderPressure.NOTHING));
        assertThat(read("").limits().group()).isEqualTo(new VmLimits.Group.Delegated());
        assertThat(read("limits.control-group = \"auto\"").limits()).isEqualTo(VmLimits.DEFAULT);
        assertThat(read("limits.control-group = \"off\"").limits().group()).isEqualTo(new VmLimits.Group.None());
        assertThat(read("limits.control-group = \"/sys/fs/cgroup/a.slice/b@1.service/c..d\"")
                        .limits()
                        .group())
                .isEqualTo(new VmLimits.Group.Below("/sys/fs/cgroup/a.slice/b@1.service/c..d"));
        assertThat(read("limits.clones = \"full\"").limits().clones()).isEqualTo(VmLimits.Clones.FULL);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "x = 1                                        | line 1: \"x\" is not known",
                "registry = 1                                 | line 1: \"registry\" is no table",
                "isolation = \"best\"                         | line 1: \"isolation\" is no level",
                "isolation = 1                                | line 1: \"isolation\" is no level",
                "on-alarm = \"kill\"                          | line 1: \"on-alarm\" is not known: write \"record\"",
                "on-alarm = true                              | line 1: \"on-alarm\" is not known: write \"record\"",
                "limits = 1                                   | line 1: \"limits\" is no table",
                "limits.memory = 12                           | line 1: \"memory\" is no amount",
                "limits.memory = \"0%\"                        | line 1: \"memory\" is no amount",
                "limits.memory = \"101%\"                      | line 1: \"memory\" is no amount",
                "limits.memory-floor = \"-1g\"                 | line 1: \"memory-floor\" is no amount",
                "limits.state-disk = 40                       | line 1: \"state-disk\" is no amount",
                "limits.pressure = 0                          | line 1: \"pressure\" is no percentage",
                "limits.pressure = \"10%\"                     | line 1: \"pressure\" is no percentage",
                "limits.cpus = 0                              | line 1: \"cpus\" is no number",
                "limits.sandboxes = 1.5                       | line 1: \"sandboxes\" is no number",
                "limits.disk = \"50%\"                         | line 1: \"disk\" is no size",
                "limits.clones = \"some\"                      | line 1: \"clones\" is neither",
                "limits.control-group = true                  | line 1: \"control-group\" is no control group",
                "limits.control-group = \"cloche\"             | line 1: \"control-group\" is no control group",
                "limits.control-group = \"/\"                  | line 1: \"control-group\" is no control group",
                "limits.control-group = \"/a/../b\"            | line 1: \"control-group\" is no control group",
                "limits.control-group = \"/a/.\"               | line 1: \"control-group\" is no control group",
                "limits.control-group = \"/a//b\"              | line 1: \"control-group\" is no control group",
                "limits.control-group = \"/a b\"               | line 1: \"control-group\" is no control group",
                "limits.swap = 1                              | line 1: \"swap\" is not known",
                "limits.label = 1                             | line 1: \"label\" is no table",
                "[limits.label.team]; cpus = 1                | \"team\" is no label",
                "[limits.label.\"a=b\"]; cpu = 1               | line 2: \"cpu\" is not known",
                "[limits.label.\"a=b\"]; memory = \"10%\"      | line 2: \"memory\" is no size",
                "images = 1                                   | line 1: \"images\" is no table",
                "images.keep = 20                             | line 1: \"keep\" is no size: write for example \"20g\"",
                "images.keep = \"much\"                         | line 1: \"keep\" is no size: write for example \"20g\"",
                "images.kept = \"20g\"                          | line 1: \"kept\" is not known",
                "registry.a = 1                               | line 1: \"a\" is no table",
                "[registry.a]; mirror = []                    | line 2: \"mirror\" is not known",
                "[registry.a]; mirrors = 'b'                  | line 2: \"mirrors\" is no list of strings",
                "[registry.a]; mirrors = [1]                  | line 2: \"mirrors\" is no list of strings",
                "[registry.a]; mirrors = ['http://b']         | line 2: \"mirrors\" is wrong: a mirror is given as",
                "[registry.a]; plain-http = 'yes'             | line 2: \"plain-http\" is neither true nor false",
                "certificate-authorities = ['a.pem']          | names a path that is not absolute",
                "this is no toml                              | line 1",
            })
    void whatIsNotUnderstoodIsRefusedWithItsLine(String text, String complaint) {
        assertThatThrownBy(() -> read(text.replace("; ", "\n")))
                .isInstanceOf(HostException.ConfigInvalid.class)
                .hasMessageContaining(complaint)
                .hasMessageContaining("config.toml");
    }

    @Test
    void aFileThatChangesIsReadAgain() throws IOException {
        ConfigurationFile file = new ConfigurationFile(directory);
        assertThat(file.read().isolation()).isEmpty();
        read("isolation = \"full\"");
        assertThat(file.read().isolation()).contains(Isolation.FULL);
        assertThat(file.read()).isSameAs(file.read());
        Files.delete(directory.resolve("config.toml"));
        assertThat(file.read().isolation()).isEmpty();
    }

    private Configuration read(String text) throws IOException {
        return Configuration.read(Files.writeString(directory.resolve("config.toml"), text));
    }
}
