package dev.cloche.qemu;

import java.nio.file.Path;

/** Describes a kernel with the initramfs that holds the guest agent, and what the host has to know of it. */
public record KernelImage(Path kernel, Path initramfs, KernelProperties properties) {}
