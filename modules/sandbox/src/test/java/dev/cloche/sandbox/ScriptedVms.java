package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestHello;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.InMemoryFaults;
import dev.cloche.vm.InMemoryProvider;
import dev.cloche.vm.OutputLog;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmCapabilities;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmProvider;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.VmState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** In-memory VMs between whose steps a test can do, or throw, what it likes. */
final class ScriptedVms implements VmProvider {
    /** Where a test can step in. */
    enum Step {
        CREATE,
        CONFIGURE,
        EXEC,
        DETACH,
        CONNECT,
        KILL,
        DESTROY,
        GET
    }

    final InMemoryFaults faults = new InMemoryFaults();
    final InMemoryProvider memory = new InMemoryProvider(faults, new BootPolicy(2, Duration.ofSeconds(20)));
    final List<VmSpec> created = new CopyOnWriteArrayList<>();
    private final Map<Step, Consumer<VmId>> scripts = new ConcurrentHashMap<>();

    /** Does {@code script} before every {@code step} from now on. */
    void before(Step step, Consumer<VmId> script) {
        scripts.put(step, script);
    }

    /** Does {@code script} before the next {@code step} only. */
    void beforeNext(Step step, Consumer<VmId> script) {
        scripts.put(step, id -> {
            scripts.remove(step);
            script.accept(id);
        });
    }

    void noMoreScripts() {
        scripts.clear();
    }

    private void reached(Step step, VmId id) {
        scripts.getOrDefault(step, ignored -> {}).accept(id);
    }

    @Override
    public Vm create(VmSpec spec) {
        reached(Step.CREATE, spec.id());
        created.add(spec);
        return new ScriptedVm(memory.create(spec));
    }

    @Override
    public Vm connect(VmId id, Deadline deadline) {
        reached(Step.CONNECT, id);
        return new ScriptedVm(memory.connect(id, deadline));
    }

    @Override
    public VmExit kill(VmId id, Deadline deadline) {
        reached(Step.KILL, id);
        return memory.kill(id, deadline);
    }

    @Override
    public void destroy(VmId id) {
        reached(Step.DESTROY, id);
        memory.destroy(id);
    }

    @Override
    public OutputLog outputLog(VmId id) {
        return memory.outputLog(id);
    }

    @Override
    public VmCapabilities capabilities() {
        return memory.capabilities();
    }

    @Override
    public List<VmInfo> list() {
        return memory.list();
    }

    @Override
    public Optional<VmInfo> get(VmId id) {
        reached(Step.GET, id);
        return memory.get(id);
    }

    @Override
    public void close() {
        memory.close();
    }

    private final class ScriptedVm implements Vm, Guest {
        private final Vm vm;

        ScriptedVm(Vm vm) {
            this.vm = vm;
        }

        @Override
        public VmId id() {
            return vm.id();
        }

        @Override
        public VmState state() {
            return vm.state();
        }

        @Override
        public void start(Deadline deadline) {
            vm.start(deadline);
        }

        @Override
        public Guest guest() {
            var _ = vm.guest();
            return this;
        }

        @Override
        public void pause(Deadline deadline) {
            vm.pause(deadline);
        }

        @Override
        public void resume(Deadline deadline) {
            vm.resume(deadline);
        }

        @Override
        public VmExit stop(Duration grace, Deadline deadline) {
            return vm.stop(grace, deadline);
        }

        @Override
        public VmExit kill(Deadline deadline) {
            return vm.kill(deadline);
        }

        @Override
        public VmExit awaitExit(Deadline deadline) {
            return vm.awaitExit(deadline);
        }

        @Override
        public void detach() {
            reached(Step.DETACH, id());
            vm.detach();
        }

        @Override
        public void destroy() {
            vm.destroy();
        }

        @Override
        public void close() {
            vm.close();
        }

        @Override
        public GuestHello hello() {
            return vm.guest().hello();
        }

        @Override
        public void ping(Deadline deadline) {
            vm.guest().ping(deadline);
        }

        @Override
        public void configure(GuestIdentity identity, Deadline deadline) {
            reached(Step.CONFIGURE, id());
            vm.guest().configure(identity, deadline);
        }

        @Override
        public GuestExecution exec(ExecRequest request, Deadline deadline) {
            reached(Step.EXEC, id());
            return vm.guest().exec(request, deadline);
        }
    }
}
