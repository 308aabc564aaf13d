//! Lists: which are numbered, and the number of the next item.

use crate::convert::markdown::Bullet;
use crate::convert::xml::Element;
use std::collections::{HashMap, HashSet};

/// The deepest level of a list in Word.
const MAX_LEVEL: usize = 8;

/// The lists of a document.
#[derive(Default)]
pub(super) struct Lists {
    /// The levels of lists that have a bullet, by the id of the list.
    bullets: HashSet<(String, usize)>,
    /// The numbers of the last items on each level.
    numbers: HashMap<String, [usize; MAX_LEVEL + 1]>,
}

impl Lists {
    pub(super) fn read(root: Option<&Element>) -> Self {
        let Some(root) = root else { return Self::default() };
        let mut bullets = HashSet::new();
        let abstracts: HashMap<&str, &Element> = root
            .elements("abstractNum")
            .filter_map(|element| Some((element.attribute("abstractNumId")?, element)))
            .collect();
        for list in root.elements("num") {
            let (Some(id), Some(definition)) =
                (list.attribute("numId"), list.value("abstractNumId"))
            else {
                continue;
            };
            let levels =
                abstracts.get(definition).into_iter().flat_map(|list| list.elements("lvl"));
            for level in levels {
                let is_bullet = matches!(level.value("numFmt"), Some("bullet" | "none"));
                let number = level.attribute("ilvl").and_then(|level| level.parse().ok());
                if let Some(number) = number.filter(|_| is_bullet) {
                    bullets.insert((id.to_owned(), number));
                }
            }
        }
        Self { bullets, numbers: HashMap::new() }
    }

    /// Returns the bullet or the number of the next item.
    pub(super) fn next(&mut self, id: &str, level: usize) -> Bullet {
        let level = level.min(MAX_LEVEL);
        if self.bullets.contains(&(id.to_owned(), level)) {
            return Bullet::Dash;
        }
        let numbers = self.numbers.entry(id.to_owned()).or_default();
        numbers[level + 1..].fill(0);
        numbers[level] += 1;
        Bullet::Number(numbers[level])
    }
}
