package dev.cloche.image;

/**
 * Who uses an image. A holder pins at most one image at a time.
 *
 * @param kind what it is, for example {@code sandbox}
 * @param id identifies it among its kind
 * @param name what people call it
 */
public record ImageHolder(String kind, String id, String name) {
    public ImageHolder {
        if (kind.isBlank() || id.isBlank()) {
            throw new IllegalArgumentException("a holder needs a kind and an id");
        }
    }

    @Override
    public String toString() {
        return kind + " " + (name.isBlank() ? id : name);
    }
}
