package dev.cloche.machine;

import dev.cloche.machine.config.MachineStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A second process that writes machines. It says {@code ready} and the id of its thread, and begins when it is told to.
 *
 * <p>{@code BASE update KEY TIMES} counts a label up; {@code BASE save CPUS} saves the machine once.
 */
final class StoreProcess {
    private StoreProcess() {}

    public static void main(String[] arguments) throws IOException {
        MachineStore store = new MachineStore(Path.of(arguments[0]));
        if (arguments[1].equals("save")) {
            // What is loaded by a first save is not in the trace of the second.
            MachineStore other = new MachineStore(Path.of(arguments[0] + "-rehearsal"));
            SampleMachines.save(other, SampleMachines.full());
            SampleMachines.save(other, SampleMachines.full().withResources(new MachineResources(9, 999, 9)));
            other.remove(SampleMachines.WEB);
        }
        ready();
        if (arguments[1].equals("update")) {
            for (int i = 0; i < Integer.parseInt(arguments[3]); i++) {
                store.update(SampleMachines.WEB, machine -> TestLabels.counted(machine, arguments[2]));
            }
        } else {
            MachineResources resources = new MachineResources(Integer.parseInt(arguments[2]), 999, 9);
            SampleMachines.save(store, SampleMachines.full().withResources(resources));
        }
        System.out.println("done");
    }

    private static void ready() throws IOException {
        String thread = Files.readSymbolicLink(Path.of("/proc/thread-self"))
                .getFileName()
                .toString();
        System.out.write(("ready " + thread + "\n").getBytes(StandardCharsets.UTF_8));
        System.out.flush();
        if (System.in.read() < 0) {
            throw new IOException("standard input ended before the word");
        }
    }
}
