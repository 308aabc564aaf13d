//! Fetching the default model: three files, each known by its hash.

use super::files::{FILES, File, REVISION};
use super::{DEFAULT_MODEL, Error, default_folder};
use crate::http;
use reqwest::Url;
use reqwest::redirect::{Action, Attempt, Policy};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_secs(30);

/// How often a server may send one on.
const MOST_REDIRECTS: usize = 10;

/// How often a file is asked for.
const TRIES: u32 = 3;

/// Where the default model is fetched from unless another place is named.
pub fn default_source() -> String {
    format!("https://huggingface.co/{DEFAULT_MODEL}/resolve/{REVISION}")
}

/// Fetches the default model from a web folder, into a folder or to where it is looked for by
/// default, and returns that. What is there already, by its hash, is not fetched again.
///
/// `report` is told the bytes that came, and of how many if that is known.
///
/// # Errors
///
/// [`Error::Fetch`] if a file cannot be had, is not the one that is meant, or cannot be written.
pub async fn fetch(
    from: &str,
    to: Option<&Path>,
    report: impl Fn(&'static str, u64, Option<u64>),
) -> Result<PathBuf, Error> {
    let folder = to.map(Path::to_owned).or_else(default_folder).ok_or_else(|| Error::Fetch {
        file: FILES[0].name,
        cause: "there is no folder for it: neither HOME nor XDG_CACHE_HOME is set".into(),
    })?;
    let url = Url::parse(from).map_err(|error| failed(FILES[0], &error))?;
    let has_secret = http::has_secret(&url);
    if has_secret && !http::is_confidential(&url) {
        let cause = "the password in its address would be sent over plain http";
        return Err(failed(FILES[0], &cause));
    }
    let builder = http::builder().read_timeout(SILENCE).redirect(Policy::custom(redirected));
    let is_here = has_secret && url.scheme() == "http";
    let client = if is_here { http::to_this_machine(builder) } else { builder }.build();
    let client = client.map_err(|error| failed(FILES[0], &error))?;
    let io = |file: File| move |error: std::io::Error| failed(file, &error);
    for file in FILES {
        let path = folder.join(file.name);
        if std::fs::read(&path).is_ok_and(|bytes| file.is(&Sha256::digest(bytes))) {
            continue;
        }
        std::fs::create_dir_all(&folder).map_err(io(file))?;
        // Whoever looks in between sees the old file or the new one, and no part of it.
        let part = folder.join(format!(".{}.{}", file.name, std::process::id()));
        let fetched = fetch_file(&client, from, file, &part, &report).await;
        let settled = fetched.and_then(|()| std::fs::rename(&part, &path).map_err(io(file)));
        if settled.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        settled?;
    }
    Ok(folder)
}

/// Follows a redirect, but not out of https, where the password would be readable.
fn redirected(attempt: Attempt<'_>) -> Action {
    let is_secure = |url: &Url| url.scheme() == "https";
    if attempt.previous().len() > MOST_REDIRECTS {
        attempt.error("it redirects more than 10 times")
    } else if attempt.previous().last().is_some_and(is_secure) && !is_secure(attempt.url()) {
        attempt.error("it redirects from https to http")
    } else {
        attempt.follow()
    }
}

async fn fetch_file(
    client: &reqwest::Client,
    from: &str,
    file: File,
    part: &Path,
    report: &impl Fn(&'static str, u64, Option<u64>),
) -> Result<(), Error> {
    let url = format!("{}/{}", from.trim_end_matches('/'), file.name);
    let mut tries = 1;
    loop {
        match try_file(client, &url, file, part, report).await {
            Err((error, true)) if tries < TRIES => {
                drop(error);
                tokio::time::sleep(Duration::from_secs(1) * tries).await;
                tries += 1;
            }
            fetched => return fetched.map_err(|(error, _)| error),
        }
    }
}

/// Tries once; an error comes with whether another try may do better.
async fn try_file(
    client: &reqwest::Client,
    url: &str,
    file: File,
    part: &Path,
    report: &impl Fn(&'static str, u64, Option<u64>),
) -> Result<(), (Error, bool)> {
    let web = |error: reqwest::Error| {
        let passing =
            !error.is_builder() && !error.status().is_some_and(|status| status.is_client_error());
        (failed(file, &error.without_url()), passing)
    };
    let disk = |error: std::io::Error| (failed(file, &error), false);
    let response = client.get(url).send().await.and_then(reqwest::Response::error_for_status);
    let mut response = response.map_err(web)?;
    let total = response.content_length();
    let mut output = std::fs::File::create(part).map_err(disk)?;
    let (mut hash, mut bytes) = (Sha256::new(), 0);
    while let Some(chunk) = response.chunk().await.map_err(web)? {
        hash.update(&chunk);
        output.write_all(&chunk).map_err(disk)?;
        bytes += chunk.len() as u64;
        report(file.name, bytes, total);
    }
    output.sync_all().map_err(disk)?;
    if !file.is(&hash.finalize()) {
        let cause = format!("what came is not the file of revision {REVISION}, by its hash");
        return Err((failed(file, &cause), false));
    }
    Ok(())
}

fn failed(file: File, cause: &impl ToString) -> Error {
    Error::Fetch { file: file.name, cause: cause.to_string() }
}
