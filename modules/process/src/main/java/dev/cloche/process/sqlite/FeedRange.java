package dev.cloche.process.sqlite;

/**
 * Names the positions of the feed that one transaction took, which are next to each other.
 *
 * @param first of them; 0 if there are none
 */
public record FeedRange(long first, long last) {
    public static final FeedRange NONE = new FeedRange(0, 0);

    public FeedRange and(FeedRange later) {
        if (later.first == 0) {
            return this;
        }
        return first == 0 ? later : new FeedRange(first, later.last);
    }
}
