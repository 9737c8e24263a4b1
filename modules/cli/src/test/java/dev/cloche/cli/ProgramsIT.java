package dev.cloche.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cloche.cli.Program.Result;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Large programs of a distribution do their real work in a guest, with each of the kernels that {@code ./setup} makes. */
@Tag("slow")
@ParameterizedClass
@ValueSource(strings = {"debian", "small"})
class ProgramsIT {
    private static final List<String> PACKAGES = List.of(
            "python3-pip",
            "python3-venv",
            "nodejs",
            "openjdk-17-jdk-headless",
            "git",
            "openssh-server",
            "openssh-client",
            "e2fsprogs");

    @TempDir
    static Path directory;

    static Program cloche;
    static LoopbackRegistry registry;
    static String image;

    private final String kernel;

    ProgramsIT(String kernel) {
        this.kernel = kernel;
    }

    @BeforeAll
    static void pushAnImage() throws Exception {
        cloche = Program.in(Files.createDirectory(directory.resolve("home")));
        Files.setPosixFilePermissions(
                cloche.home(), java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
        DebianImage programs = DebianImage.of("debian-programs", PACKAGES, directory);
        registry = LoopbackRegistry.start(directory);
        image = programs.push(registry);
        Result pull = cloche.run("pull", image);
        assertThat(pull.exitCode()).as(pull.stderr()).isZero();
    }

    @AfterAll
    static void stopTheRegistry() {
        if (registry != null) {
            registry.close();
        }
    }

    @BeforeEach
    void useTheKernel() {
        Path share = Program.root().resolve("dist/share/kernels").resolve(kernel);
        Assumptions.assumeTrue(
                Files.exists(share.resolve("initramfs")),
                "the kernel " + kernel + " is not there: run ./setup --kernel " + kernel);
        cloche.environment().put("CLOCHE_SHARE", share.toString());
    }

    private String inGuest(String script) {
        Result result = cloche.run("run", "--memory", "1g", image, "--", "sh", "-e", "-c", script);
        assertThat(result.exitCode()).as(result.toString()).isZero();
        return result.stdout();
    }

    @Test
    void itIsThatKernel() throws Exception {
        String release = inGuest("uname -r").strip();
        assertThat(release.endsWith("-cloche")).isEqualTo(kernel.equals("small"));
        assertThat(Files.readAllLines(
                        Program.root().resolve("dist/share/kernels/" + kernel + "/kernel/kernel.properties")))
                .contains("release=" + release);
    }

    @Test
    void aptInstallsAndRemovesAPackage() {
        assertThat(inGuest("""
                        mkdir -p /tmp/p/DEBIAN /tmp/p/usr/bin
                        cat > /tmp/p/DEBIAN/control <<'END'
                        Package: greeting
                        Version: 1.0
                        Architecture: all
                        Maintainer: Nobody <nobody@example.org>
                        Depends: git
                        Description: says something
                        END
                        printf '#!/bin/sh\\necho packaged\\n' > /tmp/p/usr/bin/greeting
                        chmod 755 /tmp/p/usr/bin/greeting
                        dpkg-deb --build /tmp/p /tmp/greeting.deb > /dev/null
                        apt-get install -y /tmp/greeting.deb > /tmp/log 2>&1 || { cat /tmp/log; exit 1; }
                        greeting
                        dpkg-query -W greeting
                        apt-get check > /dev/null
                        apt-get purge -y greeting > /tmp/log 2>&1 || { cat /tmp/log; exit 1; }
                        ls /usr/bin/greeting 2>&1 || true
                        """))
                .isEqualTo(
                        "packaged\ngreeting\t1.0\nls: cannot access '/usr/bin/greeting': No such file or directory\n");
    }

    @Test
    void pipInstallsAWheelIntoAVirtualEnvironment() {
        assertThat(inGuest("""
                        python3 -m venv /tmp/venv
                        cd /tmp
                        python3 - <<'END'
                        import zipfile
                        with zipfile.ZipFile('greeting-1.0-py3-none-any.whl', 'w') as wheel:
                            info = 'greeting-1.0.dist-info/'
                            wheel.writestr('greeting.py', 'def greet():\\n    return "wheeled"\\n')
                            wheel.writestr(info + 'METADATA', 'Metadata-Version: 2.1\\nName: greeting\\nVersion: 1.0\\n')
                            wheel.writestr(info + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
                            wheel.writestr(info + 'RECORD', 'greeting.py,,\\n')
                        END
                        venv/bin/pip install --no-index --disable-pip-version-check -q greeting-1.0-py3-none-any.whl
                        venv/bin/python -c 'import greeting; print(greeting.greet())'
                        """)).isEqualTo("wheeled\n");
    }

    @Test
    void pythonUsesProcessesThreadsAndSharedMemory() {
        assertThat(inGuest("""
                        cat > /tmp/work.py <<'END'
                        import multiprocessing, concurrent.futures, sqlite3
                        def square(n):
                            return n * n
                        if __name__ == '__main__':
                            with multiprocessing.Pool(3) as pool:
                                print(sum(pool.map(square, range(100))))
                            with concurrent.futures.ThreadPoolExecutor() as threads:
                                print(sum(threads.map(square, range(100))))
                            database = sqlite3.connect('/tmp/test.db')
                            database.execute('pragma journal_mode=wal')
                            database.execute('create table t(n)')
                            database.executemany('insert into t values(?)', ((n,) for n in range(1000)))
                            database.commit()
                            print(database.execute('select sum(n) from t').fetchone()[0])
                        END
                        python3 /tmp/work.py
                        """)).isEqualTo("328350\n328350\n499500\n");
    }

    @Test
    void nodeUsesFilesWorkersAndCiphers() {
        assertThat(inGuest("""
                        cat > /tmp/work.js <<'END'
                        const { Worker } = require('worker_threads');
                        const crypto = require('crypto'), fs = require('fs'), net = require('net');
                        async function main() {
                            await fs.promises.writeFile('/tmp/n', 'x'.repeat(100000));
                            console.log((await fs.promises.readFile('/tmp/n')).length);
                            console.log(await new Promise((done, failed) => {
                                const worker = new Worker('require("worker_threads").parentPort.postMessage(6*7)', { eval: true });
                                worker.on('message', done).on('error', failed);
                            }));
                            console.log(crypto.pbkdf2Sync('p', 's', 1000, 16, 'sha512').toString('hex').length);
                            console.log(await new Promise((done, failed) => {
                                const server = net.createServer(socket => socket.end('over loopback'));
                                server.listen(0, '127.0.0.1', () => net.connect(server.address().port, '127.0.0.1')
                                    .on('error', failed).on('data', data => { server.close(); done(data.toString()); }));
                            }));
                            await new Promise(done => {
                                const watcher = fs.watch('/tmp', () => { watcher.close(); done(); });
                                fs.writeFileSync('/tmp/watched', '');
                            });
                            console.log('watched');
                        }
                        main();
                        END
                        node /tmp/work.js
                        """)).isEqualTo("100000\n42\n32\nover loopback\nwatched\n");
    }

    @Test
    void aJvmCompilesAndRunsAClass() {
        assertThat(inGuest("""
                        mkdir /tmp/j
                        cd /tmp/j
                        cat > Work.java <<'END'
                        import java.nio.file.*;
                        import java.util.stream.*;
                        public class Work {
                            public static void main(String[] arguments) throws Exception {
                                System.out.println(IntStream.range(0, 100_000).parallel().mapToLong(i -> i).sum());
                                try (WatchService watch = FileSystems.getDefault().newWatchService()) {
                                    Path.of("/tmp/j").register(watch, StandardWatchEventKinds.ENTRY_CREATE);
                                    Files.createFile(Path.of("/tmp/j/new"));
                                    System.out.println(watch.take().pollEvents().get(0).context());
                                }
                                Process child = new ProcessBuilder("echo", "child").inheritIO().start();
                                System.out.println(child.waitFor());
                            }
                        }
                        END
                        javac Work.java
                        java -Xmx128m Work
                        """)).isEqualTo("4999950000\nnew\nchild\n0\n");
    }

    @Test
    void gitCommitsPacksAndClones() {
        assertThat(inGuest("""
                        export HOME=/tmp/h
                        mkdir -p $HOME
                        git config --global user.email a@example.org
                        git config --global user.name A
                        git init -q -b main /tmp/r
                        cd /tmp/r
                        for i in 1 2 3; do
                            seq $((i * 1000)) > file
                            git add file
                            git commit -q -m "number $i"
                        done
                        git gc -q --aggressive
                        git fsck --strict 2>&1
                        git clone -q --no-local /tmp/r /tmp/c
                        git -C /tmp/c log --format=%s
                        wc -l < /tmp/c/file
                        """)).isEqualTo("number 3\nnumber 2\nnumber 1\n3000\n");
    }

    @Test
    void sshdLetsInWhoHasAKey() {
        assertThat(inGuest("""
                        mkdir -p /run/sshd /root/.ssh
                        ssh-keygen -q -A
                        ssh-keygen -q -t ed25519 -N '' -f /root/.ssh/id_ed25519
                        cp /root/.ssh/id_ed25519.pub /root/.ssh/authorized_keys
                        chmod 700 /root/.ssh
                        /usr/sbin/sshd -p 2222 -o ListenAddress=127.0.0.1
                        log_in() {
                            ssh -n -p 2222 -o BatchMode=yes -o StrictHostKeyChecking=accept-new -o LogLevel=ERROR "$@"
                        }
                        log_in root@127.0.0.1 'id -un; echo "${SSH_CONNECTION%% *}"'
                        log_in -tt root@127.0.0.1 tty | tr -d '\\r'
                        """)).isEqualTo("root\n127.0.0.1\n/dev/pts/0\n");
    }

    @Test
    void namespacesAndExtendedFileSystemsWork() {
        assertThat(inGuest("""
                        unshare --user --map-root-user --pid --fork --mount-proc sh -c 'id -u; echo $$'
                        unshare --net --ipc --uts --cgroup --time --fork sh -c 'hostname inside; hostname'
                        mkdir /sys/fs/cgroup/some
                        cat /sys/fs/cgroup/cgroup.controllers | tr ' ' '\\n' | grep -xE 'cpu|memory|pids' | sort
                        setpriv --reuid=1000 --clear-groups sh -c 'ulimit -c unlimited; id -u'
                        ipcmk -M 4096 | cut -d: -f1
                        ls -d /dev/mqueue /dev/shm
                        """)).isEqualTo("""
                        0
                        1
                        inside
                        cpu
                        memory
                        pids
                        1000
                        Shared memory id
                        /dev/mqueue
                        /dev/shm
                        """);
    }

    /** By number, because Python has no names for most. None does anything: their first argument is wrong. */
    @Test
    void theSystemCallsOfTodayAreThere() {
        assertThat(inGuest("""
                        cat > /tmp/calls.py <<'END'
                        import ctypes, errno, os
                        libc = ctypes.CDLL(None, use_errno=True)
                        calls = dict(io_setup=206, inotify_init1=294, fanotify_init=300, signalfd4=289, eventfd2=290,
                            timerfd_create=283, epoll_create1=291, perf_event_open=298, name_to_handle_at=303,
                            process_vm_readv=310, kcmp=312, seccomp=317, memfd_create=319, bpf=321, userfaultfd=323,
                            membarrier=324, copy_file_range=326, pkey_alloc=330, statx=332, rseq=334,
                            pidfd_send_signal=424, io_uring_setup=425, fsopen=430, pidfd_open=434, clone3=435,
                            openat2=437, landlock_create_ruleset=444, mq_open=240, shmget=29, add_key=248,
                            unshare=272, setns=308)
                        for name, number in calls.items():
                            if os.fork() == 0:
                                libc.syscall(number, -1, 0, 0, 0, 0, 0)
                                os._exit(ctypes.get_errno() == errno.ENOSYS)
                            if os.wait()[1] != 0:
                                print(name)
                        END
                        python3 /tmp/calls.py
                        """)).isEmpty();
    }
}
