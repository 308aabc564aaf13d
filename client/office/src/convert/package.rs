//! The parts of a document that is a zip archive, unpacked within a limit.

use super::xml::{self, Element};
use super::{ConvertError, Limits};
use std::collections::HashMap;
use std::io::{Cursor, Read};
use zip::ZipArchive;
use zip::result::ZipError;

/// A document that is a zip archive.
pub(super) struct Package<'b> {
    archive: ZipArchive<Cursor<&'b [u8]>>,
    limits: Limits,
    /// The bytes that may still be unpacked.
    rest: u64,
}

/// The relations of a part: the targets by their ids.
pub(super) type Relations = HashMap<String, Relation>;

/// A relation of a part to another one, or to an address.
pub(super) struct Relation {
    /// The last word of the type, such as `slide`.
    pub(super) kind: String,
    /// The path of the part in the package, or the address.
    pub(super) target: String,
}

impl<'b> Package<'b> {
    pub(super) fn open(bytes: &'b [u8], limits: Limits) -> Result<Self, ConvertError> {
        // Office encrypts a document as a part of a compound file.
        if bytes.starts_with(&[0xd0, 0xcf, 0x11, 0xe0]) {
            return Err(ConvertError::Encrypted);
        }
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(ConvertError::damaged)?;
        Ok(Self { archive, limits, rest: limits.unpacked })
    }

    /// Returns the bytes of a part, or `None` if there is none with this name.
    pub(super) fn part(&mut self, name: &str) -> Result<Option<Vec<u8>>, ConvertError> {
        let member = match self.archive.by_name(name) {
            Ok(member) => member,
            Err(ZipError::FileNotFound) => return Ok(None),
            Err(error) => return Err(ConvertError::damaged(error)),
        };
        if member.encrypted() {
            return Err(ConvertError::Encrypted);
        }
        let mut bytes = Vec::new();
        member
            .take(self.rest + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| ConvertError::Damaged(format!("{name}: {error}")))?;
        self.rest = self.rest.checked_sub(bytes.len() as u64).ok_or_else(|| {
            let megabytes = self.limits.unpacked >> 20;
            ConvertError::TooLarge(format!("it unpacks to more than {megabytes} MB"))
        })?;
        Ok(Some(bytes))
    }

    /// Returns the root element of a part, or `None` if there is none with this name.
    pub(super) fn xml(&mut self, name: &str) -> Result<Option<Element>, ConvertError> {
        let Some(bytes) = self.part(name)? else { return Ok(None) };
        let root = xml::parse(&bytes, self.limits);
        root.map(Some).map_err(|error| match error {
            ConvertError::Damaged(reason) => ConvertError::Damaged(format!("{name}: {reason}")),
            other => other,
        })
    }

    /// Returns the root element of a part that the format requires.
    pub(super) fn required_xml(&mut self, name: &str) -> Result<Element, ConvertError> {
        self.xml(name)?.ok_or_else(|| ConvertError::Damaged(format!("it has no {name}")))
    }

    /// Reads all parts once, so that another reader cannot unpack more than the limit.
    pub(super) fn check_size(&mut self) -> Result<(), ConvertError> {
        let names: Vec<String> = self.archive.file_names().flatten().map(Into::into).collect();
        for name in names {
            self.part(&name)?;
        }
        self.rest = self.limits.unpacked;
        Ok(())
    }

    /// Returns the relations of a part of Office Open XML.
    pub(super) fn relations(&mut self, part: &str) -> Result<Relations, ConvertError> {
        let (folder, name) = part.rsplit_once('/').unwrap_or(("", part));
        let Some(root) = self.xml(&format!("{folder}/_rels/{name}.rels"))? else {
            return Ok(Relations::new());
        };
        let relation = |element: &Element| {
            let target = element.attribute("Target")?;
            let is_address = element.attribute("TargetMode") == Some("External");
            let target = if is_address { target.to_owned() } else { joined(folder, target) };
            let kind = element.attribute("Type")?.rsplit('/').next()?.to_owned();
            Some((element.attribute("Id")?.to_owned(), Relation { kind, target }))
        };
        Ok(root.elements("Relationship").filter_map(relation).collect())
    }

    /// Returns the title in the properties of Office Open XML.
    pub(super) fn core_title(&mut self) -> Option<String> {
        let properties = self.xml("docProps/core.xml").ok()??;
        Some(properties.element("title")?.text()).filter(|title| !title.trim().is_empty())
    }
}

/// Returns the path of a part relative to a folder.
pub(super) fn joined(folder: &str, target: &str) -> String {
    if let Some(absolute) = target.strip_prefix('/') {
        return absolute.to_owned();
    }
    let mut path: Vec<&str> = folder.split('/').filter(|name| !name.is_empty()).collect();
    for name in target.split('/') {
        match name {
            ".." => {
                path.pop();
            }
            "." | "" => {}
            name => path.push(name),
        }
    }
    path.join("/")
}
