package dev.cloche.vm;

/**
 * A guest that was halted for a snapshot cannot go on, because the image that it boots from could not be given back to it. Its
 * VM is ended.
 */
public final class ImageAsideException extends VmException {
    public ImageAsideException(VmId id) {
        super(
                "vm.image-aside",
                "VM " + id
                        + " was ended: a snapshot of it failed and left its guest without the image that it boots from",
                "Start it anew.",
                null);
    }
}
