package dev.cloche.agentsandbox;

import dev.cloche.base.ClocheException;
import dev.cloche.vm.FileInfo;
import dev.cloche.vm.FileKind;
import dev.cloche.vm.GuestFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import org.springaicommunity.sandbox.FileEntry;
import org.springaicommunity.sandbox.FileSpec;
import org.springaicommunity.sandbox.FileType;
import org.springaicommunity.sandbox.Sandbox;
import org.springaicommunity.sandbox.SandboxException;
import org.springaicommunity.sandbox.SandboxFiles;

/** The files of an {@link AgentSandbox}. The sentences of failures begin as those of agent-sandbox-core do. */
final class AgentFiles implements SandboxFiles {
    private final AgentSandbox sandbox;
    private final dev.cloche.SandboxFiles files;
    private final String directory;

    AgentFiles(AgentSandbox sandbox, dev.cloche.SandboxFiles files, String directory) {
        this.sandbox = sandbox;
        this.files = files;
        this.directory = directory;
    }

    private String absolute(String path) {
        return path.startsWith("/") ? path : path.isEmpty() || path.equals(".") ? directory : directory + "/" + path;
    }

    private <T> T told(String what, String path, Supplier<T> work) {
        sandbox.requireOpen();
        try {
            return work.get();
        } catch (GuestFileException.NoSuchFile missing) {
            throw new SandboxException("Path does not exist: " + path, missing);
        } catch (ClocheException e) {
            throw new SandboxException(what + path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public SandboxFiles create(String path, String content) {
        return told("Failed to create file: ", path, () -> {
            files.writeString(absolute(path), content);
            return this;
        });
    }

    @Override
    public SandboxFiles createDirectory(String path) {
        return told("Failed to create directory: ", path, () -> {
            files.makeDirectories(absolute(path));
            return this;
        });
    }

    @Override
    public SandboxFiles setup(List<FileSpec> specs) {
        specs.forEach(file -> create(file.path(), file.content()));
        return this;
    }

    @Override
    public String read(String path) {
        return told("Failed to read file: ", path, () -> files.readString(absolute(path)));
    }

    @Override
    public boolean exists(String path) {
        return told("Failed to read file attributes: ", path, () -> {
            try {
                files.stat(absolute(path));
                return true;
            } catch (GuestFileException.NoSuchFile | GuestFileException.NotDirectory none) {
                return false;
            }
        });
    }

    @Override
    public List<FileEntry> list(String path) {
        return list(path, 1);
    }

    @Override
    public List<FileEntry> list(String path, int maxDepth) {
        return told("Failed to list directory: ", path, () -> {
            String absolute = absolute(path);
            if (files.stat(absolute).kind() != FileKind.DIRECTORY) {
                throw new SandboxException("Path is not a directory: " + path);
            }
            List<FileEntry> entries = new ArrayList<>();
            list(absolute, maxDepth, entries);
            return entries;
        });
    }

    /** Adds what is in a directory, each directory before what is in it. */
    private void list(String absolute, int depth, List<FileEntry> entries) {
        if (depth <= 0) {
            return;
        }
        String prefix = absolute.endsWith("/") ? absolute : absolute + "/";
        for (FileInfo file : files.list(absolute).stream()
                .sorted(Comparator.comparing(FileInfo::name))
                .toList()) {
            boolean isDirectory = file.kind() == FileKind.DIRECTORY;
            String path = prefix + file.name();
            entries.add(new FileEntry(
                    file.name(),
                    isDirectory ? FileType.DIRECTORY : FileType.FILE,
                    path.startsWith(directory + "/") ? path.substring(directory.length() + 1) : path,
                    isDirectory ? 0 : file.size(),
                    file.modified()));
            if (isDirectory) {
                list(path, depth - 1, entries);
            }
        }
    }

    @Override
    public SandboxFiles delete(String path) {
        return delete(path, false);
    }

    @Override
    public SandboxFiles delete(String path, boolean recursive) {
        return told("Failed to delete: ", path, () -> {
            String absolute = absolute(path);
            boolean isDirectory = files.statLink(absolute).kind() == FileKind.DIRECTORY;
            if (!recursive && isDirectory && !files.list(absolute).isEmpty()) {
                throw new SandboxException("Failed to delete: " + path + " is a directory that is not empty");
            }
            files.remove(absolute);
            return this;
        });
    }

    @Override
    public Sandbox and() {
        return sandbox;
    }
}
