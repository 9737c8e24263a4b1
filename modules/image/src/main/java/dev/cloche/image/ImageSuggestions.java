package dev.cloche.image;

import dev.cloche.base.NameSuggestions;
import java.util.List;

/** Images on this host that a mistyped name may stand for. Pure. */
public final class ImageSuggestions {
    private static final int MOST = 3;

    private ImageSuggestions() {}

    /** Returns those whose name is near, in any tag where none is near by its whole name; as people write them. */
    public static List<String> of(ImageReference wanted, List<ImageReference> here) {
        if (wanted.isDigestAlone() || here.contains(wanted)) {
            return List.of();
        }
        List<String> near = NameSuggestions.of(
                wanted.familiar(), here.stream().map(ImageReference::familiar).toList());
        return near.isEmpty()
                ? here.stream()
                        .filter(other -> !NameSuggestions.of(repository(wanted), List.of(repository(other)))
                                .isEmpty())
                        .map(ImageReference::familiar)
                        .limit(MOST)
                        .toList()
                : near;
    }

    /** Asks for those that are near, or else says {@code otherwise}. */
    static String remedy(ImageReference wanted, List<ImageReference> here, String otherwise) {
        List<String> near = of(wanted, here);
        return near.isEmpty() ? otherwise : "Did you mean " + String.join(" or ", near) + "?";
    }

    private static String repository(ImageReference reference) {
        String familiar = reference.familiar();
        int end = familiar.length() - reference.target().length() - 1;
        return end > 0 && familiar.endsWith(reference.target()) ? familiar.substring(0, end) : familiar;
    }
}
