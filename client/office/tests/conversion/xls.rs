//! A workbook of Excel up to version 2003: records of cells in a stream of a compound file.

/// The size of a sector. A stream below eight sectors would be in a stream of small ones.
const SECTOR: usize = 512;
const STREAM_SECTORS: usize = 8;

const END_OF_CHAIN: u32 = 0xffff_fffe;
const FREE: u32 = 0xffff_ffff;

/// Returns a workbook with a sheet "Setup" of two rows.
pub fn xls() -> Vec<u8> {
    compound_file("Workbook", &workbook())
}

fn record(number: u16, content: &[u8]) -> Vec<u8> {
    [&number.to_le_bytes(), &(content.len() as u16).to_le_bytes(), content].concat()
}

pub fn workbook() -> Vec<u8> {
    let begin = |kind: u16| record(0x809, &[&[0, 6], &kind.to_le_bytes()[..], &[0; 12]].concat());
    let end = record(0x0a, &[]);
    let name = "Setup";
    let sheet_of = |offset: usize| {
        let offset = (offset as u32).to_le_bytes();
        record(0x85, &[&offset[..], &[0, 0, name.len() as u8, 0], name.as_bytes()].concat())
    };
    let cell = |row: u16, column: u16| {
        [row.to_le_bytes(), column.to_le_bytes(), 0_u16.to_le_bytes()].concat()
    };
    let text = |row, column, text: &str| {
        let length = (text.len() as u16).to_le_bytes();
        record(0x204, &[&cell(row, column)[..], &length, &[0], text.as_bytes()].concat())
    };
    let number = record(0x203, &[&cell(1, 1)[..], &5432_f64.to_le_bytes()].concat());
    let globals = begin(5).len() + sheet_of(0).len() + end.len();
    [
        &begin(5)[..],
        &sheet_of(globals),
        &end,
        &begin(0x10),
        &text(0, 0, "Node"),
        &text(0, 1, "Port"),
        &text(1, 0, "quorum"),
        &number,
        &end,
    ]
    .concat()
}

/// Returns a compound file with one stream: header, table of sectors, directory and stream.
pub fn compound_file(name: &str, stream: &[u8]) -> Vec<u8> {
    let mut header = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    header.resize(24, 0);
    for short in [0x3e_u16, 3, 0xfffe, 9, 6] {
        header.extend(short.to_le_bytes());
    }
    header.resize(44, 0);
    // One sector of the table; the directory in sector 1; small streams below 4,096 bytes; no small ones, no more tables.
    for number in [1, 1, 0, 4096, END_OF_CHAIN, 0, END_OF_CHAIN, 0, 0] {
        header.extend(u32::to_le_bytes(number));
    }
    header.resize(SECTOR, 0xff);
    let last = 1 + STREAM_SECTORS as u32;
    let chain = (2..=last).map(|sector| if sector == last { END_OF_CHAIN } else { sector + 1 });
    let table = [0xffff_fffd, END_OF_CHAIN].into_iter().chain(chain);
    let table = table.chain(std::iter::repeat(FREE)).take(SECTOR / 4).flat_map(u32::to_le_bytes);
    let directory = [
        entry("Root Entry", 5, 1, END_OF_CHAIN, 0),
        entry(name, 2, FREE, 2, STREAM_SECTORS * SECTOR),
        entry("", 0, FREE, 0, 0),
        entry("", 0, FREE, 0, 0),
    ];
    let mut stream = stream.to_vec();
    stream.resize(STREAM_SECTORS * SECTOR, 0);
    header.into_iter().chain(table).chain(directory.concat()).chain(stream).collect()
}

/// Returns an entry of the directory.
fn entry(name: &str, kind: u8, child: u32, start: u32, size: usize) -> Vec<u8> {
    let mut entry: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
    entry.resize(64, 0);
    let length = if name.is_empty() { 0 } else { 2 * name.len() as u16 + 2 };
    entry.extend(length.to_le_bytes());
    entry.extend([kind, 1]);
    for number in [FREE, FREE, child] {
        entry.extend(number.to_le_bytes());
    }
    entry.resize(116, 0);
    entry.extend(start.to_le_bytes());
    entry.extend((size as u64).to_le_bytes());
    entry
}
