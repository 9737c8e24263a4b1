package dev.cloche.erofs;

/** A symbolic link. */
public final class Symlink extends Inode {
    /** The longest target that Linux follows, in bytes. */
    public static final int MAX_TARGET = 4095;

    private final Bytes target;

    public Symlink(Attributes attributes, Bytes target) {
        super(attributes);
        if (target.isEmpty() || target.length() > MAX_TARGET || target.contains('\0')) {
            throw new IllegalArgumentException("no target for a symbolic link: " + target);
        }
        this.target = target;
    }

    public Bytes target() {
        return target;
    }

    @Override
    int typeBits() {
        return ErofsFormat.S_IFLNK;
    }

    @Override
    int direntType() {
        return 7;
    }
}
