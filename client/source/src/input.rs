//! Inputs: the sources that a user names on the command line.

use super::CollectionVersion;
use super::archive::{self, is_archive};
use super::jsonl::{self, JsonLines, LineOptions};
use super::walk::{self, normalized};
use super::web::{self, FollowLinks, HttpCache, PageOptions, RobotsCache, address};
use super::{
    EmptyReason, Error, Filter, LeftOut, LinksError, Pattern, Scope, Selection, SourceDocument,
    SourceEntry, empty,
};
use reqwest::Url;
use std::path::{Path, PathBuf};

/// A source of documents.
#[derive(Clone, Debug)]
pub enum Input {
    /// A file, or a folder with everything in it.
    Path(PathBuf),
    /// A file with a uri of its own.
    NamedFile(PathBuf, String),
    /// The files that match a pattern.
    Pattern(Pattern),
    /// An archive: `.tar`, `.tar.gz`, `.tgz` or `.zip`.
    Archive(PathBuf),
    /// A file of JSON lines of one collection, or of those that the lines name.
    JsonLines(PathBuf, JsonLines, Option<CollectionVersion>),
    /// A page, or a list of pages: a sitemap, `llms.txt` or `llms-full.txt`.
    Address(Url),
    /// A page, and the pages that its links lead to.
    Links(Url, FollowLinks),
    /// Standard input: a document with this uri, or an archive if the uri ends as the name of one.
    Stdin(String),
    /// Standard input as JSON lines.
    StdinJsonLines(JsonLines, Option<CollectionVersion>),
}

/// An iterator over the entries of inputs, which are read on demand.
pub type Sources = Box<dyn Iterator<Item = Result<SourceEntry, Error>> + Send>;

impl Input {
    /// Parses an argument: an address, the name of an archive, a pattern, or a path.
    ///
    /// # Errors
    ///
    /// Returns an error for an invalid address or pattern.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage_source::Input;
    ///
    /// assert!(matches!(Input::parse("docs.zip".as_ref())?, Input::Archive(_)));
    /// assert!(matches!(Input::parse("docs/**/*.md".as_ref())?, Input::Pattern(_)));
    /// assert!(matches!(Input::parse("https://example.com/".as_ref())?, Input::Address(_)));
    /// # Ok::<(), passage_source::Error>(())
    /// ```
    pub fn parse(argument: &Path) -> Result<Self, Error> {
        let text = argument.to_str().unwrap_or_default();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Ok(Input::Address(address::parse(text)?));
        }
        if Pattern::is(argument) {
            return Ok(Input::Pattern(Pattern::new(text)?));
        }
        if is_archive(text) && !argument.is_dir() {
            return Ok(Input::Archive(argument.to_owned()));
        }
        Ok(Input::Path(argument.to_owned()))
    }

    /// Returns the input with links that are followed, or `None` if it is not the address of a page. Without a prefix,
    /// links are followed within the folder of the page.
    ///
    /// # Errors
    ///
    /// Returns an error if the page is not below the prefix.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage_source::{FollowLinks, Input};
    ///
    /// let page = Input::parse("https://example.com/docs/index.html".as_ref())?;
    /// let Some(Input::Links(_, follow)) = page.with_links(None, 5, 100)? else { panic!() };
    /// assert_eq!(follow, FollowLinks { prefix: "/docs/".into(), depth: 5, max_pages: 100 });
    /// # Ok::<(), passage_source::Error>(())
    /// ```
    pub fn with_links(
        &self,
        prefix: Option<&str>,
        depth: usize,
        max_pages: usize,
    ) -> Result<Option<Self>, Error> {
        let Input::Address(url) = self else { return Ok(None) };
        if address::is_list_name(url) {
            return Ok(None);
        }
        let mut folder = url.clone();
        folder.set_path(prefix.unwrap_or(address::folder(url)));
        let prefix = folder.path().to_owned();
        if !url.path().starts_with(&prefix) {
            return Err(LinksError::OutsidePrefix { url: address::uri(url), prefix }.into());
        }
        Ok(Some(Input::Links(url.clone(), FollowLinks { prefix, depth, max_pages })))
    }

    /// Returns the path to watch for changes; `None` for pages and standard input.
    pub fn path(&self) -> Option<PathBuf> {
        match self {
            Input::Path(path)
            | Input::NamedFile(path, _)
            | Input::Archive(path)
            | Input::JsonLines(path, ..) => Some(path.clone()),
            Input::Pattern(pattern) => Some(pattern.folder()),
            Input::Address(_) | Input::Links(..) | Input::Stdin(_) | Input::StdinJsonLines(..) => {
                None
            }
        }
    }

    /// Returns the error of a file or folder that cannot be found, so that a program can report it before it does
    /// anything else.
    ///
    /// # Examples
    ///
    /// ```
    /// use passage_source::Input;
    ///
    /// let error = Input::parse("nosuch.md".as_ref())?.missing().expect("it does not exist");
    /// assert!(error.to_string().starts_with("cannot read nosuch.md: "));
    /// assert!(Input::parse("https://example.com/".as_ref())?.missing().is_none());
    /// # Ok::<(), passage_source::Error>(())
    /// ```
    pub fn missing(&self) -> Option<Error> {
        let path = self.path()?;
        let error = path.metadata().err()?;
        Some(match self {
            Input::Pattern(pattern) => Error::NoMatch { pattern: pattern.to_string() },
            _ => Error::unreadable(&path, &error),
        })
    }

    /// Returns the documents that the input lists completely.
    pub fn scope(&self) -> Scope {
        match self {
            Input::Path(path) if path.is_dir() => match walk::folder_uri(path, "") {
                Some(folder) => Scope::Prefix(folder),
                None => Scope::Uri(String::new()),
            },
            Input::Path(path) => Scope::Uri(normalized(path).unwrap_or_default()),
            Input::Stdin(uri) if is_archive(uri) => Scope::Prefix(format!("{uri}/")),
            Input::NamedFile(_, uri) | Input::Stdin(uri) => Scope::Uri(uri.clone()),
            Input::Pattern(pattern) => Scope::Pattern(pattern.clone()),
            Input::Archive(path) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                Scope::Prefix(format!("{name}/"))
            }
            // Whether it is a page or a sitemap is known only after it is fetched.
            Input::Address(url) => Scope::Site(url.clone()),
            Input::Links(url, FollowLinks { prefix, .. }) => {
                let mut folder = url.clone();
                folder.set_path(prefix);
                Scope::Below(folder)
            }
            Input::JsonLines(..) | Input::StdinJsonLines(..) => Scope::Collection,
        }
    }

    /// Returns the name of the input in messages.
    fn name(&self) -> String {
        match self {
            Input::Path(path) | Input::Archive(path) | Input::JsonLines(path, ..) => {
                path.display().to_string()
            }
            Input::Pattern(pattern) => pattern.to_string(),
            Input::Address(url) | Input::Links(url, _) => address::uri(url),
            Input::NamedFile(_, uri) | Input::Stdin(uri) => uri.clone(),
            Input::StdinJsonLines(..) => "standard input".into(),
        }
    }

    /// Returns why the input has no document, if it has none.
    fn explain(&self, filter: &Filter, left_out: LeftOut) -> EmptyReason {
        match self {
            Input::Path(path) if path.is_dir() => empty::explain_folder(path, filter),
            Input::Path(_) => EmptyReason::Excluded,
            Input::JsonLines(..)
            | Input::StdinJsonLines(..)
            | Input::Address(_)
            | Input::Links(..)
                if left_out.excluded > 0 =>
            {
                EmptyReason::Excluded
            }
            Input::Address(_) | Input::Links(..) => EmptyReason::NoPages,
            _ => left_out.reason(),
        }
    }

    fn entries(self, options: &OpenOptions, caches: &mut Caches<'_>) -> Sources {
        let selection = Selection::from(options.filter.clone());
        let (input, filter) = (self.clone(), options.filter.clone());
        let entries = self.selected_entries(options, selection.clone(), caches);
        if options.allow_empty {
            // A missing folder may be one that is not mounted.
            let exists = move || input.path().is_none_or(|path| path.exists());
            return Box::new(entries.filter(move |entry| match entry {
                Err(Error::NoMatch { .. } | Error::Empty { .. }) => !exists(),
                _ => true,
            }));
        }
        let name = input.name();
        let explain = move |left_out| input.explain(&filter, left_out);
        Box::new(empty::or_empty(entries, name, selection, explain))
    }

    fn selected_entries(
        self,
        options: &OpenOptions,
        selection: Selection,
        caches: &mut Caches<'_>,
    ) -> Sources {
        match self {
            Input::Path(path) => Box::new(walk::walk_filtered(&path, options.filter.clone())),
            Input::NamedFile(path, uri) => Box::new(std::iter::once(Ok(SourceEntry::Document(
                SourceDocument::file(path, uri),
            )))),
            Input::Pattern(pattern) => Box::new(pattern.files(selection)),
            Input::Archive(path) => archive::members(&path, selection),
            Input::JsonLines(path, lines, collection) => {
                jsonl::documents(&path, lines, options.lines(collection), selection)
            }
            Input::Address(url) => {
                let cache = (caches.http)();
                web::listed_pages(url, options.pages, &caches.robots, cache, selection)
            }
            Input::Links(url, follow) => {
                let cache = (caches.http)();
                web::linked_pages((url, follow), options.pages, &caches.robots, cache, selection)
            }
            Input::Stdin(uri) if is_archive(&uri) => {
                archive::streamed(std::io::stdin(), &uri, selection)
            }
            Input::Stdin(uri) => Box::new(std::iter::once_with(move || {
                let document = SourceDocument::bytes(uri, super::read_stdin()?);
                Ok(SourceEntry::Document(SourceDocument { origin: "-".into(), ..document }))
            })),
            Input::StdinJsonLines(lines, collection) => {
                let options = options.lines(collection);
                jsonl::streamed(std::io::stdin(), Path::new("-"), lines, options, selection)
            }
        }
    }
}

/// How inputs are opened.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    /// The documents to include.
    pub filter: Filter,
    /// How pages are fetched.
    pub pages: PageOptions,
    /// Whether an input may have no document. Otherwise that is an error with the reason.
    pub allow_empty: bool,
    /// The model of embeddings in JSON lines that do not name it.
    pub model_name: Option<String>,
    /// The dimensions that embeddings in JSON lines must have, if they are known.
    pub dimensions: Option<usize>,
}

impl OpenOptions {
    fn lines(&self, collection: Option<CollectionVersion>) -> LineOptions {
        LineOptions { collection, model: self.model_name.clone(), dimensions: self.dimensions }
    }
}

/// The caches that inputs of pages share.
struct Caches<'c> {
    /// Makes the cache of an input.
    http: &'c mut dyn FnMut() -> Box<dyn HttpCache>,
    robots: RobotsCache,
}

/// Opens inputs, which are read one after the other. Each input of pages gets its own cache from
/// `http_cache`.
pub fn open(
    inputs: Vec<Input>,
    options: OpenOptions,
    mut http_cache: impl FnMut() -> Box<dyn HttpCache> + Send + 'static,
) -> Sources {
    let robots = RobotsCache::default();
    let open = move |input: Input| {
        input.entries(&options, &mut Caches { http: &mut http_cache, robots: robots.clone() })
    };
    Box::new(inputs.into_iter().flat_map(open))
}
