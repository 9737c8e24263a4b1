package dev.cloche.vm;

import dev.cloche.base.ClocheException;
import org.jspecify.annotations.Nullable;

/** The root of every error of this room. */
public abstract sealed class VmException extends ClocheException
        permits InvalidVmSpecException,
                VmStateException,
                VmStartException,
                VmLimitException,
                VmResourcesException,
                VmPortException,
                VmNetworkException,
                VmStorageException,
                VmNotFoundException,
                VmExistsException,
                VmBusyException,
                VmDeadlineException,
                VmInterruptedException,
                VmMonitorException,
                ImageAsideException,
                VmHinderedException,
                DiskInUseException,
                DiskNotFoundException,
                DiskExistsException,
                DiskMovedOnException,
                SnapshotNotFoundException,
                SnapshotExistsException,
                SnapshotDamagedException,
                SnapshotMismatchException,
                GuestConnectionLostException,
                GuestProtocolException,
                GuestRefusedException,
                OutputGapException,
                ExecutionTakenException,
                ExecutionClosedException,
                GuestFileException,
                HostFileException,
                CopyException,
                CopyLimitException,
                SpawnException {
    VmException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }
}
