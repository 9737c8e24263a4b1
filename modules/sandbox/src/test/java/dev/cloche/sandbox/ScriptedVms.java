package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.vm.AttachPoint;
import dev.cloche.vm.BootPolicy;
import dev.cloche.vm.DialRequest;
import dev.cloche.vm.ExecRequest;
import dev.cloche.vm.ExecutionInfo;
import dev.cloche.vm.Guest;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.GuestFiles;
import dev.cloche.vm.GuestHello;
import dev.cloche.vm.GuestIdentity;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.GuestStream;
import dev.cloche.vm.PendingIdentity;
import dev.cloche.vm.PoolSlot;
import dev.cloche.vm.SnapshotName;
import dev.cloche.vm.SnapshotRef;
import dev.cloche.vm.Vm;
import dev.cloche.vm.VmException;
import dev.cloche.vm.VmExit;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import dev.cloche.vm.VmInfo;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.testing.InMemoryFaults;
import dev.cloche.vm.testing.InMemoryProvider;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** In-memory VMs between whose steps a test can do, or throw, what it likes. */
final class ScriptedVms extends ForwardingVms {
    /** Where a test can step in. */
    enum Step {
        CREATE,
        CONFIGURE,
        EXEC,
        DETACH,
        CONNECT,
        ADOPT,
        PAUSE,
        /** The record of a suspension counts, and its VM has not ended yet. */
        SUSPENDED,
        KILL,
        DESTROY,
        GET
    }

    final InMemoryFaults faults;
    final List<VmSpec> created = new CopyOnWriteArrayList<>();
    private final Map<Step, Consumer<VmId>> scripts = new ConcurrentHashMap<>();
    private volatile Optional<Duration> portsUsed = Optional.empty();
    private volatile Optional<VmHindrance> hindrance = Optional.empty();
    private volatile boolean alarmed;

    ScriptedVms() {
        this(new InMemoryFaults());
    }

    private ScriptedVms(InMemoryFaults faults) {
        super(new InMemoryProvider(faults, new BootPolicy(2, Duration.ofSeconds(20))));
        this.faults = faults;
    }

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
    public Vm create(VmSpec spec, PoolSlot slot) {
        created.add(spec);
        reached(Step.CREATE, spec.id());
        return new ScriptedVm(memory.create(spec, slot));
    }

    @Override
    public Vm connect(VmId id, Deadline deadline) {
        reached(Step.CONNECT, id);
        return new ScriptedVm(memory.connect(id, deadline));
    }

    @Override
    public Vm adopt(VmId id, Deadline deadline) {
        reached(Step.ADOPT, id);
        return new ScriptedVm(memory.adopt(id, deadline));
    }

    @Override
    public VmExit kill(VmId id, Deadline deadline) {
        reached(Step.KILL, id);
        return memory.kill(id, deadline);
    }

    @Override
    public void pause(VmId id, Deadline deadline) {
        reached(Step.PAUSE, id);
        memory.pause(id, deadline);
    }

    @Override
    public void destroy(VmId id) {
        reached(Step.DESTROY, id);
        memory.destroy(id);
    }

    @Override
    public Optional<VmInfo> get(VmId id) {
        reached(Step.GET, id);
        return memory.get(id);
    }

    @Override
    public Optional<Duration> sincePortsUsed(VmId id) {
        return portsUsed;
    }

    @Override
    public Optional<VmHindrance> hindrance(VmId id) {
        return hindrance.or(() -> memory.hindrance(id));
    }

    @Override
    public boolean isAlarmed(VmId id) {
        return alarmed;
    }

    /** From now on the program of every VM was refused a call. */
    void alarm() {
        alarmed = true;
    }

    /** From now on this hinders every VM. */
    void hindrance(Optional<VmHindrance> why) {
        hindrance = why;
    }

    /** From now on a published port of every VM has always been used so long ago. */
    void portsUsed(Duration ago) {
        portsUsed = Optional.of(ago);
    }

    private final class ScriptedVm extends ForwardingVm implements Guest {
        ScriptedVm(Vm vm) {
            super(vm);
        }

        @Override
        public Guest guest() {
            var _ = vm.guest();
            return this;
        }

        @Override
        public void detach() {
            reached(Step.DETACH, id());
            vm.detach();
        }

        @Override
        public SnapshotRef suspend(SnapshotName name, Consumer<SnapshotRef> kept, Deadline deadline) {
            return vm.suspend(
                    name,
                    whole -> {
                        kept.accept(whole);
                        reached(Step.SUSPENDED, id());
                    },
                    deadline);
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
        public PendingIdentity beginConfigure(GuestIdentity identity, Deadline deadline) {
            reached(Step.CONFIGURE, id());
            return vm.guest().beginConfigure(identity, deadline);
        }

        @Override
        public GuestExecution exec(ExecRequest request, Deadline deadline) {
            reached(Step.EXEC, id());
            return vm.guest().exec(request, deadline);
        }

        @Override
        public GuestStream dial(DialRequest request, Deadline deadline) {
            return vm.guest().dial(request, deadline);
        }

        @Override
        public GuestExecution attach(int execution, AttachPoint from, Deadline deadline) {
            return vm.guest().attach(execution, from, deadline);
        }

        @Override
        public List<ExecutionInfo> executions(Deadline deadline) {
            return vm.guest().executions(deadline);
        }

        @Override
        public void release(int execution, Deadline deadline) {
            vm.guest().release(execution, deadline);
        }

        @Override
        public GuestMetrics metrics(Deadline deadline) {
            return vm.guest().metrics(deadline);
        }

        @Override
        public void freeze(Duration thawAfter, Deadline deadline) {
            vm.guest().freeze(thawAfter, deadline);
        }

        @Override
        public void thaw(Deadline deadline) {
            vm.guest().thaw(deadline);
        }

        @Override
        public void quiesce(Deadline deadline) {
            vm.guest().quiesce(deadline);
        }

        @Override
        public VmException awaitLoss(Deadline deadline) {
            return vm.guest().awaitLoss(deadline);
        }

        @Override
        public void awaitInit(Deadline deadline) {
            vm.guest().awaitInit(deadline);
        }

        @Override
        public GuestFiles files() {
            return vm.guest().files();
        }
    }
}
