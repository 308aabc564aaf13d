//! A web server on the loopback interface with pages that a test sets.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

/// A site that is served until the end of the test.
pub struct Site {
    /// The address, without a slash at the end.
    pub url: String,
    pages: Arc<Mutex<HashMap<String, Page>>>,
    requests: Arc<Mutex<Vec<String>>>,
}

/// An answer of the server.
#[derive(Clone, Default)]
pub struct Page {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// The answer to all requests after the first one.
    then: Option<Box<Page>>,
}

impl Page {
    pub fn new(status: u16, body: impl AsRef<[u8]>) -> Self {
        Self { status, body: body.as_ref().to_vec(), ..Self::default() }
    }

    pub fn then(self, next: Self) -> Self {
        Self { then: Some(Box::new(next)), ..self }
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.into(), value.into()));
        self
    }

    fn header(&self, name: &str) -> Option<&str> {
        let header = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        header.map(|(_, value)| &**value)
    }
}

impl Site {
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let site = Self { url, pages: Arc::default(), requests: Arc::default() };
        let (pages, requests) = (Arc::clone(&site.pages), Arc::clone(&site.requests));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, requests) = (Arc::clone(&pages), Arc::clone(&requests));
                // A client may close the connection early.
                thread::spawn(move || serve(&stream, &pages, &requests).ok());
            }
        });
        site
    }

    /// Sets the page of a path; `{site}` in its text is replaced by the address.
    pub fn page(&self, path: &str, mut page: Page) {
        if let Ok(text) = std::str::from_utf8(&page.body) {
            page.body = text.replace("{site}", &self.url).into_bytes();
        }
        for (_, value) in &mut page.headers {
            *value = value.replace("{site}", &self.url);
        }
        self.pages.lock().unwrap().insert(path.into(), page);
    }

    /// Returns and clears the recorded requests of pages: path and condition.
    pub fn requests(&self) -> Vec<String> {
        let mut requests = std::mem::take(&mut *self.requests.lock().unwrap());
        requests.retain(|request| !is_of_robots(request));
        requests.sort();
        requests
    }

    /// Returns the number of requests of robots.txt since the requests were cleared.
    pub fn robots_requests(&self) -> usize {
        self.requests.lock().unwrap().iter().filter(|request| is_of_robots(request)).count()
    }
}

fn is_of_robots(request: &str) -> bool {
    request.split(' ').next().is_some_and(|path| path.ends_with("/robots.txt"))
}

fn serve(
    stream: &TcpStream,
    pages: &Mutex<HashMap<String, Page>>,
    requests: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream).lines();
    let first = lines.next().unwrap_or_else(|| Ok(String::new()))?;
    let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
    let (mut condition, mut etag, mut date) = (String::new(), None, None);
    for line in lines {
        let line = line?;
        let Some((name, value)) = line.split_once(": ") else { break };
        match &*name.to_ascii_lowercase() {
            "if-none-match" => etag = Some(value.to_owned()),
            "if-modified-since" => date = Some(value.to_owned()),
            "authorization" => condition.push_str(" authorized"),
            _ => {}
        }
    }
    let page = pages.lock().unwrap().get(&path).cloned().unwrap_or(Page::new(404, "no"));
    if let Some(next) = &page.then {
        pages.lock().unwrap().insert(path.clone(), Page::clone(next));
    }
    let same = |condition: &Option<String>, header: &str| {
        condition.as_deref().is_some_and(|asked| page.header(header) == Some(asked))
    };
    let is_same = same(&etag, "etag") || (etag.is_none() && same(&date, "last-modified"));
    for (asked, name) in [(&etag, " etag"), (&date, " date")] {
        condition.push_str(if asked.is_some() { name } else { "" });
    }
    requests.lock().unwrap().push(format!("{path}{condition}"));
    let page = if is_same { Page { status: 304, body: Vec::new(), ..page } } else { page };

    let mut stream = stream;
    write!(stream, "HTTP/1.1 {} OK\r\nConnection: close\r\n", page.status)?;
    for (name, value) in &page.headers {
        write!(stream, "{name}: {value}\r\n")?;
    }
    if page.header("content-length").is_none() && page.status != 304 {
        write!(stream, "Content-Length: {}\r\n", page.body.len())?;
    }
    stream.write_all(b"\r\n")?;
    stream.write_all(&page.body)?;
    stream.flush()
}
