//! The glyphs of a page, in the order of its instructions.

use super::line::{Glyph, LineBuilder, Lines};
use super::{bitmaps, columns};
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
use std::cell::OnceCell;

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
    let lines = LineBuilder::new(f64::from(height));
    let mut reader = GlyphReader { page, has_bitmaps: OnceCell::new(), lines, glyphs };
    interpret_page(page, &mut context, &mut reader);
    columns::order(reader.lines.finish())
}

/// A device that takes the letters of a page and draws nothing.
struct GlyphReader<'g, 'a> {
    page: &'g Page<'a>,
    /// Whether the codes of glyphs are their letters. Few pages have glyphs that need it.
    has_bitmaps: OnceCell<bool>,
    lines: LineBuilder,
    glyphs: &'g mut usize,
}

impl GlyphReader<'_, '_> {
    /// Returns the text of a glyph, if it has one.
    fn text(&self, glyph: &FontGlyph<'_>) -> Option<String> {
        match (glyph.as_unicode(), glyph) {
            (Some(BfString::Char(char)), _) => {
                Some(ligature(char).map_or(char.to_string(), Into::into))
            }
            (Some(BfString::String(text)), _) => Some(text),
            (None, FontGlyph::Type3(glyph)) => {
                let has_bitmaps = *self.has_bitmaps.get_or_init(|| bitmaps::are_on(self.page));
                has_bitmaps.then(|| bitmaps::text(glyph.char_code())).flatten()
            }
            (None, FontGlyph::Outline(_)) => None,
        }
    }
}

impl Device<'_> for GlyphReader<'_, '_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        for glyph in run.glyphs() {
            *self.glyphs += 1;
            if *self.glyphs > MAX_GLYPHS {
                return;
            }
            let Some(text) = self.text(glyph) else { continue };
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
