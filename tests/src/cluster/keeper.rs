/*!
The process that owns a server and removes it after the test.

A test may panic or be killed, or be one thread of many, so it cannot clean up reliably. A small shell
script does so: it reads orders line by line. At the end of its input it stops the server by its process
id and removes the folder.
*/

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use super::installation::Installation;

/// `$1` is the folder, `$2` the server's program. An order is `start` or the name of a signal. The
/// script answers each order with a line.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
stop() {
    [ -z "$server" ] || { kill -s "$1" "$server"; wait "$server"; } 2>/dev/null
    server=
}
while read -r order; do
    case $order in
        start) stop QUIT; "$2" -D "$1/data" -k "$1" >>"$1/log" 2>&1 & server=$! ;;
        *) stop "$order" ;;
    esac
    echo done
done
stop QUIT
rm -rf "$1"
"#;

#[derive(Debug)]
pub(super) struct Keeper {
    folder: PathBuf,
    child: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Keeper {
    /// Copies the template into a new folder, without starting the server.
    pub(super) fn new(
        installation: &Installation,
        template: &Path,
        environment: &[(&str, &str)],
    ) -> Self {
        let folder = new_folder(installation);
        let mut child = installation
            .command("sh")
            .args(["-c", SCRIPT, "keeper"])
            .arg(&folder)
            .arg(installation.bin("postgres"))
            .envs(environment.iter().copied())
            // A process group of its own: Ctrl-C ends the test but not the keeper.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell runs");
        let orders = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let data = folder.join("data");
        let keeper = Self { folder, child, orders, answers };

        let copied = installation.command("cp").arg("-a").args([template, &data]).status();
        assert!(copied.is_ok_and(|status| status.success()), "the template cannot be copied");
        keeper
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Starts the server, without waiting until it accepts connections. First waits until the former
    /// server has ended, because two servers on the same data would conflict.
    pub(super) fn start(&mut self) {
        self.order("start");
    }

    /// Stops the server by a signal and waits until it has ended.
    pub(super) fn stop(&mut self, signal: &str) {
        self.order(signal);
    }

    /// Sends a signal to the server without waiting for its end.
    pub(super) fn signal(&self, signal: &str) {
        if let Some(pid) = self.pid() {
            let killed = Command::new("sh").args(["-c", "kill -s $0 $1", signal, &pid]).status();
            assert!(killed.is_ok_and(|status| status.success()), "the server cannot be signalled");
        }
    }

    /// Ends the server and all its processes by `kill -9` and waits until they have ended.
    ///
    /// If only the server were killed, its sessions would go on until they notice. Until then the server
    /// could not start again.
    pub(super) fn destroy(&self) {
        let Some(server) = self.pid() else { return };
        let signal = |signal: &str, pids: &[String]| {
            // A session may have ended already.
            let _ =
                Command::new("kill").args(["-s", signal]).args(pids).stderr(Stdio::null()).status();
        };
        // No session can begin from here on.
        signal("STOP", std::slice::from_ref(&server));
        let status = |pid: &str, field: &str| {
            let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let value = status.lines().find_map(|line| line.strip_prefix(field))?;
            Some(value.trim().to_owned())
        };
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let mut pids: Vec<_> = processes
            .filter_map(|process| process.file_name().into_string().ok())
            .filter(|pid| status(pid, "PPid:").as_ref() == Some(&server))
            .collect();
        pids.push(server);
        signal("KILL", &pids);
        // A zombie holds no resources.
        let lives =
            |pid: &String| status(pid, "State:").is_some_and(|state| !state.starts_with('Z'));
        while pids.iter().any(lives) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }

    /// Returns the server's log.
    pub(super) fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn pid(&self) -> Option<String> {
        let file = fs::read_to_string(self.folder.join("data/postmaster.pid")).ok()?;
        file.lines().next().map(str::to_owned)
    }

    fn order(&mut self, order: &str) {
        let orders = self.orders.as_mut().expect("the keeper takes orders until it is dropped");
        writeln!(orders, "{order}").expect("the keeper reads its orders");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the keeper answers");
        assert_eq!(answer, "done\n", "the keeper has ended");
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // At the end of its input the keeper cleans up.
        drop(self.orders.take());
        let _ = self.child.wait();
    }
}

/// Makes a folder for one cluster, with a name short enough for a socket's path.
fn new_folder(installation: &Installation) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let temporary = installation.temporary();
    for _ in 0..1_000 {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = temporary.join(format!("passage-{}-{number}", std::process::id()));
        match installation.make_folder(&folder) {
            Ok(()) => return folder,
            // A killed keeper left it, and the process id was used again.
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => panic!("{}: {error}", folder.display()),
        }
    }
    panic!("no free name in {}", temporary.display());
}
