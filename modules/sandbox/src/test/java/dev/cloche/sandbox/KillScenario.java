package dev.cloche.sandbox;

import dev.cloche.base.Deadline;
import dev.cloche.image.PullListener;
import dev.cloche.linux.ProcessIdentity;
import dev.cloche.sandbox.lifecycle.SandboxTerminator;
import dev.cloche.sandbox.record.SandboxStore;
import dev.cloche.vm.GuestExecution;
import dev.cloche.vm.VmHindrance;
import dev.cloche.vm.VmId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;

/** What a process does with sandboxes until it is killed. */
enum KillScenario {
    /** An ephemeral sandbox, from its start to its close. */
    EPHEMERAL {
        @Override
        void play(KillRuntime runtime) {
            try (RunningSandbox sandbox = runtime.sandboxes().start(spec("base").withEphemeral(true), QUIET, soon())) {
                exec(sandbox);
            }
        }
    },
    /** A sandbox that its main command ends. */
    MAIN_COMMAND {
        @Override
        void play(KillRuntime runtime) {
            SandboxSpec spec = spec("base").withEphemeral(true).withCommand(List.of("true"));
            try (RunningSandbox sandbox = runtime.sandboxes().start(spec, QUIET, soon());
                    GuestExecution main = sandbox.execMain(CommandOptions.none(), soon())) {
                sandbox.finish(main.await(soon()));
            }
        }
    },
    /** A named sandbox that is stopped and removed. */
    NAMED {
        @Override
        void play(KillRuntime runtime) {
            try (RunningSandbox sandbox = runtime.sandboxes().start(spec("base"), QUIET, soon())) {
                exec(sandbox);
                runtime.sandboxes().stop(NAME, Duration.ofSeconds(5), soon());
            }
            runtime.sandboxes().remove(NAME, false, soon());
        }
    },
    /** A sandbox that outlives its starter, which then kills and removes it. */
    DETACHED {
        @Override
        void play(KillRuntime runtime) {
            runtime.sandboxes().startDetached(detached(), CommandOptions.none(), QUIET, soon());
            runtime.sandboxes().list();
            runtime.sandboxes().remove(NAME, true, soon());
        }
    },
    /** What is recorded and not started yet. */
    CREATED {
        @Override
        void play(KillRuntime runtime) {
            var _ = runtime.sandboxes().create(lasting(), CommandOptions.none(), QUIET, soon());
            runtime.sandboxes().remove(NAME, false, soon());
        }
    },
    /** Changes of one that lasts and runs, up to its next run. */
    CHANGED {
        @Override
        void arrange(KillRuntime runtime) {
            var _ = runtime.sandboxes().create(lasting(), CommandOptions.none(), QUIET, soon());
            var _ = runtime.sandboxes().start(NAME, QUIET, soon());
        }

        @Override
        void play(KillRuntime runtime) {
            runtime.sandboxes().pause(NAME, soon());
            runtime.sandboxes().resume(NAME, soon());
            runtime.sandboxes().rename(NAME, "renamed");
            var _ = runtime.sandboxes().restart("renamed", Duration.ofSeconds(1), soon());
        }
    },
    /** One that was paused, and whose commands are waited for. */
    DRAINED {
        @Override
        void arrange(KillRuntime runtime) {
            runtime.sandboxes().startDetached(detached(), CommandOptions.none(), QUIET, soon());
            runtime.sandboxes().pause(NAME, soon());
        }

        @Override
        void play(KillRuntime runtime) {
            runtime.sandboxes().drain(NAME, soon(), Duration.ofSeconds(1));
        }
    },
    /** A sandbox is stopped whose owner is another process, or that has none. */
    STOPPED {
        @Override
        void arrange(KillRuntime runtime) {
            runtime.sandboxes().startDetached(detached(), CommandOptions.none(), QUIET, soon());
        }

        @Override
        void play(KillRuntime runtime) {
            runtime.sandboxes().stop(NAME, Duration.ofSeconds(1), soon());
        }
    },
    /** A sandbox is suspended, its secrets are dropped, goes on with new ones, and is suspended once more. */
    SUSPENDED {
        @Override
        void arrange(KillRuntime runtime) {
            SandboxSpec spec = detached().withSecrets(SECRETS);
            runtime.sandboxes().startDetached(spec, CommandOptions.none(), QUIET, soon());
        }

        @Override
        void play(KillRuntime runtime) {
            runtime.sandboxes().suspendWithoutSecrets(NAME, soon());
            runtime.sandboxes().resume(NAME, NEW_SECRETS, soon());
            runtime.sandboxes().suspend(NAME, soon());
        }
    },
    /** A sweep suspends a sandbox that its guard holds at its deadline. */
    HELD {
        @Override
        void arrange(KillRuntime runtime) {
            SandboxPolicies suspends = SandboxPolicies.none()
                    .withOnDeadline(SandboxPolicies.OnDeadline.SUSPEND)
                    .withMaxDuration(Duration.ofHours(1));
            var _ = runtime.sandboxes()
                    .startDetached(detached().withPolicies(suspends), CommandOptions.none(), QUIET, soon());
            SandboxRecord victim = runtime.sandboxes().get(NAME);
            TestHost.expire(runtime.sandboxes(), victim.id());
            Awaitility.await().until(() -> isHeld(runtime, victim));
        }

        @Override
        void play(KillRuntime runtime) {
            MaintenanceLimits limits = KillWorld.MEMORY
                    .limits()
                    .withBudget(Duration.ofMillis(1900))
                    .withLease(Duration.ofSeconds(2));
            try (SandboxMaintenance maintenance = runtime.sandboxes().maintenance(limits)) {
                int suspended = 0;
                boolean all = false;
                while (!all) {
                    MaintenanceReport report = maintenance.sweep();
                    suspended += report.suspended();
                    all = !report.timedOut();
                }
                if (suspended != 1) {
                    throw new IllegalStateException("it is not suspended");
                }
            }
        }
    },
    /** A suspended sandbox is given up. */
    GIVEN_UP {
        @Override
        void arrange(KillRuntime runtime) {
            runtime.sandboxes().startDetached(detached(), CommandOptions.none(), QUIET, soon());
            runtime.sandboxes().suspend(NAME, soon());
        }

        @Override
        void play(KillRuntime runtime) {
            runtime.sandboxes().stop(NAME, Duration.ofSeconds(1), soon());
            runtime.sandboxes().remove(NAME, false, soon());
        }
    },
    /** A sandbox is kept as a template, and once more in its place; then that is removed. */
    PUBLISHED {
        @Override
        void arrange(KillRuntime runtime) {
            runtime.sandboxes().startDetached(detached(), CommandOptions.none(), QUIET, soon());
        }

        @Override
        void play(KillRuntime runtime) {
            SandboxSnapshots snapshots = runtime.sandboxes().snapshots();
            long sandbox = runtime.sandboxes().get(NAME).id();
            Template.Recipe recipe = Template.Recipe.empty().with(Template.Recipe.Kind.RUN, List.of("true", "twice"));
            for (int i = 0; i < 2; i++) {
                var _ = snapshots.publish(sandbox, "prepared", recipe, soon());
            }
            snapshots.remove("prepared");
        }

        @Override
        void survive(KillRuntime other) {
            SandboxSnapshots snapshots = other.sandboxes().snapshots();
            for (SandboxSnapshot whole : snapshots.list()) {
                String name = whole.name().orElseThrow();
                if (!(other.vms() instanceof FiledVms)) { // Whose memory goes with their process.
                    try (RunningSandbox child = snapshots.restore(name, ChildSpec.unnamed(), soon())) {
                        exec(child);
                    }
                }
                snapshots.remove(name);
            }
        }
    },
    /** A keeper that adopts one, sees it die and starts it again; when it is killed, another one goes on. */
    KEPT {
        @Override
        void arrange(KillRuntime runtime) {
            SandboxPolicies again = SandboxPolicies.none().withRestart(RestartPolicy.always());
            runtime.sandboxes().startDetached(detached().withPolicies(again), CommandOptions.none(), QUIET, soon());
        }

        @Override
        void play(KillRuntime runtime) throws InterruptedException {
            try (SandboxEvents.Stream events = runtime.sandboxes().events().from(Optional.empty())) {
                runtime.sandboxes().keep();
                await(events, SandboxEvent.Kind.ADOPTED);
                runtime.store()
                        .byName(NAME)
                        .ifPresent(record -> runtime.vms().kill(SandboxTerminator.vmOf(record), soon()));
                await(events, SandboxEvent.Kind.RUNNING);
            }
        }

        @Override
        void survive(KillRuntime other) {
            other.sandboxes().keep();
            Awaitility.await()
                    .until(() -> other.store()
                            .byName(NAME)
                            .filter(record -> record.status() == SandboxStatus.RUNNING)
                            .filter(record -> record.latestRun()
                                    .filter(run -> run.owner().equals(ProcessIdentity.current()))
                                    .isPresent())
                            .isPresent());
        }
    },
    /** A sweep over what others have left. */
    SWEEP {
        @Override
        void prepare(KillRuntime runtime) {
            for (int i = 0; i < 2; i++) {
                var _ = runtime.store()
                        .insert(
                                new SandboxStore.NewSandbox(
                                        "left-" + i,
                                        spec("base").withEphemeral(true),
                                        new MainCommand(List.of(), CommandOptions.none())),
                                Optional.of(new SandboxStore.NewRun(
                                        VmId.random(), false, new ProcessIdentity(1, 1, "an earlier boot"))),
                                directory -> {});
            }
        }

        @Override
        void play(KillRuntime runtime) {
            var _ = runtime.sandboxes()
                    .maintenance(KillWorld.MEMORY
                            .limits()
                            .withBudget(Duration.ofMillis(290))
                            .withLease(Duration.ofMillis(300)))
                    .sweep();
        }
    };

    static final String NAME = "victim";
    static final String NEW_TOKEN = "new";
    private static final Secrets SECRETS = Secrets.none().with("token", "s3cret");
    private static final Secrets NEW_SECRETS = Secrets.none().with("token", NEW_TOKEN);
    private static final PullListener QUIET = PullListener.none();

    /** What is there before the process begins. */
    void prepare(KillRuntime runtime) {}

    /** What the process does before it can be killed. */
    void arrange(KillRuntime runtime) {}

    abstract void play(KillRuntime runtime) throws InterruptedException;

    /** What another process does when this one is dead. */
    void survive(KillRuntime other) {}

    static boolean isHeld(KillRuntime runtime, SandboxRecord sandbox) {
        return runtime.sandboxes().hindrance(sandbox).equals(Optional.of(VmHindrance.HELD));
    }

    private static void await(SandboxEvents.Stream events, SandboxEvent.Kind kind) throws InterruptedException {
        while (events.next(soon()).orElseThrow().kind() != kind) {
            // Others come before.
        }
    }

    private static SandboxSpec detached() {
        return spec("base").withCommand(List.of("sleep", "600"));
    }

    private static SandboxSpec lasting() {
        return detached().withDiskMib(SandboxSpec.MIN_DISK_MIB);
    }

    private static SandboxSpec spec(String image) {
        return SandboxSpec.of(image).withName(NAME).withMemoryMib(128);
    }

    private static void exec(RunningSandbox sandbox) {
        try (GuestExecution execution = sandbox.exec(List.of("true"), CommandOptions.none(), soon())) {
            if (!execution.await(soon()).success()) {
                throw new IllegalStateException("true has failed");
            }
        }
    }

    /** Starts a sandbox of another process, that has to live through all of it. */
    static RunningSandbox bystander(KillRuntime runtime) {
        return runtime.sandboxes().start(spec("base").withName("bystander"), QUIET, soon());
    }

    static Deadline soon() {
        return Deadline.after(Duration.ofMinutes(5));
    }

    static Optional<KillScenario> named(String name) {
        return List.of(values()).stream()
                .filter(each -> each.name().equals(name))
                .findFirst();
    }
}
