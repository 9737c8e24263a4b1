package dev.cloche.erofs;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Little-endian numbers in byte arrays. */
final class LittleEndian {
    private static final VarHandle U16 = MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle U32 = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final VarHandle U64 = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private LittleEndian() {}

    static void u16(byte[] target, int at, int value) {
        U16.set(target, at, (short) value);
    }

    static void u32(byte[] target, int at, int value) {
        U32.set(target, at, value);
    }

    static void u64(byte[] target, int at, long value) {
        U64.set(target, at, value);
    }

    static int u16(byte[] source, int at) {
        return Short.toUnsignedInt((short) U16.get(source, at));
    }

    static int s32(byte[] source, int at) {
        return (int) U32.get(source, at);
    }

    static long u32(byte[] source, int at) {
        return Integer.toUnsignedLong((int) U32.get(source, at));
    }

    static long u64(byte[] source, int at) {
        return (long) U64.get(source, at);
    }
}
