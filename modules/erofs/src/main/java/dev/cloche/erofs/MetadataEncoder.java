package dev.cloche.erofs;

import java.io.IOException;

/** Writes a metadata area as {@link MetadataLayout} planned it. */
final class MetadataEncoder {
    private final MetadataLayout layout;
    private final long firstBlock;
    private final long dataShift;
    private final BlockOutput out;
    private long outsideBlock;

    /**
     * @param firstBlock where the area begins; the output stands there
     * @param dataShift added to every address of file content
     */
    MetadataEncoder(MetadataLayout layout, long firstBlock, long dataShift, BlockOutput out) {
        this.layout = layout;
        this.firstBlock = firstBlock;
        this.dataShift = dataShift;
        this.out = out;
        this.outsideBlock = firstBlock + layout.inodeBlocks();
    }

    void write() throws IOException {
        int number = 0;
        for (Inode inode : layout.inodes()) {
            number++;
            out.zerosUntil(firstBlock * ErofsFormat.BLOCK + inode.nid * ErofsFormat.SLOT);
            writeInode(inode, number);
        }
        out.alignToBlock();
        for (Inode inode : layout.inodes()) {
            if (!MetadataLayout.inlines(inode)) {
                writeContent(inode);
                out.alignToBlock();
            }
        }
    }

    private void writeInode(Inode inode, int number) throws IOException {
        Attributes attributes = inode.attributes();
        byte[] encoded = new byte[ErofsFormat.INODE];
        LittleEndian.u16(encoded, 0, ErofsFormat.EXTENDED | dataLayout(inode) << 1);
        LittleEndian.u16(encoded, 2, XattrCodec.count(attributes.xattrs()));
        LittleEndian.u16(encoded, 4, inode.typeBits() | attributes.permissions());
        LittleEndian.u64(encoded, 8, size(inode));
        LittleEndian.u32(encoded, 16, place(inode));
        LittleEndian.u32(encoded, 20, number);
        LittleEndian.u32(encoded, 24, attributes.uid());
        LittleEndian.u32(encoded, 28, attributes.gid());
        LittleEndian.u64(encoded, 32, attributes.seconds());
        LittleEndian.u32(encoded, 40, attributes.nanos());
        LittleEndian.u32(encoded, 44, inode.links);
        out.write(encoded, 0, encoded.length);
        XattrCodec.write(attributes.xattrs(), out);
        if (inode instanceof RegularFile file && file.data() instanceof FileData.Chunked chunked) {
            writeChunks(chunked);
        } else if (MetadataLayout.inlines(inode)) {
            writeContent(inode);
        }
    }

    private static int dataLayout(Inode inode) {
        return switch (inode) {
            case RegularFile file ->
                file.data() instanceof FileData.Chunked ? ErofsFormat.CHUNK_BASED : ErofsFormat.FLAT_PLAIN;
            case SpecialFile _ -> ErofsFormat.FLAT_PLAIN;
            case Directory _, Symlink _ ->
                MetadataLayout.inlines(inode) ? ErofsFormat.FLAT_INLINE : ErofsFormat.FLAT_PLAIN;
        };
    }

    private static long size(Inode inode) {
        return inode instanceof RegularFile file ? file.data().size() : MetadataLayout.outsideSize(inode);
    }

    /** The field {@code i_u}: a block address, a device number, or the format of chunks. */
    private int place(Inode inode) {
        return switch (inode) {
            case RegularFile file ->
                switch (file.data()) {
                    case FileData.Contiguous data -> data.size() == 0 ? 0 : (int) (data.block() + dataShift);
                    case FileData.Chunked data -> data.chunkBits() - ErofsFormat.BLOCK_BITS;
                };
            case SpecialFile special -> special.encodedDevice();
            case Directory _, Symlink _ -> {
                if (MetadataLayout.inlines(inode)) {
                    yield 0;
                }
                long block = outsideBlock;
                outsideBlock += ErofsFormat.blocks(MetadataLayout.outsideSize(inode));
                yield (int) block;
            }
        };
    }

    private void writeChunks(FileData.Chunked data) throws IOException {
        long blocksPerChunk = 1L << (data.chunkBits() - ErofsFormat.BLOCK_BITS);
        long chunk = 0;
        for (FileData.ChunkRun run : data.runs()) {
            for (; chunk < run.chunk(); chunk++) {
                out.u32(ErofsFormat.NULL_ADDRESS);
            }
            for (; chunk < run.chunk() + run.count(); chunk++) {
                out.u32((int) (run.block() + dataShift + (chunk - run.chunk()) * blocksPerChunk));
            }
        }
        for (; chunk < data.chunks(); chunk++) {
            out.u32(ErofsFormat.NULL_ADDRESS);
        }
    }

    private void writeContent(Inode inode) throws IOException {
        switch (inode) {
            case Directory directory -> DirectoryBlocks.write(directory, out);
            case Symlink link -> out.write(link.target());
            case RegularFile _, SpecialFile _ -> {}
        }
    }
}
