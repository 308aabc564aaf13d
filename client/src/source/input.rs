//! What is named on a command line, and what each of these is.

use super::archive::{self, is_archive};
use super::lines::{self, Belonging, Lines};
use super::walk::{self, as_given};
use super::web::{self, Network, Remembered};
use super::{Error, Filter, Found, Pattern, Scope};
use reqwest::Url;
use std::path::{Path, PathBuf};

/// Something to take documents from.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, or a folder with all that is in it.
    Path(PathBuf),
    /// A file that is to be known by a uri of its own.
    Named(PathBuf, String),
    /// Files that a pattern describes.
    Pattern(Pattern),
    /// An archive: `.tar`, `.tar.gz`, `.tgz` or `.zip`.
    Archive(PathBuf),
    /// A file of JSON lines.
    Lines(PathBuf, Lines, Belonging),
    /// A page, or a sitemap.
    Address(Url),
    /// Standard input: a document of that uri, or an archive if it ends as the name of one.
    Stdin(String),
    /// Standard input as JSON lines.
    StdinLines(Lines, Belonging),
}

/// What comes from inputs, read as it is asked for.
pub type Sources = Box<dyn Iterator<Item = Result<Found, Error>> + Send>;

impl Input {
    /// Finds out what an argument is: an address, an archive by its name, a pattern, or a path.
    ///
    /// # Errors
    ///
    /// If it looks like an address or a pattern and is none.
    pub fn of(argument: &Path) -> Result<Self, Error> {
        let text = argument.to_str().unwrap_or_default();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Input::Address(web::address(text)?));
        }
        if Pattern::is(argument) {
            return Ok(Input::Pattern(Pattern::new(text)?));
        }
        if is_archive(text) && !argument.is_dir() {
            return Ok(Input::Archive(argument.to_owned()));
        }
        Ok(Input::Path(argument.to_owned()))
    }

    /// Tells whether it is fetched.
    pub fn is_address(&self) -> bool {
        matches!(self, Input::Address(_))
    }

    /// Returns where it is in the file system, if it is there to be watched.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Input::Path(path)
            | Input::Named(path, _)
            | Input::Archive(path)
            | Input::Lines(path, ..) => Some(path.clone()),
            Input::Pattern(pattern) => Some(pattern.folder()),
            Input::Address(_) | Input::Stdin(_) | Input::StdinLines(..) => None,
        }
    }

    /// Tells of which documents it has all there are.
    pub fn scope(&self) -> Scope {
        match self {
            Input::Path(path) if path.is_dir() => match walk::uri_in(path, "") {
                Some(folder) => Scope::Below(folder),
                None => Scope::One(String::new()),
            },
            Input::Path(path) => Scope::One(as_given(path).unwrap_or_default()),
            Input::Stdin(uri) if is_archive(uri) => Scope::Below(format!("{uri}/")),
            Input::Named(_, uri) | Input::Stdin(uri) => Scope::One(uri.clone()),
            Input::Pattern(pattern) => Scope::Like(pattern.clone()),
            Input::Archive(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                Scope::Below(format!("{name}/"))
            }
            // Only what is there tells whether it is a page or a site.
            Input::Address(url) => Scope::Site(url.clone()),
            Input::Lines(..) | Input::StdinLines(..) => Scope::All,
        }
    }

    fn sources(
        self,
        filter: Filter,
        network: Network,
        remembered: &mut dyn FnMut() -> Remembered,
    ) -> Sources {
        match self {
            Input::Path(path) => Box::new(walk::wanted(&path, filter)),
            Input::Named(path, uri) => {
                Box::new(std::iter::once(Ok(Found::Item(super::Item::file(path, uri)))))
            }
            Input::Pattern(pattern) => Box::new(pattern.files(filter)),
            Input::Archive(path) => archive::members(&path, filter),
            Input::Lines(path, lines, belonging) => lines::rows(&path, lines, belonging, filter),
            Input::Address(url) => web::pages(url, network, remembered(), filter),
            Input::Stdin(uri) if is_archive(&uri) => {
                archive::streamed(std::io::stdin(), &uri, filter)
            }
            Input::Stdin(uri) => Box::new(std::iter::once_with(move || {
                let item = super::Item::bytes(uri, super::read_stdin()?);
                Ok(Found::Item(super::Item { origin: "-".into(), ..item }))
            })),
            Input::StdinLines(lines, belonging) => {
                lines::streamed(std::io::stdin(), Path::new("-"), lines, belonging, filter)
            }
        }
    }
}

/// Reads inputs one after the other, and pages from a `network`; `remembered` tells what is known
/// of pages.
pub fn open(
    inputs: Vec<Input>,
    filter: Filter,
    network: Network,
    mut remembered: impl FnMut() -> Remembered + Send + 'static,
) -> Sources {
    let open = move |input: Input| input.sources(filter.clone(), network, &mut remembered);
    Box::new(inputs.into_iter().flat_map(open))
}
