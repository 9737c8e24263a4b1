package dev.cloche.machine;

import dev.cloche.base.Deadline;
import dev.cloche.image.ImageHolder;
import dev.cloche.vm.InvalidVmSpecException;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmNotFoundException;
import dev.cloche.vm.VmStateException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.tomlj.Toml;

/** What a machine whose file is broken has outside of its directory, as far as the file still says so. */
final class BrokenRemains {
    private static final Duration KILL_LIMIT = Duration.ofSeconds(30);

    private final Ground ground;

    BrokenRemains(Ground ground) {
        this.ground = ground;
    }

    /** Ends its VM and lets go of its image, where its id can be read. */
    void discard(MachineName name) {
        String text = new String(ground.store().text(name), StandardCharsets.UTF_8);
        if (Toml.parse(text).get(List.of(Keys.VM_ID)) instanceof String word) {
            VmId id;
            try {
                id = new VmId(word);
            } catch (InvalidVmSpecException none) {
                return;
            }
            try {
                ground.vms().kill(id, Deadline.after(KILL_LIMIT));
            } catch (VmNotFoundException | VmStateException notRunning) {
                // As was to be reached.
            }
            ground.vms().destroy(id);
            ground.images().release(new ImageHolder("machine", id.value(), name.value()));
        }
    }
}
