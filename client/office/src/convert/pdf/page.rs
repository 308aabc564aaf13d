//! The glyphs of a page, in the order of its instructions.

use super::columns;
use super::line::{Glyph, LineBuilder, Lines};
use crate::convert::{ConvertError, Limits};
use hayro_interpret::font::{Glyph as FontGlyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, TransformExt, interpret_page,
};

/// The glyphs of a document that are read, a bound for pages that repeat a form.
const MAX_GLYPHS: usize = 100_000_000;

/// The units of a glyph in the size of its font.
const UNITS: f64 = 1_000.0;

/// Reads the lines of all pages.
pub(super) fn read(pdf: &Pdf, limits: Limits) -> Result<Vec<Lines>, ConvertError> {
    let cache = InterpreterCache::new();
    let mut glyphs = 0;
    let mut pages = Vec::new();
    for page in pdf.pages().iter() {
        let lines = lines(pdf, page, &cache, &mut glyphs);
        if glyphs > MAX_GLYPHS {
            return Err(ConvertError::TooLarge("it has more than 100,000,000 letters".into()));
        }
        pages.push(lines);
    }
    limits.check_text(glyphs)?;
    Ok(pages)
}

fn lines<'a>(
    pdf: &'a Pdf,
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    glyphs: &mut usize,
) -> Lines {
    let transform = page.initial_transform(true).to_kurbo();
    let (width, height) = page.render_dimensions();
    let bounds = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let settings = InterpreterSettings::default();
    let mut context = Context::new(transform, bounds, cache, pdf.xref(), settings);
    let mut reader = GlyphReader { lines: LineBuilder::new(f64::from(height)), glyphs };
    interpret_page(page, &mut context, &mut reader);
    columns::order(reader.lines.finish())
}

/// A device that takes the letters of a page and draws nothing.
struct GlyphReader<'g> {
    lines: LineBuilder,
    glyphs: &'g mut usize,
}

impl Device<'_> for GlyphReader<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            *self.glyphs += 1;
            if *self.glyphs > MAX_GLYPHS {
                return;
            }
            let text = match glyph.as_unicode() {
                Some(BfString::Char(char)) => ligature(char).map_or(char.to_string(), Into::into),
                Some(BfString::String(text)) => text,
                None => continue,
            };
            let transform = props.transform * glyph.transform();
            let advance = match &**glyph {
                FontGlyph::Outline(glyph) => glyph.advance_width(),
                FontGlyph::Type3(glyph) => glyph.advance_width(),
            };
            self.lines.push(placed(text, transform, f64::from(advance.unwrap_or(500.0))));
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// Returns a glyph with its place on the page. The places of a text that is turned are turned back to a line.
fn placed(text: String, transform: Affine, advance: f64) -> Glyph {
    let start = transform * Point::ZERO;
    let along = transform * Point::new(advance.max(1.0), 0.0) - start;
    let up = transform * Point::new(0.0, UNITS) - start;
    let back = Affine::rotate(-quarter_turns(along.atan2()));
    let start = back * start;
    Glyph { text, x: start.x, end: start.x + along.hypot(), y: start.y, size: up.hypot() }
}

/// Returns the letters of a ligature, by which a word is found.
fn ligature(char: char) -> Option<&'static str> {
    const LIGATURES: [&str; 7] = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"];
    let position = u32::from(char).checked_sub(0xfb00)?;
    LIGATURES.get(position as usize).copied()
}

/// Returns the nearest multiple of a right angle.
fn quarter_turns(angle: f64) -> f64 {
    (angle / std::f64::consts::FRAC_PI_2).round() * std::f64::consts::FRAC_PI_2
}
