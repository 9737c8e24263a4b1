package dev.cloche;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.base.ClocheException;
import dev.cloche.base.InstalledShare;
import dev.cloche.machine.BrokenMachine;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Directories of real machines that are copied by hand, and what is left where a directory is deleted by hand. */
class MachineCopiesIT extends MachinesInVms {
    @Test
    void aCopyLeavesItsOriginalAloneAndIsAMachineOfItsOwnWhenItIsAdopted() throws Exception {
        small("web").make();
        try (Machine web = machines.start("web")) {
            web.files().writeString("/root/mark", "of web");
            web.exec("sync");
        }
        machines.stop("web", GRACE);
        machines.snapshot("web", "first", false);
        machines.start("web").close();
        machines.suspend("web");
        copyByHand("web", "two");
        assertThatThrownBy(() -> machines.start("two")).hasMessageContaining("vm_id");
        assertThat(machines.list().broken()).extracting(BrokenMachine::name).containsExactly("two");

        machines.adopt("two");
        try (Machine two = machines.start("two");
                Machine web = machines.start("web")) {
            assertThat(two.files().readString("/root/mark")).isEqualTo("of web");
            two.files().writeString("/root/mark", "of two");
            assertThat(web.files().readString("/root/mark")).isEqualTo("of web");
            assertThat(two.exec("cat", "/etc/machine-id").stdoutText())
                    .isNotEqualTo(web.exec("cat", "/etc/machine-id").stdoutText());
            copyByHand("web", "three");
            machines.remove("three", true);
            assertThat(web.exec("true").exitCode()).isZero();
            assertThatThrownBy(() -> cloche.images().remove("base", false)).isInstanceOf(ClocheException.class);
        }
        machines.remove("two", true);
        try (Machine web = machines.connect("web")) {
            assertThat(web.files().readString("/root/mark")).isEqualTo("of web");
        }
        deleteByHand("web");
        assertThat(Cloche.catalog(ClocheOptions.ofEnvironment()
                                .withHome(home.resolve("state"))
                                .withShare(InstalledShare.require()))
                        .check())
                .singleElement()
                .asString()
                .contains("\"web\"", "a VM", "cloche.maintain()");
        assertThat(cloche.maintain().machines()).isEqualTo(1);
    }

    private void copyByHand(String from, String to) throws Exception {
        Path base = home.resolve("state/machines");
        run("cp", "-r", base.resolve(from).toString(), base.resolve(to).toString());
        Path config = base.resolve(to).resolve("config.toml");
        Files.writeString(config, Files.readString(config).replace("name = \"" + from + "\"", "name = \"" + to + "\""));
    }

    private void deleteByHand(String name) throws Exception {
        run("rm", "-r", home.resolve("state/machines").resolve(name).toString());
    }

    private static void run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String words = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(words).isZero();
    }
}
