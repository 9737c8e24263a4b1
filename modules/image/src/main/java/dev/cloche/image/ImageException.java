package dev.cloche.image;

import dev.cloche.base.ClocheException;
import org.jspecify.annotations.Nullable;

/** What can go wrong with images. */
public abstract sealed class ImageException extends ClocheException
        permits BadReference,
                LoginFailed,
                ImageNotFound,
                ImageInUse,
                ImageAmbiguous,
                ImageHasNames,
                ImageDamaged,
                ImageInterrupted,
                PullFailed,
                LoadFailed,
                SaveFailed,
                CommitFailed,
                CorruptArchiveException,
                ImageCacheFailed {
    ImageException(String code, String sentence, String remedy, @Nullable Throwable cause) {
        super(code, sentence, remedy, cause);
    }
}
