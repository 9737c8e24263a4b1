package dev.cloche.sandbox.warm;

import dev.cloche.base.Deadline;
import dev.cloche.sandbox.TemplateMaking;
import dev.cloche.sandbox.TemplateStore;
import dev.cloche.vm.NetworkSpec;
import dev.cloche.vm.VmSpec;
import dev.cloche.vm.WritableLayer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Makes, or has made, the templates that starts of this process missed. What fails here fails no start. */
public final class TemplateMaker implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final Duration END_LIMIT = Duration.ofSeconds(10);
    private final TemplateStore templates;
    private final TemplateMaking making;
    private final Map<String, List<String>> forProcess = new LinkedHashMap<>();
    private final Map<String, Thread> underway = new ConcurrentHashMap<>();

    public TemplateMaker(TemplateStore templates, TemplateMaking making) {
        this.templates = templates;
        this.making = making;
    }

    /** Takes note that a start of this VM had no template. */
    public void missed(VmSpec vm, String image) {
        String name = templates.name(vm).value();
        switch (making) {
            case TemplateMaking.Never() -> {}
            case TemplateMaking.ByProcess(List<String> command, List<String> _) -> {
                if (templates.wanted(vm)) {
                    synchronized (forProcess) {
                        forProcess.put(name, command(command, vm, image));
                    }
                }
            }
            case TemplateMaking.InBackground() -> {
                if (templates.wanted(vm)) {
                    Thread thread = Thread.ofVirtual().name("make-" + name).unstarted(() -> make(name, vm));
                    if (underway.putIfAbsent(name, thread) == null) {
                        thread.start();
                    }
                }
            }
        }
    }

    private static List<String> command(List<String> command, VmSpec vm, String image) {
        List<String> whole = new ArrayList<>(command);
        whole.addAll(List.of("--memory", vm.memoryMiB() + "m", "--cpus", String.valueOf(vm.cpus())));
        if (vm.network() instanceof NetworkSpec.User) {
            whole.addAll(List.of("--network", "user"));
        }
        if (vm.writable() instanceof WritableLayer.Disk(int sizeMiB)) {
            whole.addAll(List.of("--disk", sizeMiB + "m"));
        }
        whole.addAll(List.of("--", image));
        return whole;
    }

    private void make(String name, VmSpec vm) {
        try {
            var _ = templates.make(vm, Deadline.after(PATIENCE));
        } catch (RuntimeException e) {
            System.getLogger(TemplateStore.class.getName())
                    .log(System.Logger.Level.DEBUG, "no template is made of " + vm.rootDisk(), e);
        } finally {
            underway.remove(name);
        }
    }

    /** Its VM is to be gone before the provider is closed; takes milliseconds. */
    private static void awaitEnd(Thread thread) {
        try {
            var _ = thread.join(END_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Begins what is left to processes of their own; interrupts what this one is at. */
    @Override
    public void close() {
        List<Thread> threads = List.copyOf(underway.values());
        threads.forEach(Thread::interrupt);
        threads.forEach(TemplateMaker::awaitEnd);
        List<List<String>> commands;
        synchronized (forProcess) {
            commands = List.copyOf(forProcess.values());
            forProcess.clear();
        }
        commands.forEach(BackgroundProcess::startIdle);
    }
}
