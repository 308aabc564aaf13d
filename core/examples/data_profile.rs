use passage_core::{Characters, Limits, MediaType, Options, split};
fn main() {
    let mut args = std::env::args().skip(1);
    let rounds: usize = args.next().unwrap().parse().unwrap();
    let show = rounds == 0;
    for path in args {
        let text = std::fs::read_to_string(&path).unwrap();
        let media = MediaType::of_file(&path).unwrap();
        let options = Options::new(Limits::CHARACTERS);
        for _ in 0..rounds.max(1) {
            let s = split(&text, &media, &options, &Characters).unwrap();
            if show {
                println!("==== {path} {:?}", s.syntax_error);
                for c in &s.chunks {
                    println!("---- {:?} {} {} {}", c.section, c.level, c.unit.name(), c.size);
                    print!("{}⏎", c.content.replace('\r', "␍"));
                    println!();
                }
            }
        }
    }
}
