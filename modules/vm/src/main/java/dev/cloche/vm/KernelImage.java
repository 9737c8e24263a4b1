package dev.cloche.vm;

import java.nio.file.Path;

/**
 * A kernel with the initramfs that holds the guest agent.
 *
 * @param version what {@code uname -r} says in the guest, as far as the installation recorded it
 */
public record KernelImage(Path kernel, Path initramfs, String version) {}
