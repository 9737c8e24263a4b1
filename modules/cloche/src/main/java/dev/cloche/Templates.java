package dev.cloche;

import dev.cloche.base.Deadline;
import dev.cloche.base.Incubating;
import dev.cloche.image.ImageException;
import dev.cloche.image.PullListener;
import dev.cloche.linux.LockFile;
import dev.cloche.sandbox.SandboxException;
import dev.cloche.sandbox.SandboxManager;
import dev.cloche.sandbox.SandboxSnapshot;
import dev.cloche.sandbox.Template;
import dev.cloche.vm.Network;
import dev.cloche.vm.SnapshotException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The templates of a state root: booted guests, from which sandboxes of the same image and size are restored in a fraction
 * of a boot's time. They are made by themselves after first starts, see {@link ClocheOptions#templateMaking()}. Safe for use
 * from several threads.
 *
 * <pre>{@code
 * cloche.templates().make(cloche.sandbox("python:3.13").memoryMib(1024).cpus(2));
 * cloche.templates().list().forEach(template -> System.out.println(template.name()));
 * }</pre>
 *
 * <p>Others are prepared by the caller, have a name, and go on with what was started in them: {@link #prepare}.
 */
public final class Templates {
    private final Cloche cloche;
    private final SandboxManager sandboxes;

    Templates(Cloche cloche) {
        this.cloche = cloche;
        sandboxes = cloche.sandboxRoom();
    }

    /**
     * Returns a template to prepare. {@link Cloche#restore} makes sandboxes of it, which go on where it was left.
     *
     * <pre>{@code
     * cloche.templates().prepare("notebook", "python:3.13")
     *         .run("pip", "install", "pandas")
     *         .start("python3", "server.py")
     *         .ready(Ready.port(8000))
     *         .ensure();
     * try (Sandbox sandbox = cloche.restore("notebook").start()) {
     *     sandbox.dial(8000);
     * }
     * }</pre>
     *
     * @param name 1 to 63 of {@code a-z 0-9 . _ -}, beginning and ending with a letter or digit; of no snapshot
     * @param image as {@link Cloche#sandbox} takes it
     */
    @Incubating
    public Preparation prepare(String name, String image) {
        return new Preparation(cloche, name, image);
    }

    /** Returns those that were prepared, by name. */
    @Incubating
    public List<SnapshotInfo> prepared() {
        return sandboxes.snapshots().list().stream()
                .filter(SandboxSnapshot::prepared)
                .map(SnapshotInfo::of)
                .toList();
    }

    /**
     * Returns what was copied into a template and has changed on this host since: files and directories as {@link
     * Preparation#copyIn} was given them, that are gone, or in or below which something was written, made, renamed or removed, or
     * got another mode or owner. What changed while it was prepared is not told. Its sandboxes have the files as they were, until
     * it is prepared again.
     *
     * @throws SandboxException.NoTemplate if none of that name was prepared
     */
    @Incubating
    public List<Path> changedFiles(String name) {
        SandboxSnapshot template = prepared(name);
        return sandboxes
                .snapshots()
                .recipe(template)
                .map(recipe -> TemplateSteps.changedSince(template.createdAt(), recipe))
                .orElse(List.of());
    }

    /** @throws SandboxException.NoTemplate if none of that name was prepared */
    SandboxSnapshot prepared(String name) {
        return sandboxes.snapshots().list().stream()
                .filter(SandboxSnapshot::prepared)
                .filter(template -> template.name().equals(Optional.of(name)))
                .findFirst()
                .orElseThrow(() -> new SandboxException.NoTemplate(name));
    }

    /**
     * Makes the template of sandboxes like this one, unless there is one: those with its image, memory, processors, network and
     * disk. Nothing else of the builder matters; its listener is told of a pull.
     *
     * @return the template; empty if another process makes it at present
     * @throws dev.cloche.base.ClocheException if the image cannot be obtained, or its guest does not boot
     */
    public Optional<Template> make(SandboxBuilder sandbox) {
        return sandboxes.makeTemplate(sandbox.templateSpec(), sandbox.pullListener(), Deadline.none());
    }

    /** Returns all of them, by name. */
    public List<Template> list() {
        return sandboxes.templates().list();
    }

    /**
     * Returns one of them.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name
     */
    public Template get(String name) {
        return sandboxes.templates().get(name);
    }

    /**
     * Removes one.
     *
     * @throws dev.cloche.base.ClocheException if there is none of that name, or sandboxes run from it
     */
    public void remove(String name) {
        sandboxes.templates().remove(name);
    }

    /**
     * Removes those that were not used for so long and those whose image is gone, as far as no sandbox runs from them.
     *
     * @return their names
     */
    public List<String> prune(Duration unusedFor) {
        List<String> pruned = sandboxes.templates().prune(unusedFor);
        cloche.rooms().countStateDisk();
        return pruned;
    }

    /**
     * Restores a snapshot. One that is a template is made anew before, if its name means another image by now, or it does not run
     * on this runtime or processor.
     *
     * @param restore makes the clone
     */
    <T> T restored(String name, Supplier<T> restore) {
        SandboxSnapshot snapshot = sandboxes.snapshots().get(name);
        Optional<Template.Recipe> recipe = sandboxes.snapshots().recipe(snapshot);
        return recipe.isEmpty() ? restore.get() : ofCurrent(snapshot, recipe.get(), restore);
    }

    /** Returns what runs in each clone of a template before a caller has it; empty for a snapshot. */
    Optional<List<String>> onClone(String name) {
        SandboxSnapshot snapshot = sandboxes.snapshots().get(name);
        return sandboxes.snapshots().recipe(snapshot).flatMap(Template.Recipe::onClone);
    }

    private <T> T ofCurrent(SandboxSnapshot snapshot, Template.Recipe recipe, Supplier<T> restore) {
        if (hasOtherImage(snapshot)) {
            remake(snapshot, recipe, null);
        }
        try {
            return restore.get();
        } catch (SnapshotException.Mismatch | SnapshotException.Damaged unusable) {
            remake(snapshot, recipe, unusable);
            return restore.get();
        }
    }

    /** One whose image has no name any more has the image that it holds. */
    private boolean hasOtherImage(SandboxSnapshot snapshot) {
        try {
            return !cloche.images().digest(snapshot.image()).equals(snapshot.manifest());
        } catch (ImageException gone) {
            return false;
        }
    }

    private void remake(SandboxSnapshot stale, Template.Recipe recipe, @Nullable RuntimeException why) {
        String name = stale.name().orElseThrow();
        if (recipe.hasCode()) {
            throw new SandboxException.TemplateStale(name, why);
        }
        Preparation again = new Preparation(cloche, name, stale.image())
                .memoryMib(stale.memoryMib())
                .cpus(stale.cpus())
                .diskMib(stale.diskMib().orElse(0))
                .network(stale.network() ? Network.USER : Network.NONE);
        again.recipe = recipe;
        sandboxes.snapshots().environment(stale).forEach(again::environment);
        again.replace(stale);
    }

    /**
     * A template that is about to be prepared: a sandbox of an image is started, its steps are done in their order, and it is kept
     * as it is then. Not safe for use from several threads.
     */
    @Incubating
    public static final class Preparation {
        private static final Duration READY_LIMIT = Duration.ofMinutes(5);

        private final Cloche cloche;
        private final String name;
        private final String image;
        private final Map<String, String> environment = new LinkedHashMap<>();
        private final List<Consumer<Sandbox>> code = new ArrayList<>();
        private Template.Recipe recipe = Template.Recipe.empty();
        private int memoryMib = 512;
        private int cpus = 1;
        private int diskMib;
        private Network network = Network.NONE;
        private Duration readyLimit = READY_LIMIT;
        private OutputStream output = OutputStream.nullOutputStream();
        private PullListener progress = PullListener.none();

        private Preparation(Cloche cloche, String name, String image) {
            this.cloche = cloche;
            this.name = name;
            this.image = image;
        }

        /** Sets the memory of its guests in MiB; 512 by default. */
        public Preparation memoryMib(int mebibytes) {
            memoryMib = mebibytes;
            return this;
        }

        /** Sets the processors of its guests; 1 by default. */
        public Preparation cpus(int count) {
            cpus = count;
            return this;
        }

        /** Sets the size of the disk that its guests write to, in MiB; 0, the default, for their memory. */
        public Preparation diskMib(int mebibytes) {
            diskMib = mebibytes;
            return this;
        }

        /** Sets the network that it is prepared with and that each sandbox of it has; none by default. */
        public Preparation network(Network value) {
            network = value;
            return this;
        }

        /** Adds a variable to the environment of its steps, and of all commands in its sandboxes. */
        public Preparation environment(String variable, String value) {
            environment.put(variable, value);
            return this;
        }

        /** Copies a file or a directory of this host into it, as {@link SandboxFiles#copyIn} does. */
        public Preparation copyIn(Path source, String target) {
            recipe = recipe.with(
                    Template.Recipe.Kind.COPY, List.of(source.toAbsolutePath().toString(), target));
            return this;
        }

        /** Runs a command in it, which is to end with 0; no shell reads its words. */
        public Preparation run(String... words) {
            recipe = recipe.with(Template.Recipe.Kind.RUN, List.of(words));
            return this;
        }

        /**
         * Calls code of this application with the running sandbox. What it throws ends the preparation.
         *
         * @param version names all that the code does; {@link #ensure()} prepares anew for another one
         */
        public Preparation code(String version, Consumer<Sandbox> work) {
            recipe = recipe.with(Template.Recipe.Kind.CODE, List.of(version));
            code.add(work);
            return this;
        }

        /** Starts a command that runs on in every sandbox of it, the latest of its output kept; no shell reads its words. */
        public Preparation start(String... words) {
            recipe = recipe.with(Template.Recipe.Kind.START, List.of(words));
            return this;
        }

        /**
         * Waits until it is ready, at most five minutes unless {@link #readyLimit} says otherwise.
         *
         * @param condition a port, a page or a command
         */
        public Preparation ready(Ready condition) {
            recipe = switch (condition) {
                case Ready.Port(int port) ->
                    recipe.with(Template.Recipe.Kind.READY_PORT, List.of(Integer.toString(port)));
                case Ready.Command(List<String> words) -> recipe.with(Template.Recipe.Kind.READY, words);
                case Ready.Http(int port, String path) ->
                    recipe.with(Template.Recipe.Kind.READY_HTTP, List.of(Integer.toString(port), path));
                case Ready.Log _ ->
                    throw new SandboxException.InvalidSpecification(
                            "A template waits for a port, for a page or for a command.",
                            "Use Ready.port, Ready.http or Ready.command.");
            };
            return this;
        }

        /** Says that what was started is the driver of an interpreter. */
        Preparation interpreter(List<String> words) {
            recipe = recipe.with(Template.Recipe.Kind.INTERPRETER, words);
            return this;
        }

        /** Sets how long each wait may take. */
        public Preparation readyLimit(Duration longest) {
            readyLimit = longest;
            return this;
        }

        /** Runs a command in each sandbox of it before a caller has that; a sandbox in which it does not end with 0 within a minute ends. */
        public Preparation onClone(String... words) {
            recipe = recipe.with(Template.Recipe.Kind.ON_CLONE, List.of(words));
            return this;
        }

        /** Has a listener told of the pull of its image. */
        Preparation progress(PullListener listener) {
            progress = listener;
            return this;
        }

        /** Has what its commands write written here too, while they run. Not closed. */
        public Preparation output(OutputStream copy) {
            output = copy;
            return this;
        }

        /**
         * Prepares it. It takes the place of the template of that name, whose sandboxes go on.
         *
         * @throws SandboxException.PreparationFailed if a step fails; nothing is left of it, and the earlier template stays
         * @throws dev.cloche.base.ClocheException if a snapshot has the name, or the image cannot be obtained
         */
        public SnapshotInfo make() {
            cloche.sandboxRoom().snapshots().requireFree(name);
            try (LockFile _ = cloche.sandboxRoom().templates().prepareAlone(name, Deadline.none())) {
                return SnapshotInfo.of(prepared());
            }
        }

        /**
         * Returns the template of that name if it was prepared in the same way, and the files that it has copies of have not changed
         * since; otherwise does what {@link #make()} does. Of several processes that ask for it at once, one makes it.
         */
        public SnapshotInfo ensure() {
            cloche.sandboxRoom().snapshots().requireFree(name);
            try (LockFile _ = cloche.sandboxRoom().templates().prepareAlone(name, Deadline.none())) {
                return SnapshotInfo.of(same().orElseGet(this::prepared));
            }
        }

        String name() {
            return name;
        }

        /** Returns whether {@link #ensure()} has nothing to do. */
        boolean isThere() {
            return same().isPresent();
        }

        private Optional<SandboxSnapshot> same() {
            return current()
                    .filter(there -> there.image().equals(cloche.exactImage(image))
                            && there.memoryMib() == memoryMib
                            && there.cpus() == cpus
                            && there.diskMib().orElse(0) == diskMib
                            && there.network() == (network == Network.USER)
                            && !cloche.templates().hasOtherImage(there)
                            && cloche.sandboxRoom()
                                    .snapshots()
                                    .environment(there)
                                    .equals(environment)
                            && cloche.sandboxRoom().snapshots().recipe(there).equals(Optional.of(recipe))
                            && TemplateSteps.changedSince(there.createdAt(), recipe)
                                    .isEmpty());
        }

        private Optional<SandboxSnapshot> current() {
            return cloche.sandboxRoom().snapshots().list().stream()
                    .filter(snapshot -> snapshot.name().equals(Optional.of(name)))
                    .findFirst();
        }

        /** Makes it anew, unless another process has done so while this one waited. */
        private void replace(SandboxSnapshot stale) {
            try (LockFile _ = cloche.sandboxRoom().templates().prepareAlone(name, Deadline.none())) {
                if (current().filter(there -> there.id() == stale.id()).isPresent()) {
                    var _ = prepared();
                }
            }
        }

        private SandboxSnapshot prepared() {
            SandboxBuilder maker = cloche.sandbox(image)
                    .memoryMib(memoryMib)
                    .cpus(cpus)
                    .diskMib(diskMib)
                    .network(network)
                    .progress(progress);
            environment.forEach(maker::environment);
            try (Sandbox sandbox = maker.start();
                    TemplateSteps steps = new TemplateSteps(name, sandbox, readyLimit, output)) {
                steps.run(recipe, code);
                return cloche.sandboxRoom().snapshots().publish(sandbox.id(), name, recipe, Deadline.none());
            }
        }
    }
}
