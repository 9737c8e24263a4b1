package dev.cloche.image;

import java.util.List;
import java.util.stream.Collectors;

/** Several images have digests that begin so. Code {@code image.ambiguous}. */
public final class ImageAmbiguous extends ImageException {
    /** Named in the message; there may be more. */
    static final int NAMED = 10;

    private final List<String> candidates;

    /** @param found the digests, one more than {@link #NAMED} if there are more */
    ImageAmbiguous(String prefix, List<Digest> found) {
        super("image.ambiguous", "'" + prefix + "' may be " + words(found) + ".", "Give more of its digits.", null);
        candidates = found.stream().limit(NAMED).map(Digest::toString).toList();
    }

    /** Digests that begin so, ten at most. */
    public List<String> candidates() {
        return candidates;
    }

    private static String words(List<Digest> found) {
        String named = found.stream().limit(NAMED).map(Digest::toString).collect(Collectors.joining(" or "));
        return found.size() > NAMED ? named + " or others" : named;
    }
}
