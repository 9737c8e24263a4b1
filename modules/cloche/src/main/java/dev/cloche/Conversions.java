package dev.cloche;

import dev.cloche.PullProgress.Phase;
import dev.cloche.image.Digest;
import dev.cloche.image.ImageConfig;
import dev.cloche.image.ImageHolder;
import dev.cloche.image.ImageReference;
import dev.cloche.image.ImageSummary;
import dev.cloche.image.PruneReport;
import dev.cloche.image.PullEvent;
import dev.cloche.image.PullListener;
import dev.cloche.sandbox.Ending;
import dev.cloche.sandbox.RunRecord;
import dev.cloche.sandbox.RunStart;
import dev.cloche.sandbox.SandboxDetails;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxPolicies;
import dev.cloche.sandbox.SandboxRecord;
import dev.cloche.sandbox.SandboxStatus;
import dev.cloche.sandbox.Sandboxes;
import dev.cloche.sandbox.StatusReached;
import dev.cloche.vm.GuestMetrics;
import dev.cloche.vm.ResourceLimit;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/** Between the words of the rooms and those of the library. */
final class Conversions {
    private static final int SHORT_DIGEST = 12;

    private Conversions() {}

    static SandboxInfo info(SandboxRecord sandbox, Sandboxes room) {
        Optional<RunRecord> run = sandbox.latestRun();
        Optional<Ending> ending = run.flatMap(RunRecord::ending);
        return new SandboxInfo(
                sandbox.id(),
                sandbox.name(),
                sandbox.image(),
                sandbox.command(),
                word(sandbox.status()),
                sandbox.ephemeral(),
                run.map(RunRecord::detached).orElse(false),
                sandbox.memoryMib(),
                sandbox.cpus(),
                sandbox.createdAt(),
                ending.map(end -> word(end.reason())),
                ending.map(Ending::exitCode).orElse(OptionalInt.empty()),
                ending.map(Ending::exitSignal).orElse(OptionalInt.empty()),
                ports(room.publishedPorts(sandbox)));
    }

    static List<PublishedPort> ports(List<dev.cloche.vm.PublishedPort> ports) {
        return ports.stream()
                .map(port -> new PublishedPort(
                        port.protocol().name().toLowerCase(Locale.ROOT),
                        port.hostAddress(),
                        port.hostPort(),
                        port.guestPort()))
                .toList();
    }

    static SandboxInspection inspection(SandboxDetails details, Sandboxes room) {
        SandboxRecord sandbox = details.sandbox();
        SandboxPolicies policies = sandbox.policies();
        return new SandboxInspection(
                info(sandbox, room),
                sandbox.manifest(),
                sandbox.diskMib(),
                details.labels(),
                policies.maxDuration(),
                policies.idleTimeout(),
                policies.startTimeout(),
                new RestartPolicy(
                        RestartPolicy.Kind.valueOf(policies.restart().kind().name()),
                        policies.restart().limit()),
                sandbox.restarts(),
                policies.keptRuns(),
                details.main()
                        .map(main -> new SandboxInspection.Command(
                                main.words(),
                                main.options().environment(),
                                main.options().workingDirectory(),
                                main.options().user())),
                details.runs().stream().map(run -> run(run, details.starts())).toList());
    }

    static StartTimings timings(dev.cloche.sandbox.StartTimings timings) {
        return new StartTimings(
                StartKind.valueOf(timings.kind().name()),
                timings.total(),
                timings.image(),
                timings.boot(),
                timings.notWarm());
    }

    /** As they are recorded, in milliseconds of the wall clock. */
    private static Optional<StartTimings> timings(RunRecord run, List<RunStart> starts) {
        return starts.stream()
                .filter(start -> start.run() == run.id())
                .findFirst()
                .map(start -> new StartTimings(
                        StartKind.valueOf(start.kind().name()),
                        Duration.between(run.startedAt(), run.readyAt().orElse(run.startedAt())),
                        start.image(),
                        start.boot(),
                        Optional.empty()));
    }

    private static SandboxInspection.Run run(RunRecord run, List<RunStart> starts) {
        Optional<Ending> ending = run.ending();
        return new SandboxInspection.Run(
                run.id(),
                run.vm().value(),
                word(run.status()),
                run.detached(),
                run.guard().map(guard -> OptionalLong.of(guard.pid())).orElse(OptionalLong.empty()),
                run.owner().pid(),
                run.startedAt(),
                run.readyAt(),
                timings(run, starts),
                run.terminatedAt(),
                run.asked().map(Conversions::word),
                ending.map(end -> word(end.reason())),
                ending.map(Ending::exitCode).orElse(OptionalInt.empty()),
                ending.map(Ending::exitSignal).orElse(OptionalInt.empty()),
                ending.map(Ending::detail));
    }

    static SandboxEvent event(dev.cloche.sandbox.SandboxEvent event) {
        Optional<Ending> ending = event.ending();
        return new SandboxEvent(
                event.id(),
                event.at(),
                word(event.kind()),
                event.sandboxId(),
                event.name(),
                event.image(),
                ending.map(end -> word(end.reason())),
                ending.map(Ending::exitCode).orElse(OptionalInt.empty()),
                ending.map(Ending::exitSignal).orElse(OptionalInt.empty()),
                ending.map(Ending::detail).orElse(event.detail()));
    }

    static SandboxEnd end(StatusReached reached) {
        Optional<Ending> ending = reached.ending();
        return new SandboxEnd(
                word(reached.status()),
                ending.map(end -> word(end.reason())),
                ending.map(Ending::exitCode).orElse(OptionalInt.empty()),
                ending.map(Ending::exitSignal).orElse(OptionalInt.empty()));
    }

    /** @throws SandboxException.InvalidSpecification if it is none */
    static SandboxStatus status(String word) {
        return Arrays.stream(SandboxStatus.values())
                .filter(status -> word(status).equals(word))
                .findFirst()
                .orElseThrow(() -> new SandboxException.InvalidSpecification(
                        "\"" + word + "\" is no status of a sandbox.",
                        "Use created, starting, running, paused, draining, stopped or crashed."));
    }

    static dev.cloche.sandbox.RestartPolicy policy(RestartPolicy policy) {
        return new dev.cloche.sandbox.RestartPolicy(
                dev.cloche.sandbox.RestartPolicy.Kind.valueOf(policy.kind().name()), policy.limit());
    }

    static ImageInfo info(ImageSummary image) {
        return new ImageInfo(
                image.reference().toString(),
                image.manifest().toString(),
                image.platform().os(),
                image.platform().architecture(),
                image.layers(),
                image.sizeBytes(),
                image.createdAt(),
                image.lastUsedAt());
    }

    static ImageDetails details(dev.cloche.image.ImageDetails image) {
        ImageConfig config = image.config();
        return new ImageDetails(
                info(image.summary()),
                image.mediaType(),
                image.configDigest().toString(),
                config.env(),
                config.cmd(),
                config.entrypoint(),
                config.user(),
                config.workingDir(),
                config.labels(),
                config.stopSignal(),
                image.layers().stream()
                        .map(layer -> new ImageDetails.Layer(
                                layer.diffId().toString(),
                                layer.blob().toString(),
                                layer.mediaType(),
                                layer.compressedBytes(),
                                layer.erofsBytes()))
                        .toList(),
                image.warnings(),
                image.holders().stream().map(ImageHolder::toString).toList());
    }

    static PruneResult result(PruneReport report) {
        return new PruneResult(
                report.references().stream().map(ImageReference::toString).toList(),
                report.manifests(),
                report.layers(),
                report.fsmetas(),
                report.vmdks(),
                report.bytes());
    }

    static dev.cloche.image.RegistryLogin login(String user, String password) {
        return new dev.cloche.image.RegistryLogin(user, password);
    }

    static Map<String, dev.cloche.image.RegistryLogin> logins(Map<String, RegistryLogin> logins) {
        Map<String, dev.cloche.image.RegistryLogin> converted = new HashMap<>();
        logins.forEach((registry, login) -> converted.put(registry, login(login.user(), login.password())));
        return converted;
    }

    static dev.cloche.image.PullPolicy policy(PullPolicy policy) {
        return switch (policy) {
            case MISSING -> dev.cloche.image.PullPolicy.MISSING;
            case ALWAYS -> dev.cloche.image.PullPolicy.ALWAYS;
            case NEVER -> dev.cloche.image.PullPolicy.NEVER;
        };
    }

    static ResourceLimit limit(Resource resource, long soft, long hard) {
        return new ResourceLimit(ResourceLimit.Resource.valueOf(resource.name()), soft, hard);
    }

    static ExecutionInfo execution(dev.cloche.vm.ExecutionInfo execution) {
        return new ExecutionInfo(
                execution.id(),
                execution.processId(),
                execution.program(),
                execution.terminal(),
                execution.acknowledged(),
                execution.attached(),
                execution.startedAt(),
                execution.end().map(Exit::of));
    }

    static SandboxMetrics metrics(GuestMetrics metrics) {
        return new SandboxMetrics(
                metrics.uptimeNanos(),
                metrics.cpus(),
                metrics.cpuNanos(),
                metrics.memoryBytes(),
                metrics.memoryAvailableBytes(),
                metrics.processes(),
                metrics.diskBytes(),
                metrics.diskFreeBytes(),
                metrics.inodes(),
                metrics.inodesFree(),
                metrics.executions(),
                metrics.receivedBytes(),
                metrics.sentBytes());
    }

    static PullListener listener(PullProgress progress) {
        Map<Digest, PullEvent.Progress> latest = new ConcurrentHashMap<>();
        return event -> {
            switch (event) {
                case PullEvent.Progress step -> {
                    latest.put(step.layer(), step);
                    progress.layer(shortened(step.layer()), Phase.PULLING, step.bytes(), step.totalBytes());
                }
                case PullEvent.LayerReady(Digest layer, boolean reused) -> {
                    PullEvent.Progress last = latest.getOrDefault(layer, new PullEvent.Progress(layer, 0, -1));
                    progress.layer(
                            shortened(layer), reused ? Phase.PRESENT : Phase.DONE, last.bytes(), last.totalBytes());
                }
                case PullEvent.Resolved resolved -> {}
                case PullEvent.Warning(String text) -> progress.warning(text);
            }
        };
    }

    private static String shortened(Digest digest) {
        return digest.hex().substring(0, SHORT_DIGEST);
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    static dev.cloche.sandbox.TemplateMaking making(TemplateMaking making) {
        return switch (making) {
            case TemplateMaking.Never() -> new dev.cloche.sandbox.TemplateMaking.Never();
            case TemplateMaking.InBackground() -> new dev.cloche.sandbox.TemplateMaking.InBackground();
            case TemplateMaking.ByProcess(List<String> command, List<String> filler) ->
                new dev.cloche.sandbox.TemplateMaking.ByProcess(command, filler);
        };
    }
}
