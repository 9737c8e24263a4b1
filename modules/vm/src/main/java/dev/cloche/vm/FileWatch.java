package dev.cloche.vm;

import dev.cloche.base.Incubating;
import java.time.Duration;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;

/**
 * Tells what changes in a directory of a guest, from its beginning on. Safe for use from several threads; each event goes to one
 * of them. To be closed.
 *
 * <p>A directory that is made below is told with all that is in it, so a name may be told twice, and none is missed. Where the
 * guest changes faster than the events are taken, some are left out, and {@link Event.Missed} says so: what is there then is
 * found out by {@link GuestFiles#list}. Links are not followed, and what the user may not read is passed over. All of it is the
 * guest's word.
 *
 * <p>It ends when it is closed, and after an event of the empty name by which the directory itself is removed or renamed. The
 * loss of the guest is thrown, as are the errors of {@link GuestFiles}; so is {@link GuestFileException.TooManyDirectories}
 * once there are more than {@link #MAX_DIRECTORIES} to be watched.
 */
@Incubating
public interface FileWatch extends Iterable<FileWatch.Event>, AutoCloseable {
    /** The most directories that one watch has, the first included. */
    int MAX_DIRECTORIES = 8192;

    /**
     * Says what is told.
     *
     * @param tree whether changes below the directories in it are told too
     * @param files whether an event has what the file was when the guest told it
     */
    record Options(boolean tree, boolean files) {
        /** One directory, and what is in it. */
        public static final Options DIRECTORY = new Options(false, false);

        /** A directory, and all that is below it. */
        public static final Options TREE = new Options(true, false);

        /** Returns the same, with what each file was. */
        public Options withFiles() {
            return new Options(tree, true);
        }
    }

    /** Says what happened to a name. */
    enum Change {
        /** It is there: made, or renamed to this name. */
        CREATED,
        WRITTEN,
        REMOVED,
        /** It is not there any more: renamed to another name, which is {@link #CREATED} if it is watched. */
        RENAMED,
        /** Its mode, its owner or its times are others. */
        ATTRIBUTES
    }

    /** Tells of one change, or of some that were missed. */
    sealed interface Event {
        /**
         * Tells of a change.
         *
         * @param name relative to the directory; empty: the directory itself. Bytes that are no UTF-8 are as in
         *     {@link dev.cloche.base.RawText}
         * @param file if it was asked for, and was still there
         */
        record Changed(Change change, String name, Optional<FileInfo> file) implements Event {}

        /** Tells that changes were left out, of any names. */
        record Missed() implements Event {}
    }

    /**
     * Returns the next event, in the order in which the guest saw them; empty if there is none in that time, or none any more.
     *
     * @param longest to wait; zero or less: only what is there
     * @throws VmException.Interrupted if the thread is interrupted
     */
    Optional<Event> next(Duration longest);

    /** Returns whether there are no more events, and will be none. */
    boolean ended();

    /** Returns the events up to the end, as they come: each {@code hasNext} waits. */
    @Override
    default Iterator<Event> iterator() {
        return new Iterator<>() {
            private Optional<Event> ahead = Optional.empty();

            @Override
            public boolean hasNext() {
                while (ahead.isEmpty() && !ended()) {
                    ahead = FileWatch.this.next(Duration.ofHours(1));
                }
                return ahead.isPresent();
            }

            @Override
            public Event next() {
                if (!hasNext()) {
                    throw new NoSuchElementException("the watch has ended");
                }
                Event event = ahead.orElseThrow();
                ahead = Optional.empty();
                return event;
            }
        };
    }

    /** Ends it, in the guest too. Doing so twice is no error. */
    @Override
    void close();
}
