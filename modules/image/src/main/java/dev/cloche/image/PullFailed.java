package dev.cloche.image;

import dev.cloche.base.Printable;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** An image could not be brought here. Nothing of a layer or image that failed has been kept. */
public final class PullFailed extends ImageException {
    /** Why, for programs. */
    public enum Reason {
        UNAUTHORIZED("Log in to the registry with cloche.login(…), and check that you may read the repository."),
        LOGIN_UNREADABLE("Mend it, or log in with cloche.login(…), whose logins come first."),
        NOT_FOUND("Check the spelling of the name and the tag; a private repository may look absent without a login."),
        RATE_LIMITED("Wait, or log in: registries allow more to those whom they know."),
        DIGEST_MISMATCH(
                "Do not use this image: it is damaged on its way or where it comes from; bring it again, or tell"
                        + " its owner."),
        NO_MATCHING_PLATFORM("Choose another image or tag that is built for this platform."),
        BAD_CONTENT("Tell the owner of the image; Cloche runs Docker schema 2 and OCI images."),
        NO_SPACE("Free some space on the file system of the image cache, for example by removing images."),
        UNREACHABLE(
                "Check the network and the names of the registry and the image: cloche.images().list() names what is here."),
        SERVER_ERROR("The fault is the registry's: try again later."),
        BAD_SETTINGS("Mend the settings of registries."),
        INCOMPLETE("Make the archive or layout again, or get a whole copy of it."),
        NOT_ALLOWED("Allow a pull, or bring the image with cloche.images().pull(…)."),
        GAVE_UP("Try again with a longer deadline; layers that have arrived are kept.");

        private final String remedy;

        Reason(String remedy) {
            this.remedy = remedy;
        }

        /** Returns whether this host is to be mended first, or the caller to wait longer, wherever the image is. */
        public boolean isOfThisHost() {
            return switch (this) {
                case LOGIN_UNREADABLE, NO_SPACE, BAD_SETTINGS, GAVE_UP -> true;
                case UNAUTHORIZED,
                        NOT_FOUND,
                        RATE_LIMITED,
                        DIGEST_MISMATCH,
                        NO_MATCHING_PLATFORM,
                        BAD_CONTENT,
                        UNREACHABLE,
                        SERVER_ERROR,
                        INCOMPLETE,
                        NOT_ALLOWED -> false;
            };
        }
    }

    private static final int LONGEST = 1000;

    private final Reason reason;
    private final String what;
    private final String registry;
    private final OptionalInt status;

    public PullFailed(Reason reason, String registry, OptionalInt status, String what, @Nullable Throwable cause) {
        super(
                "image.pull-failed",
                "Pulling from " + registry + " failed: " + withStatus(what, status) + ".",
                reason.remedy,
                cause);
        this.reason = reason;
        this.what = withStatus(what, status);
        this.registry = registry;
        this.status = status;
    }

    public PullFailed(Reason reason, String registry, String what) {
        this(reason, registry, OptionalInt.empty(), what, null);
    }

    /** Returns the same, where the name may be mistyped and others that are here are meant. */
    public PullFailed orMeant(List<String> near) {
        return near.isEmpty()
                ? this
                : new PullFailed(this, "Did you mean " + String.join(" or ", near) + "? That is here. " + remedy());
    }

    private PullFailed(PullFailed failed, String remedy) {
        super(failed.code(), failed.sentence(), remedy, failed);
        reason = failed.reason;
        what = failed.what;
        registry = failed.registry;
        status = failed.status;
    }

    /** Some of it are a registry's own words, which need not steer a terminal or fill a log. */
    private static String withStatus(String what, OptionalInt status) {
        return Printable.brief(what, LONGEST) + (status.isPresent() ? " (HTTP " + status.getAsInt() + ")" : "");
    }

    /** Returns what happened, as part of a sentence. */
    public String what() {
        return what;
    }

    /** Returns the kind of failure. */
    public Reason reason() {
        return reason;
    }

    /** Returns the registry's host, or the directory of a bundled image. */
    public String registry() {
        return registry;
    }

    /** Returns the registry's HTTP status, where it was an answer that failed. */
    public OptionalInt status() {
        return status;
    }
}
