//! Prose: headings that go down and up, some of them left out, some of them equal.

use super::{Dice, MOST, Piece};

const TITLES: [&str; 6] = ["Guide", "Install", "Use", "Notes", "Ä \"x\\y\", {z}", ""];

/// The chunks of a page.
pub fn pieces(dice: &mut Dice) -> Vec<Piece> {
    let count = 1 + dice.place(MOST);
    // With few titles sections come again, with many they seldom do.
    let titles = 2 + dice.place(TITLES.len() - 1);
    let deep = dice.percent(2);
    let mut section: Vec<String> = Vec::new();
    let mut pieces = Vec::new();
    for _ in 0..count {
        match dice.below(12) {
            0..4 => {}
            4..7 => section.push(title(dice, titles)),
            7 => {
                section.push(title(dice, titles));
                section.push(title(dice, titles));
            }
            8..10 => {
                section.pop();
                section.push(title(dice, titles));
            }
            10 => section.truncate(dice.place(section.len() + 1)),
            _ if dice.percent(30) => section.clear(),
            _ => {
                section.pop();
            }
        }
        if deep && section.len() < 60 {
            section.extend((0..30).map(|depth| depth.to_string()));
        }
        let words = dice.place(12);
        pieces.push(Piece::new(&section, "text", "wört ".repeat(words)));
    }
    pieces
}

fn title(dice: &mut Dice, titles: usize) -> String {
    TITLES[dice.place(titles)].to_owned()
}
