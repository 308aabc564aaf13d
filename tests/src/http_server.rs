//! A running `passage serve` or `passage mcp --http`, and a minimal client for it.

use serde_json::Value;
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};

/// A running server, stopped when dropped.
pub struct HttpServer {
    /// The host and port.
    address: String,
    child: Child,
}

impl HttpServer {
    /// Starts `passage serve` on a free port.
    ///
    /// # Panics
    ///
    /// Panics if it does not start.
    pub async fn start(client: Command, options: &[&str]) -> Self {
        Self::start_command(client, &["serve", "--listen", "127.0.0.1:0"], options).await
    }

    /// Starts `passage mcp` on a free port.
    ///
    /// # Panics
    ///
    /// Panics if it does not start.
    pub async fn start_mcp(client: Command, options: &[&str]) -> Self {
        Self::start_command(client, &["mcp", "--http", "127.0.0.1:0"], options).await
    }

    async fn start_command(mut client: Command, command: &[&str], options: &[&str]) -> Self {
        client.args(command).args(options).stderr(Stdio::piped());
        let mut child = client.kill_on_drop(true).spawn().expect("the client was built");
        let mut stderr = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut line = String::new();
        stderr.read_line(&mut line).await.expect("the server prints its address");
        // Notes that come later must not fill the pipe.
        tokio::spawn(async move { tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await });
        let address = line.trim().strip_prefix("listening on http://");
        let address = address.unwrap_or_else(|| panic!("{line}")).trim_end_matches("/mcp");
        Self { address: address.to_owned(), child }
    }

    /// Opens a connection, which keeps alive.
    ///
    /// # Panics
    ///
    /// Panics if the server does not listen.
    pub async fn connect(&self) -> HttpConnection {
        let stream = TcpStream::connect(&self.address).await.expect("the server listens");
        stream.set_nodelay(true).expect("it is a socket");
        HttpConnection(BufReader::new(stream))
    }

    /// Sends bytes on a connection of their own, and returns the status of the answer.
    ///
    /// # Panics
    ///
    /// Panics if the server does not answer.
    pub async fn status(&self, request: &str) -> u16 {
        let mut connection = self.connect().await;
        connection.send(request).await;
        connection.read_status().await
    }

    /// Sends one request with a JSON body, or without one.
    ///
    /// # Panics
    ///
    /// Panics if the server does not answer with JSON.
    pub async fn request(&self, path: &str, body: Option<&Value>) -> (u16, Value) {
        let (status, text) = self.connect().await.request(path, body).await;
        (status, serde_json::from_slice(&text).expect("the answer is JSON"))
    }

    /// Stops the server, which must end within its time for open requests.
    ///
    /// # Panics
    ///
    /// Panics if it does not end with exit code 0.
    pub async fn stop(mut self) {
        let pid = self.child.id().expect("it was not waited for").to_string();
        let killed = Command::new("kill").args(["-TERM", &pid]).status().await;
        assert!(killed.expect("kill runs").success());
        assert!(self.child.wait().await.expect("it ends").success());
    }
}

/// A connection to a server.
pub struct HttpConnection(BufReader<TcpStream>);

impl HttpConnection {
    /// Sends a request, and returns the status and the body.
    ///
    /// # Panics
    ///
    /// Panics if the server closes the connection.
    pub async fn request(&mut self, path: &str, body: Option<&Value>) -> (u16, Vec<u8>) {
        self.send(&request(path, body)).await;
        let status = self.read_status().await;
        let mut length = 0;
        loop {
            let line = self.line().await;
            match line.split_once(": ") {
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.parse().expect("it is a length");
                }
                Some(_) => {}
                None => break,
            }
        }
        let mut answer = vec![0; length];
        self.0.read_exact(&mut answer).await.expect("the server sends the body");
        (status, answer)
    }

    /// Sends bytes.
    ///
    /// # Panics
    ///
    /// Panics if the server has closed the connection.
    pub async fn send(&mut self, bytes: &str) {
        self.0.get_mut().write_all(bytes.as_bytes()).await.expect("the server reads");
    }

    /// Reads the status of an answer.
    async fn read_status(&mut self) -> u16 {
        let line = self.line().await;
        let status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
        status.unwrap_or_else(|| panic!("the answer has a status: {line}"))
    }

    /// Returns a line of the head.
    async fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).await.expect("the server answers");
        line.trim_end().to_owned()
    }
}

/// Returns a request with a JSON body, or without one.
pub fn request(path: &str, body: Option<&Value>) -> String {
    let method = if body.is_some() { "POST" } else { "GET" };
    let body = body.map(ToString::to_string).unwrap_or_default();
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}
