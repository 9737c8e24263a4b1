package dev.cloche.vm.testing;

import dev.cloche.vm.VmProvider;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** What every provider of VMs promises, by subject. */
public abstract class VmProviderContract
        implements VmLifecycleContract,
                VmSnapshotContract,
                VmPoolContract,
                VmExecutionContract,
                VmAttachContract,
                VmGuestContract,
                VmFilesContract,
                VmDiskContract {
    @TempDir
    protected Path directory;

    private VmProvider provider;

    protected VmProviderContract() {}

    /** Returns a new provider, whose state is below {@link #directory}. */
    protected abstract VmProvider open();

    @BeforeEach
    void openProvider() {
        provider = open();
    }

    @AfterEach
    void closeProvider() {
        provider.close();
    }

    @Override
    public final Path hostDirectory() {
        return directory;
    }

    @Override
    public final VmProvider provider() {
        return provider;
    }
}
