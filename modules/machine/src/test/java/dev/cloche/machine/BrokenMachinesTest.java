package dev.cloche.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that cannot be used are shown with their reason, and neither hidden nor touched. */
class BrokenMachinesTest extends StoredMachines {
    @ParameterizedTest
    @ValueSource(strings = {"name", "vm_id"})
    void aFileWithoutNameOrVmIsBroken(String key) throws IOException {
        put("web", "name = \"web\"\nvm_id = \"x\"\n".replaceAll(key + " = .*\n", ""));
        assertThat(broken("web").reason()).isEqualTo("it has no " + key);
    }

    @Test
    void aNewerFileIsRefusedAndLeftUntouched() throws IOException {
        String text = "# of tomorrow\nschema_version = 2\nname = \"web\"\nvm_id = \"x\"\n";
        Path file = put("web", text);
        assertThatThrownBy(() -> store().updateState(WEB, MachineState.RUNNING))
                .isInstanceOfSatisfying(MachineException.Broken.class, refused -> {
                    assertThat(refused.code()).isEqualTo("machine.broken");
                    assertThat(refused).hasMessageContaining("config.toml:2: it has schema version 2");
                    assertThat(refused.remedy()).contains("newer Cloche");
                    assertThat(refused.entry().cause()).isEqualTo(BrokenMachine.Cause.NEWER);
                });
        assertThatThrownBy(() -> SampleMachines.save(store(), SampleMachines.plain("web")))
                .isInstanceOf(MachineException.Broken.class);
        assertThat(file).hasContent(text);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            cpus = = 2                  | 3 | Unexpected '=', expected a value
            cpus = "two"                | 3 | cpus is not an integer
            cpus = 0                    | 3 | 0 CPUs are out of range: give 1 to 64
            memory_mb = 99999999999     | 3 | memory_mb is out of range
            disk_gb = 0                 | 3 | 0 GiB of disk are out of range: give 1 to 16384
            state = "flying"            | 3 | state cannot be "flying"
            created_at = "yesterday"    | 3 | created_at is no date with time and offset
            block_devices = [ 1 ]       | 3 | block_devices is not an array of tables
            env = { A = 1 }             | 3 | env.A is not a string
            env = { "A=B" = "1" }       | 3 | "A=B" is no variable of an environment: names are not empty and have no '='; neither names nor values have a NUL
            publish = [ "1:2", 3 ]      | 3 | publish is not an array of strings
            autostart = "yes"           | 3 | autostart is not true or false
            restart_policy = "maybe"    | 3 | restart_policy cannot be "maybe"
            network = "nat"             | 3 | network cannot be "nat"
            provision = "../x"          | 3 | "../x" is no name of a provisioning script: name a file beside config.toml, without a slash and without a leading dot
            provision = "config.toml"   | 3 | "config.toml" is no name of a provisioning script: name another file beside config.toml, for this one is Cloche's own
            provision = "disk"          | 3 | "disk" is no name of a provisioning script: name another file beside config.toml, for this one is Cloche's own
            init = "upstart"            | 3 | "upstart" is no init: use agent, systemd, openrc, or the absolute path of a program in the image without blanks
            schema_version = -1         | 3 | schema_version is out of range
            name = "twice"              | 3 | name previously defined at line 1, column 1
            """)
    void brokenOnesAreListedWithFileLineAndReasonAndNeverTouched(String line, int number, String reason)
            throws IOException {
        SampleMachines.save(store(), SampleMachines.plain("other"));
        String text = "name = \"web\"\nvm_id = \"x\"\n" + line + "\n";
        Path file = put("web", text);
        Path disk = Files.writeString(base().resolve("web/disk"), "precious");

        assertThat(store().loadAll()).extracting(MachineEntry::name).containsExactly("other", "web");
        BrokenMachine broken = broken("web");
        assertThat(broken.file()).isEqualTo(file);
        assertThat(broken.line()).isEqualTo(OptionalInt.of(number));
        assertThat(broken.reason()).isEqualTo(reason);
        assertThat(broken.cause()).isEqualTo(BrokenMachine.Cause.UNUSABLE);

        assertThatThrownBy(() -> store().load(WEB))
                .isInstanceOf(MachineException.Broken.class)
                .hasMessageContaining(file + ":" + number + ": " + reason);
        assertThatThrownBy(() -> SampleMachines.create(store(), SampleMachines.plain("web")))
                .isInstanceOf(MachineException.NameInUse.class);
        assertThatThrownBy(() -> SampleMachines.save(store(), SampleMachines.plain("web")))
                .isInstanceOf(MachineException.Broken.class);
        assertThatThrownBy(() -> store().update(WEB, machine -> machine)).isInstanceOf(MachineException.Broken.class);
        assertThatThrownBy(() -> store().rename(WEB, new MachineName("b"))).isInstanceOf(MachineException.Broken.class);
        assertThatThrownBy(() -> store().rename(new MachineName("other"), WEB))
                .isInstanceOf(MachineException.NameInUse.class);
        assertThat(file).hasContent(text.stripTrailing());
        assertThat(disk).hasContent("precious");
    }

    @Test
    void whatIsNoTextOrTooLongOrNotReadableIsBrokenToo() throws IOException {
        Path file = put("web", "");
        Files.write(file, new byte[] {'a', '=', '1', '\n', (byte) 0xFF});
        assertThat(broken("web"))
                .extracting(BrokenMachine::line, BrokenMachine::reason)
                .containsExactly(OptionalInt.of(2), "it is no UTF-8");
        Files.write(file, new byte[2 << 20]);
        assertThat(broken("web").reason()).isEqualTo("it is longer than 1048576 bytes");
        Files.delete(file);
        Files.createDirectory(file);
        assertThat(broken("web").reason()).startsWith("it cannot be read");
    }

    @Test
    void aNameThatIsNotItsDirectorysIsBroken() throws IOException {
        put("web", "vm_id = \"x\"\nname = \"db\"\n");
        BrokenMachine broken = broken("web");
        assertThat(broken.reason()).isEqualTo("name is \"db\", and its directory is called web");
        assertThat(broken.line()).isEqualTo(OptionalInt.of(2));
    }

    @Test
    void aDirectoryWhoseNameIsNoneIsBroken() throws IOException {
        put("We b", "name = \"We b\"\nvm_id = \"x\"\n");
        assertThat(broken("We b").reason()).isEqualTo("its directory's name is no name of a machine");
    }

    @Test
    void aDirectoryWithoutAConfigurationKeepsItsName() throws IOException {
        Path disk = Files.createDirectories(base().resolve("web")).resolve("disk");
        Files.writeString(disk, "precious");
        for (var save : List.<Runnable>of(
                () -> SampleMachines.save(store(), SampleMachines.plain("web")),
                () -> SampleMachines.create(store(), SampleMachines.plain("web")))) {
            assertThatThrownBy(save::run)
                    .isInstanceOf(MachineException.NameInUse.class)
                    .hasMessageContaining("no config.toml");
        }
        assertThat(disk).hasContent("precious");
        assertThat(base()).isDirectoryNotContaining("glob:**/.making-*");
    }

    @Test
    void brokenOnesCanBeRemoved() throws IOException {
        put("web", "=");
        assertThat(store().remove(WEB)).isTrue();
        assertThat(store().list()).isEmpty();
    }

    @Test
    void aBrokenFileIsMendedByAReplacement() throws IOException {
        put("web", "name = \"web\"\nvm_id = \"x\"\ncpus = 0\n");
        store().replace(WEB, store().text(WEB), "name = \"web\"\nvm_id = \"x\"\n".getBytes(StandardCharsets.UTF_8));
        assertThat(store().load(WEB).resources().cpus()).isEqualTo(2);
    }
}
