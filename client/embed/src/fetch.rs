//! Fetching the default model: three files, each verified by its checksum.

use super::default_model::{DEFAULT_MODEL, FILES, ModelFile, REVISION, default_folder};
use super::error::Error;
use passage_http as http;
use reqwest::Url;
use reqwest::redirect::{Action, Attempt, Policy};
use sha2::{Digest, Sha256};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time limit for the next bytes of a response.
const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum number of redirects.
const MAX_REDIRECTS: usize = 10;

/// Maximum number of attempts for a file.
const MAX_ATTEMPTS: u32 = 3;

/// Returns the URL of the folder from which the default model is fetched by default.
pub fn default_source() -> String {
    format!("https://huggingface.co/{DEFAULT_MODEL}/resolve/{REVISION}")
}

/// Fetches the default model from the URL of a folder into a local folder, and returns the local folder.
///
/// The default of `to` is [`default_folder`]. Files that are present with the right checksum are not
/// fetched again. `report` receives a file's name, the bytes received, and the total if it is known.
///
/// # Errors
///
/// Returns [`Error::Fetch`] if a file cannot be fetched, has another checksum, or cannot be written.
///
/// # Examples
///
/// ```no_run
/// use passage_embed::{default_source, fetch};
///
/// # async fn example() -> Result<(), passage_embed::Error> {
/// let folder = fetch(&default_source(), None, |file, bytes, total| {
///     eprintln!("{file}: {bytes} of {total:?} bytes");
/// })
/// .await?;
/// println!("{}", folder.display());
/// # Ok(())
/// # }
/// ```
pub async fn fetch(
    from: &str,
    to: Option<&Path>,
    report: impl Fn(&'static str, u64, Option<u64>),
) -> Result<PathBuf, Error> {
    let folder = to.map(Path::to_owned).or_else(default_folder).ok_or_else(|| Error::Fetch {
        file: FILES[0].name,
        cause: "no default folder: neither HOME nor XDG_CACHE_HOME is set".into(),
    })?;
    let url = Url::parse(from).map_err(|error| failed(FILES[0], &error))?;
    let has_secret = http::has_credentials(&url);
    if has_secret && !http::is_confidential(&url) {
        let cause = "the password in the URL would be sent over unencrypted HTTP";
        return Err(failed(FILES[0], &cause));
    }
    let builder =
        http::builder().read_timeout(READ_TIMEOUT).redirect(Policy::custom(redirect_policy));
    let is_local = has_secret && url.scheme() == "http";
    let client = if is_local { http::without_proxy(builder) } else { builder }.build();
    let client = client.map_err(|error| failed(FILES[0], &error))?;
    let io = |file: ModelFile| move |error: std::io::Error| failed(file, &error);
    for file in FILES {
        let path = folder.join(file.name);
        if std::fs::read(&path).is_ok_and(|bytes| file.has_checksum(&Sha256::digest(bytes))) {
            continue;
        }
        std::fs::create_dir_all(&folder).map_err(io(file))?;
        // A rename replaces the file atomically, so that no reader sees a part of it.
        let part = folder.join(format!(".{}.{}", file.name, std::process::id()));
        let fetched = fetch_file(&client, from, file, &part, &report).await;
        let renamed = fetched.and_then(|()| std::fs::rename(&part, &path).map_err(io(file)));
        if renamed.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        renamed?;
    }
    Ok(folder)
}

/// Follows a redirect, but not from https to http, which would send the password unencrypted.
fn redirect_policy(attempt: Attempt<'_>) -> Action {
    let is_secure = |url: &Url| url.scheme() == "https";
    if attempt.previous().len() > MAX_REDIRECTS {
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
    file: ModelFile,
    part: &Path,
    report: &impl Fn(&'static str, u64, Option<u64>),
) -> Result<(), Error> {
    let url = format!("{}/{}", from.trim_end_matches('/'), file.name);
    let mut attempts = 1;
    loop {
        match try_file(client, &url, file, part, report).await {
            Err((error, true)) if attempts < MAX_ATTEMPTS => {
                drop(error);
                tokio::time::sleep(Duration::from_secs(1) * attempts).await;
                attempts += 1;
            }
            fetched => return fetched.map_err(|(error, _)| error),
        }
    }
}

/// Fetches a file once. The flag beside the error says whether a retry can succeed.
async fn try_file(
    client: &reqwest::Client,
    url: &str,
    file: ModelFile,
    part: &Path,
    report: &impl Fn(&'static str, u64, Option<u64>),
) -> Result<(), (Error, bool)> {
    let web = |error: reqwest::Error| {
        let is_transient =
            !error.is_builder() && !error.status().is_some_and(|status| status.is_client_error());
        (failed(file, &error.without_url()), is_transient)
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
    if !file.has_checksum(&hash.finalize()) {
        let cause = format!("the checksum is not that of revision {REVISION}");
        return Err((failed(file, &cause), false));
    }
    Ok(())
}

fn failed(file: ModelFile, cause: &impl ToString) -> Error {
    Error::Fetch { file: file.name, cause: cause.to_string() }
}
