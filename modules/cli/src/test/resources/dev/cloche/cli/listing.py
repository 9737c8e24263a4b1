"""Prints everything about every file below a directory but what file systems may differ in: sizes and link counts of
directories."""
import hashlib
import os
import stat
import sys


def describe(path, shown):
    info = os.lstat(path)
    words = ["%o" % info.st_mode, str(info.st_uid), str(info.st_gid), str(info.st_mtime_ns)]
    if not stat.S_ISDIR(info.st_mode):
        words += [str(info.st_nlink), str(info.st_size)]
    if stat.S_ISCHR(info.st_mode) or stat.S_ISBLK(info.st_mode):
        words.append("%d:%d" % (os.major(info.st_rdev), os.minor(info.st_rdev)))
    if stat.S_ISLNK(info.st_mode):
        words.append(repr(os.readlink(path)))
    for name in sorted(os.listxattr(path, follow_symlinks=False)):
        words.append(name + "=" + os.getxattr(path, name, follow_symlinks=False).hex())
    if stat.S_ISREG(info.st_mode):
        digest = hashlib.sha256()
        with open(path, "rb") as content:
            while chunk := content.read(1 << 20):
                digest.update(chunk)
        words.append(digest.hexdigest())
    print(repr(shown), *words)


def walk(directory, shown):
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        describe(path, shown + b"/" + name)
        if stat.S_ISDIR(os.lstat(path).st_mode):
            walk(path, shown + b"/" + name)


sys.setrecursionlimit(10000)
top = os.fsencode(sys.argv[1])
describe(top, b".")
walk(top, b".")
