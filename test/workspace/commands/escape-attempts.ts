/**
 * Attempts to get out of the sandbox. Each prints ESCAPED when it succeeds, or the secret that it read; what the
 * host must look like afterwards is checked by the suite. `$BASE` is the folder around the workspace, `$WORKER`
 * the worker's process, `$PORT` a server on loopback, `$ABSTRACT` and `$SOCKET` servers on Unix sockets.
 */
export const SECRET = 'precious-b7f2';

export interface Attempt {
  name: string;
  command: string;
  /** What the output must have, where a failure of another kind could look like a success of the sandbox. */
  wants?: RegExp;
  timeoutMs?: number;
  /**
   * Where the clone lies in a folder that the sandbox replaces (a home, /tmp) such a write lands in the replacement:
   * only what the host looks like afterwards tells whether it got out.
   */
  judgedByHost?: true;
  /** It is stopped without a sandbox too, and tried so. All others may succeed then, and are not tried. */
  alsoWithout?: true;
}

const connect = (target: string) =>
  `node -e 'require("net").connect(${target}).on("connect",()=>{console.log("ESCAPED");process.exit()}).on("error",e=>console.log(e.code))'`;

/** System calls of this machine. */
const [keyctl, socket] = process.arch === 'arm64' ? [219, 198] : [250, 41];

export const attempts: Attempt[] = [
  {
    name: 'writing to the parent folder',
    command: 'echo x > ../outside.txt && echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'writing by absolute path',
    command: 'echo x > $BASE/outside.txt && echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'creating a file next to the workspace',
    command: 'touch $BASE/planted && echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'writing through a symbolic link',
    command: 'ln -s ../outside.txt l1; echo x > l1 && echo ESCAPED',
    judgedByHost: true,
  },
  { name: 'a hard link to a file outside', command: 'ln ../outside.txt l2 && echo ESCAPED' },
  {
    name: 'writing through /proc/self/root',
    command: 'echo x > /proc/self/root$BASE/outside.txt && echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'writing through /proc/1/root',
    command: 'echo x > /proc/1/root$BASE/outside.txt && echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'writing through /proc/self/cwd',
    command: 'echo x > /proc/self/cwd/../outside.txt && echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'changing a shared package of the host',
    command:
      'echo x > node_modules/p/a.js; rm -rf node_modules/q; touch node_modules/planted $BASE/clone/node_modules/planted; cat node_modules/p/a.js',
    wants: /^x$/m,
  },
  {
    name: 'changing a cache of the host and links in it',
    command:
      'cd ~/.cache/tool; echo x > a; ln -s $BASE/state l; cat l/state.db; mkdir p; mv p ../p; ln -s $BASE/other-task p; cat p/*; rm -rf ~/.cache/tool; cat a',
    wants: /^cat: a: /m,
  },
  {
    name: 'links from shared folders to the worker’s state',
    command:
      'ln -s $BASE/state node_modules/l; cat node_modules/l/state.db; rm -rf node_modules/p; ln -s $BASE/state node_modules/p; cat node_modules/p/*',
  },
  {
    name: 'a shared folder’s attribute that shows another',
    command:
      "python3 -c \"import os; os.setxattr('node_modules/q', 'user.overlay.redirect', b'/../../state')\"; ls node_modules/q; cat node_modules/q/state.db",
  },
  {
    name: 'files behind a shared folder’s layer',
    command:
      'for d in $(grep -o "upperdir=[^,]*" /proc/self/mountinfo | cut -d= -f2); do ls $d && echo ESCAPED; done; echo looked',
    wants: /looked/,
  },
  { name: 'moving the workspace away', command: 'mv $BASE/workspace $BASE/gone && echo ESCAPED' },
  { name: 'planting a git hook', command: 'echo x > .git/hooks/pre-commit && echo ESCAPED' },
  {
    name: 'planting core.fsmonitor',
    command: 'git config core.fsmonitor "touch /tmp/x" && echo ESCAPED',
    judgedByHost: true,
  },
  { name: 'moving .git away', command: 'mv .git .git-old && echo ESCAPED' },
  { name: 'removing .git', command: 'rm -rf .git 2>/dev/null && echo ESCAPED' },
  {
    name: 'writing to the worktree’s repository',
    command: 'touch $BASE/repo/.git/hooks/x && echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'hooks, settings and objects of the worktree’s repository',
    command:
      'cd $BASE/repo/.git; git config core.hooksPath /tmp; git config core.fsmonitor /tmp/x; echo x > hooks/post-index-change; echo x > index; git hash-object -w hooks/x; rm -rf refs worktrees/*; echo ESCAPED',
    judgedByHost: true,
  },
  {
    name: 'objects under the commands’ git folder',
    command:
      'cd $BASE/repo/.git/shared-objects && chmod -R u+w . ; mkdir -p xx info; (echo x > info/alternates || rm -rf ./* || mv ../shared-objects ../y) 2>/dev/null && echo ESCAPED',
  },
  {
    name: 'another repository’s objects behind it',
    command:
      'cd $BASE/repo/.git; rm -rf shared-objects; rmdir shared-objects; ln -s $BASE/other-repo/.git/objects shared-objects; ln -s $BASE/state s; cat s/*; echo $BASE/other-repo/.git/objects >> objects/info/alternates; git cat-file --batch-all-objects --batch',
  },
  {
    name: 'another repository by links of an earlier command',
    command:
      'cd $BASE/repo/.git; cat s/* shared-objects/../HEAD; git cat-file --batch-all-objects --batch; git -C $BASE/workspace log',
  },
  {
    name: 'changing the branch of the worktree',
    command: 'git update-ref HEAD HEAD~0 && git commit --allow-empty -m x && echo ESCAPED',
    judgedByHost: true,
  },
  { name: 'writing .env', command: 'echo x >> .env && echo ESCAPED' },
  { name: 'reading another task’s workspace', command: 'cat $BASE/other-task/secret.txt' },
  { name: 'reading the worker’s state', command: 'cat $BASE/state/state.db; ls -R $BASE/state' },
  {
    name: 'writing to the worker’s state',
    command: '(echo x > $BASE/state/state.db) && echo ESCAPED',
  },
  {
    name: 'reading the home folder',
    command: 'cat $BASE/home/.ssh/id_rsa; ls -A $BASE/home; cat ~/../home/.ssh/id_rsa',
  },
  {
    name: 'finding secrets by name',
    command:
      'find $BASE /home /tmp /var/tmp /run -name "secret*.txt" -path "*task*" -exec cat {} + 2>/dev/null',
  },
  {
    name: 'reading the worker’s environment',
    command: 'cat /proc/$WORKER/environ; cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
  },
  { name: 'reading the worker’s memory', command: 'head -c 1 /proc/$WORKER/mem && echo ESCAPED' },
  { name: 'seeing the worker’s descriptors', command: 'ls /proc/$WORKER/fd/ | grep -q . && echo ESCAPED' },
  {
    name: 'an inherited descriptor',
    alsoWithout: true,
    command:
      'cat /proc/self/fd/{9,40}/state/state.db; cat <&9; for fd in /proc/$$/fd/*; do readlink $fd; done | grep -v "socket:\\|/dev/null\\|pipe:" | grep . && echo ESCAPED',
  },
  {
    name: 'secrets in the worker’s variables',
    command: 'env; cat /proc/self/environ | tr "\\0" "\\n"; bash -c "set"',
    alsoWithout: true,
  },
  {
    name: 'agent, bus and display that variables name',
    command:
      'echo "$SSH_AUTH_SOCK$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR$DISPLAY$GPG_AGENT_INFO" | grep . && echo ESCAPED',
    alsoWithout: true,
  },
  {
    name: 'credentials that git has stored',
    command: 'printf "protocol=https\\nhost=example.org\\n\\n" | git credential fill',
    alsoWithout: true,
  },
  {
    name: 'tokens of npm, by its settings',
    command: 'npm config list -l --json 2>/dev/null',
    alsoWithout: true,
  },
  { name: 'tokens of npm, by their file', command: 'cat ~/.npmrc $BASE/home/.npmrc $BASE/home/.netrc' },
  {
    name: 'reading the worker’s configuration and token file',
    command: 'cat $BASE/config/config.json $BASE/config/token; grep -rs . $BASE/config',
  },
  { name: 'a readable file of another user', command: 'cat $BASE/public/secret.txt; ls $BASE/public' },
  {
    name: 'a link to the worker’s state',
    command: 'ln -s $BASE/state/state.db stolen; cat stolen; cp -L stolen copy && cat copy',
  },
  {
    name: 'a link in a shown folder’s place',
    command: 'mkdir d; rmdir d; ln -s $BASE/state d; cat d/state.db',
  },
  {
    name: 'the history of another repository',
    command:
      'git --git-dir=$BASE/other-repo/.git log --format=%s; git clone -q $BASE/other-repo stolen-repo && git -C stolen-repo log --format=%s',
  },
  {
    name: 'another repository by alternates',
    command:
      'git init -q own && echo $BASE/other-repo/.git/objects > own/.git/objects/info/alternates && git -C own cat-file --batch-all-objects --batch-check && git -C own cat-file --batch-all-objects --batch',
  },
  {
    name: 'replacing a protected file by another',
    command: 'mv .env other && echo ESCAPED; ln .env same && echo x >> same && echo ESCAPED',
  },
  {
    name: 'the worker’s process by its name',
    command:
      'grep -las runner[.]mjs /proc/[0-9]*/cmdline && echo ESCAPED; pgrep -f runner[.]mjs && echo ESCAPED',
  },
  {
    name: 'the sockets of containers, buses and displays',
    command:
      'for s in /var/run/docker.sock /run/containerd/containerd.sock /run/dbus/system_bus_socket /run/systemd/private /tmp/.X11-unix; do test -e $s && echo ESCAPED $s; done',
  },
  {
    name: 'scheduling a program for later',
    command:
      'echo "touch /tmp/x" | at now && echo ESCAPED; (echo "* * * * * true" | crontab -) && echo ESCAPED',
  },
  {
    name: 'opening a device by a pipe’s name',
    command: 'mkfifo pipe && (timeout 1 cat pipe; true) && mknod pipe2 c 1 3 && echo ESCAPED',
  },
  { name: 'killing the worker', command: 'kill -9 $WORKER && echo ESCAPED' },
  { name: 'killing everything', command: 'kill -9 -1; true' },
  { name: 'a server on loopback', command: connect('$PORT, "127.0.0.1"'), wants: /ECONNREFUSED/ },
  { name: 'the internet', command: connect('53, "1.1.1.1"'), wants: /ENETUNREACH/ },
  { name: 'an abstract Unix socket', command: connect(String.raw`"\0$ABSTRACT"`), wants: /ECONNREFUSED/ },
  { name: 'a Unix socket file', command: connect('"$SOCKET"'), wants: /E[A-Z]+/ },
  { name: 'sockets in /run', command: 'find /run /var/run/ -type s 2>/dev/null | grep . && echo ESCAPED' },
  { name: 'mounting', command: 'mount -t tmpfs none /mnt && echo ESCAPED' },
  { name: 'making the root writable', command: 'mount -o remount,rw / && echo ESCAPED' },
  {
    name: 'uncovering a hidden folder',
    command:
      'umount $BASE/state && cat $BASE/state/state.db; umount -l $BASE/state && cat $BASE/state/state.db',
  },
  {
    name: 'uncovering one in a new namespace',
    command:
      'unshare -Urm sh -c "umount -l $BASE/state; umount -l $BASE/home; cat $BASE/state/state.db; mount -o remount,bind,rw / && touch $BASE/planted && echo ESCAPED"',
  },
  {
    name: 'a user namespace of its own',
    command: 'unshare -U true && echo ESCAPED',
  },
  {
    name: 'the keyring of the worker’s session',
    command: `perl -e 'print "ESCAPED\\n" if syscall(${keyctl}, 0, -3, 0) > 0; print "refused: $!\\n"'`,
    wants: /refused: Operation not permitted/,
  },
  {
    name: 'sockets to virtual machines (AF_VSOCK)',
    command: `perl -e 'print "ESCAPED\\n" if syscall(${socket}, 40, 1, 0) >= 0; print "refused: $!\\n"'`,
    wants: /refused: Address family not supported/,
  },
  {
    name: 'io_uring, which makes sockets past filters',
    command: `perl -e 'my $p = "\\0" x 120; print "ESCAPED\\n" if syscall(425, 1, $p) >= 0; print "refused: $!\\n"'`,
    wants: /refused: Function not implemented/,
  },
  {
    name: 'entering the host’s namespaces',
    command: 'nsenter -t 1 -a cat $BASE/state/state.db; nsenter -t $WORKER -m cat $BASE/state/state.db',
  },
  { name: 'chroot', command: 'chroot / true && echo ESCAPED' },
  { name: 'a device node', command: 'mknod disk b 254 0 && echo ESCAPED; mknod zero c 1 5 && echo ESCAPED' },
  {
    name: 'raw disks and kernel memory',
    command:
      'for d in /dev/sda /dev/vda /dev/mem /dev/kmsg /proc/kcore /dev/fuse; do head -c 1 $d >/dev/null 2>&1 && echo ESCAPED $d; done',
  },
  {
    name: 'capabilities',
    command: 'grep -h ^Cap /proc/self/status',
    wants: /CapEff:\s0{16}\nCapBnd:\s0{16}/,
  },
  {
    name: 'gaining rights by setuid',
    command: 'grep NoNewPrivs /proc/self/status; mount | grep " $BASE/workspace " | grep -c nosuid',
    wants: /NoNewPrivs:\s1\n1/,
  },
  {
    name: 'writing to /etc and /usr',
    command:
      'touch /etc/planted && echo ESCAPED; touch /usr/bin/planted && echo ESCAPED; touch /planted && echo ESCAPED',
  },
  { name: 'reading the password hashes', command: 'cat /etc/shadow /etc/gshadow && echo ESCAPED' },
  {
    name: 'kernel settings',
    // Opened but not written: a hole here must not cost the host anything.
    command:
      'for f in /proc/sys/kernel/core_pattern /proc/sysrq-trigger /proc/sys/vm/drop_caches; do (: >> $f) 2>/dev/null && echo ESCAPED $f; done; find /proc/sys/vm /proc/sys/dev /sys -type f -writable 2>/dev/null | grep -m1 . && echo ESCAPED',
  },
  {
    name: 'a cgroup’s release agent',
    command:
      'for f in $(find /sys/fs/cgroup -maxdepth 2 -name release_agent -o -maxdepth 2 -name cgroup.procs 2>/dev/null); do (: >> $f) 2>/dev/null && echo ESCAPED $f; done',
  },
  {
    name: 'the host’s name and clock',
    command: 'hostname evil && echo ESCAPED; date -s 2001-01-01 && echo ESCAPED',
  },
  {
    name: 'typing into the worker’s terminal',
    alsoWithout: true,
    command: 'echo x > /dev/tty && echo ESCAPED; tty && echo ESCAPED',
  },
  {
    name: 'raising the limits again',
    command: 'ulimit -f unlimited && echo ESCAPED; ulimit -Hd 100000000 && echo ESCAPED',
  },
  {
    name: 'a file larger than allowed',
    alsoWithout: true,
    command:
      'dd if=/dev/zero of=big bs=1M count=64 2>&1; test $(stat -c %s big) -gt 40000000 && echo ESCAPED; rm -f big',
  },
  {
    name: 'more memory than allowed',
    alsoWithout: true,
    command: 'head -c 700M /dev/zero | tail > /dev/null; echo ${PIPESTATUS[1]}',
    // tail says that memory is exhausted, or is ended by a signal where the machine is short of it; whoever watches all
    // processes together may end the command first.
    wants: /^[1-9]\d*$|more than \d+ MiB of memory together/m,
  },
  {
    name: 'filling shared memory',
    command:
      'for n in $(seq 30); do head -c 30M /dev/zero > /dev/shm/$n || exit 0; done 2>/dev/null; echo ESCAPED',
  },
  {
    name: 'filling the device folder',
    command:
      'touch /dev/planted && echo ESCAPED; touch $BASE/home/planted $BASE/state/planted && echo ESCAPED',
  },
  {
    name: 'filling a hidden folder',
    command: 'chmod 777 $BASE/home; head -c 10M /dev/zero > $BASE/home/x && echo ESCAPED',
  },
  {
    name: 'a process that outlives the call',
    alsoWithout: true,
    command: 'setsid nohup sleep 987654 >/dev/null 2>&1 & sleep 0.1; pgrep -x sleep',
    wants: /\d/,
  },
  {
    name: 'a fork bomb',
    alsoWithout: true,
    // Put together at run time, past the courtesy of the deny list. At the lowest priority: other suites run beside it.
    command:
      'printf "%s() { %s | %s & }; %s; sleep 30" b b b b > bomb.sh; nice -n 19 bash bomb.sh 2>/dev/null; echo over',
    timeoutMs: 2500,
  },
  {
    name: 'filling the disk',
    alsoWithout: true,
    command: 'for n in $(seq 1000); do head -c 30M /dev/zero > fill-$n || exit 1; done; echo ESCAPED',
    wants: /disk space|No space/,
    timeoutMs: 30_000,
  },
];
