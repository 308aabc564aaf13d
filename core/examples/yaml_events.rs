use saphyr_parser::*;
fn main() {
    let text = std::fs::read_to_string(std::env::args().nth(1).unwrap()).unwrap();
    let chars: Vec<char> = text.chars().collect();
    for e in Parser::new_from_str(&text) {
        match e {
            Ok((e, s)) => {
                let t: String = chars[s.start.index().min(chars.len())
                    ..s.end.index().max(s.start.index()).min(chars.len())]
                    .iter()
                    .collect();
                println!(
                    "{:?}..{:?} l{}c{} {:?} {t:?}",
                    s.start.index(),
                    s.end.index(),
                    s.start.line(),
                    s.start.col(),
                    e
                )
            }
            Err(e) => {
                println!("{e:?}");
                break;
            }
        }
    }
}
