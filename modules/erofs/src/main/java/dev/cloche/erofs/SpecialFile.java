package dev.cloche.erofs;

/** A device, a named pipe or a socket. */
public final class SpecialFile extends Inode {
    /** The largest device numbers that Linux encodes in 32 bits. */
    public static final int MAX_MAJOR = 0xfff;

    public static final int MAX_MINOR = 0xfffff;

    /** Says what kind of node. */
    public enum Kind {
        CHARACTER_DEVICE(ErofsFormat.S_IFCHR, 3),
        BLOCK_DEVICE(ErofsFormat.S_IFBLK, 4),
        FIFO(ErofsFormat.S_IFIFO, 5),
        SOCKET(ErofsFormat.S_IFSOCK, 6);

        private final int typeBits;
        private final int direntType;

        Kind(int typeBits, int direntType) {
            this.typeBits = typeBits;
            this.direntType = direntType;
        }
    }

    private final Kind kind;
    private final int major;
    private final int minor;

    /** Makes one, whose device numbers must be 0 if it is a pipe or a socket. */
    public SpecialFile(Attributes attributes, Kind kind, int major, int minor) {
        super(attributes);
        boolean device = kind == Kind.CHARACTER_DEVICE || kind == Kind.BLOCK_DEVICE;
        if (major < 0 || major > (device ? MAX_MAJOR : 0) || minor < 0 || minor > (device ? MAX_MINOR : 0)) {
            throw new IllegalArgumentException("no device number for a " + kind + ": " + major + ":" + minor);
        }
        this.kind = kind;
        this.major = major;
        this.minor = minor;
    }

    public Kind kind() {
        return kind;
    }

    public int major() {
        return major;
    }

    public int minor() {
        return minor;
    }

    /** As {@code new_encode_dev} of the kernel has it. */
    int encodedDevice() {
        return (minor & 0xff) | (major << 8) | ((minor & ~0xff) << 12);
    }

    static int majorOf(int encoded) {
        return (encoded >>> 8) & MAX_MAJOR;
    }

    static int minorOf(int encoded) {
        return (encoded & 0xff) | ((encoded >>> 12) & 0xfff00);
    }

    @Override
    int typeBits() {
        return kind.typeBits;
    }

    @Override
    int direntType() {
        return kind.direntType;
    }
}
