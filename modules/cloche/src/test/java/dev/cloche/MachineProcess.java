package dev.cloche;

import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** A second process for tests: makes and starts a machine that counts, says {@code ready}, and waits until it is killed. */
final class MachineProcess {
    private MachineProcess() {}

    public static void main(String[] arguments) {
        Cloche cloche = MachinesInVms.opened(Path.of(arguments[0]));
        Machines machines = cloche.machines();
        machines.create(arguments[1], "base").memoryMib(256).cpus(1).diskGib(1).make();
        Machine machine = machines.start(arguments[1]);
        MachinesInVms.beginCounter(machine);
        System.out.println("ready");
        while (true) {
            LockSupport.park();
        }
    }
}
