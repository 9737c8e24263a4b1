package dev.cloche.erofs;

/** A tree or its content exceeds what EROFS with 4 KiB blocks can address. */
public final class ErofsTooLargeException extends ErofsException {
    ErofsTooLargeException(String what) {
        super("erofs.too-large", "The file system is too large: " + what + ".", "Use smaller layers.", null);
    }
}
