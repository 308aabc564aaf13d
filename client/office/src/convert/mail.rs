//! Mail: a message with its subject as title, who wrote it to whom and when, and its text; a mailbox as its messages.

use super::markdown::{Bullet, Markdown, escaped};
use super::{ConvertError, Converted, Limits, html};
use mail_parser::mailbox::mbox::MessageIterator;
use mail_parser::{Addr, Address, Message, MessageParser, MimeHeaders, PartType};

/// Converts a message.
pub(super) fn convert_message(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut markdown = Markdown::new(limits);
    let message = MessageParser::default().parse(bytes);
    let message = message.ok_or_else(|| ConvertError::Damaged("it has no header".into()))?;
    write(&message, &mut markdown)?;
    let title = message.subject().map(ToOwned::to_owned);
    Ok(markdown.finish(title))
}

/// Converts a mailbox. Its messages are sections.
pub(super) fn convert_mailbox(bytes: &[u8], limits: Limits) -> Result<Converted, ConvertError> {
    let mut markdown = Markdown::new(limits);
    for message in MessageIterator::new(bytes) {
        let message =
            message.map_err(|_| ConvertError::Damaged("it has an invalid line".into()))?;
        if let Some(message) = MessageParser::default().parse(message.contents()) {
            write(&message, &mut markdown)?;
        }
    }
    Ok(markdown.finish(None))
}

fn write(message: &Message<'_>, markdown: &mut Markdown) -> Result<(), ConvertError> {
    let subject = message.subject().filter(|subject| !subject.trim().is_empty());
    markdown.heading(1, &escaped(subject.unwrap_or("Message")))?;
    let people = [("From", message.from()), ("To", message.to()), ("Cc", message.cc())];
    for (name, addresses) in people {
        if let Some(addresses) = addresses.map(names).filter(|names| !names.is_empty()) {
            markdown.item(0, Bullet::Dash, &escaped(&format!("{name}: {addresses}")))?;
        }
    }
    if let Some(date) = message.date() {
        markdown.item(0, Bullet::Dash, &format!("Date: {}", date.to_rfc3339()))?;
    }
    let attachments: Vec<&str> =
        message.attachments().filter_map(|part| part.attachment_name()).collect();
    if !attachments.is_empty() {
        let names = format!("Attachments: {}", attachments.join(", "));
        markdown.item(0, Bullet::Dash, &escaped(&names))?;
    }
    // The text is complete in either form. That of HTML has the structure.
    for id in &message.html_body {
        match message.parts.get(*id as usize).map(|part| &part.body) {
            // The parser has decoded it, whatever charset the page itself declares.
            Some(PartType::Html(html)) => {
                markdown.block_unless_empty(&html::markdown(html)?)?;
            }
            Some(PartType::Text(text)) => paragraphs(text, markdown)?,
            _ => {}
        }
    }
    // The parser takes a text without a subtype, or with one that is not known, as an attachment: `Content-Type: text`.
    match message.parts.first().map(|part| &part.body) {
        Some(PartType::Text(text)) if message.html_body.is_empty() => paragraphs(text, markdown),
        _ => Ok(()),
    }
}

fn paragraphs(text: &str, markdown: &mut Markdown) -> Result<(), ConvertError> {
    let text = text.replace("\r\n", "\n");
    text.split("\n\n").try_for_each(|paragraph| markdown.paragraph(&escaped(paragraph)))
}

/// Returns the names of people with their addresses, those of a group after its name, which may hide them.
fn names(addresses: &Address<'_>) -> String {
    let groups = match addresses {
        Address::List(people) => vec![(None, people)],
        Address::Group(groups) => {
            groups.iter().map(|group| (group.name.as_deref(), &group.addresses)).collect()
        }
    };
    let people = |people: &[Addr<'_>]| {
        people.iter().map(name).filter(|name| !name.is_empty()).collect::<Vec<_>>().join(", ")
    };
    let named = |(group, members): (Option<&str>, &Vec<Addr<'_>>)| {
        let parts = [group.unwrap_or_default().to_owned(), people(members)];
        parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
    };
    groups.into_iter().map(named).filter(|group| !group.is_empty()).collect::<Vec<_>>().join(", ")
}

fn name(address: &Addr<'_>) -> String {
    match (address.name(), address.address()) {
        (Some(name), Some(address)) => format!("{name} ({address})"),
        (name, address) => name.or(address).unwrap_or_default().to_owned(),
    }
}
