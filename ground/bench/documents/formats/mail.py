"""Mail: the subject, the people and the body of messages, as Python reads them. Headings are the subjects."""

import email
import email.policy
import mailbox

from reference import Reference

from .epub import Page


def read_message(path):
    with open(path, "rb") as file:
        message = email.message_from_binary_file(file, policy=email.policy.default)
    return messages([message])


def read_mailbox(path):
    box = mailbox.mbox(path, factory=lambda file: email.message_from_binary_file(file, policy=email.policy.default))
    return messages(box)


def messages(found):
    texts, headings = [], []
    for message in found:
        subject = str(message["subject"] or "")
        if subject.strip():
            headings.append((1, subject))
        texts.append(subject)
        texts += [str(message[name] or "") for name in ("from", "to", "cc")]
        body = message.get_body(("html", "plain"))
        if body is not None:
            try:
                content = body.get_content()
            except (KeyError, LookupError):
                continue
            is_html = body.get_content_type() == "text/html"
            page = Page(content) if is_html else None
            texts.append("".join(page.texts) if page else content)
            headings += page.headings if page else []
    return Reference("\n".join(texts), headings=headings)
