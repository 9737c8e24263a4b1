package dev.cloche.cli.machine;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;

/** The commands of {@code cloche machine}, in the order of its help. */
public final class MachineCommands {
    private MachineCommands() {}

    public static Map<String, Supplier<Callable<Integer>>> all() {
        Map<String, Supplier<Callable<Integer>>> all = new LinkedHashMap<>();
        all.put("create", MachineCreateCommand::new);
        all.put("start", MachineStartCommand::new);
        all.put("stop", MachineStopCommand::new);
        all.put("restart", MachineRestartCommand::new);
        all.put("ls", MachineLsCommand::new);
        all.put("inspect", MachineInspectCommand::new);
        all.put("shell", MachineShellCommand::new);
        all.put("exec", MachineExecCommand::new);
        all.put("cp", MachineCpCommand::new);
        all.put("edit", MachineEditCommand::new);
        all.put("set", MachineSetCommand::new);
        all.put("apply", MachineApplyCommand::new);
        all.put("suspend", MachineSuspendCommand::new);
        all.put("resume", MachineResumeCommand::new);
        all.put("snapshot", MachineSnapshotCommand::new);
        all.put("restore", MachineRestoreCommand::new);
        all.put("clone", MachineCloneCommand::new);
        all.put("adopt", MachineAdoptCommand::new);
        all.put("export", MachineExportCommand::new);
        all.put("import", MachineImportCommand::new);
        all.put("rename", MachineRenameCommand::new);
        all.put("rm", MachineRmCommand::new);
        all.put("wait", MachineWaitCommand::new);
        all.put("events", MachineEventsCommand::new);
        all.put("default", MachineDefaultCommand::new);
        all.put("autostart", MachineAutostartCommand::new);
        all.put("recover", MachineRecoverCommand::new);
        return all;
    }
}
