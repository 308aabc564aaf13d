//! A call of a tool of `passage mcp`.

use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::process::Command;

/// Starts a server, calls a tool, and ends the server. Returns the structured content of the answer.
pub async fn call_tool(mut program: Command, name: &str, arguments: Value) -> Value {
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
    let mut server = program.spawn().unwrap();
    let (mut input, output) = (server.stdin.take().unwrap(), server.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}),
    ] {
        input.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }
    let mut answer = loop {
        let line = lines.next_line().await.unwrap().expect("the server answers");
        let answer: Value = serde_json::from_str(&line).unwrap();
        if answer["id"] == 2 {
            break answer;
        }
    };
    drop(input);
    assert!(server.wait().await.unwrap().success());
    let content = answer["result"]["structuredContent"].take();
    assert!(content.is_object(), "{answer}");
    content
}
