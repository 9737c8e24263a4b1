package dev.cloche.qemu.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.cloche.linux.LockFile;
import dev.cloche.qemu.VmLayout;
import dev.cloche.vm.ExitStatus;
import dev.cloche.vm.Goodbye;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmState;
import dev.cloche.vmm.protocol.GuestFrames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the files of a VM say of its state, and of its end. */
class VmDirectoryTest {
    private static final String EXIT = """
            {"version":1,"cause":"%s","exitCode":%s,"signal":%s,"startedAt":1700000000000,"endedAt":1700000001000,\
            "goodbye":"%s"}""";

    @TempDir
    Path directory;

    @Test
    void aHeldLockIsARunningVmAndAFreeOneHasEnded() throws IOException {
        Path vm = vm("a");
        assertThat(info("a").state()).isEqualTo(VmState.CREATED);
        guarded(vm);
        try (LockFile _ = LockFile.tryLock(vm.resolve("lock")).orElseThrow()) {
            assertThat(info("a").state()).isEqualTo(VmState.RUNNING);
            assertThat(info("a").guard().orElseThrow().pid()).isEqualTo(4711);
        }
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        assertThat(info("a").exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.GUARD_LOST);
    }

    @Test
    void theGuardsRecordTellsHowAVmEnded() throws IOException {
        Path vm = vm("a");
        guarded(vm);
        byte[] words = GuestFrames.goodbye(
                        new Goodbye(Goodbye.Reason.MAIN_ENDED, Optional.of(new ExitStatus.Exited(3))))
                .array();
        Files.writeString(
                vm.resolve("exit.json"),
                EXIT.formatted("exited", "0", "null", HexFormat.of().formatHex(words)));
        VmExit exit = info("a").exit().orElseThrow();
        assertThat(exit.mainExit()).contains(new ExitStatus.Exited(3));
        assertThat(exit.processExitCode()).hasValue(0);
        assertThat(exit.endedAt()).isEqualTo(Instant.ofEpochMilli(1700000001000L));
        assertThat(info("a").state()).isEqualTo(VmState.STOPPED);

        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("exited", "0", "null", "00ff"));
        assertThat(info("a").exit().orElseThrow().crashed()).isTrue();
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);

        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("max-duration", "null", "9", ""));
        assertThat(info("a").exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.MAX_DURATION);
        assertThat(info("a").state()).isEqualTo(VmState.STOPPED);
    }

    @Test
    void anEndThatWasAskedForIsNoCrash() throws IOException {
        Path vm = vm("a");
        guarded(vm);
        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("exited", "0", "null", ""));
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        VmNote.STOP_ASKED.leave(vm);
        assertThat(info("a").exit().orElseThrow().cause()).isEqualTo(VmExit.Cause.STOPPED);
        assertThat(info("a").state()).isEqualTo(VmState.STOPPED);
    }

    @Test
    void onlyASigkillThatTheKernelGaveForWantOfMemoryIsOutOfMemory() throws IOException {
        Path vm = vm("a");
        guarded(vm);
        String ended = EXIT.formatted("exited", "null", "9", "");
        assertThat(causeOf(vm, ended)).isEqualTo(VmExit.Cause.EXITED);
        assertThat(causeOf(vm, withKills(ended, "null"))).isEqualTo(VmExit.Cause.EXITED);
        assertThat(causeOf(vm, withKills(ended, "0"))).isEqualTo(VmExit.Cause.EXITED);
        assertThat(causeOf(vm, withKills(ended, "1"))).isEqualTo(VmExit.Cause.OUT_OF_MEMORY);
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        // The kernel ends the group as a whole, and passt may be the first that its guard sees.
        assertThat(causeOf(vm, withKills(EXIT.formatted("network-ended", "null", "9", ""), "2")))
                .isEqualTo(VmExit.Cause.OUT_OF_MEMORY);
        // Its guard's own SIGKILL, and an end that came by itself, are what they were.
        assertThat(causeOf(vm, withKills(EXIT.formatted("killed", "null", "9", ""), "1")))
                .isEqualTo(VmExit.Cause.KILLED);
        assertThat(causeOf(vm, withKills(EXIT.formatted("exited", "0", "null", ""), "1")))
                .isEqualTo(VmExit.Cause.EXITED);
    }

    private VmExit.Cause causeOf(Path vm, String record) throws IOException {
        Files.writeString(vm.resolve("exit.json"), record);
        return info("a").exit().orElseThrow().cause();
    }

    private static String withKills(String record, String kills) {
        return record.replace("}", ",\"memoryPeak\":1,\"oomKills\":" + kills + "}");
    }

    @Test
    void aVmWhoseBootsWereAllKilledHasFailed() throws IOException {
        Path vm = vm("a");
        VmNote.START_FAILED.leave(vm);
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        guarded(vm);
        Files.writeString(vm.resolve("exit.json"), EXIT.formatted("killed", "null", "9", ""));
        assertThat(info("a").state()).isEqualTo(VmState.FAILED);
        new GuardFiles(vm).clear();
        assertThat(info("a").state()).isEqualTo(VmState.CREATED);
    }

    @Test
    void aDamagedRecordIsAnErrorAndNotAnAbsence() throws IOException {
        Path vm = vm("a");
        guarded(vm);
        for (String damaged : List.of("", "{", "[]", "{\"version\":2}", EXIT.formatted("magic", "0", "null", ""))) {
            Files.writeString(vm.resolve("exit.json"), damaged);
            assertThatThrownBy(() -> info("a")).as(damaged).isInstanceOf(VmException.Storage.class);
        }
    }

    @Test
    void aGuardsRecordThatAHostsCrashLeftEmptyIsNone() throws IOException {
        Path vm = Files.createDirectories(directory.resolve("vms/crashed"));
        Files.createFile(vm.resolve("guard.json"));
        VmDirectory vms = new VmDirectory(new VmLayout(directory, directory.resolve("r")));
        assertThat(vms.list()).extracting(VmInfo::state).containsExactly(VmState.CREATED);
    }

    private Path vm(String name) throws IOException {
        return Files.createDirectories(directory.resolve("vms").resolve(name));
    }

    private VmInfo info(String name) {
        return new VmDirectory(new VmLayout(directory, directory.resolve("r")))
                .get(new VmId(name))
                .orElseThrow();
    }

    private void guarded(Path vm) throws IOException {
        Files.writeString(vm.resolve("guard.json"), "{\"version\":1,\"pid\":4711,\"startTime\":5,\"bootId\":\"b\"}");
        Files.createFile(vm.resolve("lock"));
    }
}
