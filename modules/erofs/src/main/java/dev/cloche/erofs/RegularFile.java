package dev.cloche.erofs;

/** A regular file, whose content is already at its place. */
public final class RegularFile extends Inode {
    private final FileData data;

    public RegularFile(Attributes attributes, FileData data) {
        super(attributes);
        this.data = data;
    }

    public FileData data() {
        return data;
    }

    @Override
    int typeBits() {
        return ErofsFormat.S_IFREG;
    }

    @Override
    int direntType() {
        return 1;
    }
}
