//! Drawings of rectangles and short labels, as SVG or as pixels.
//!
//! Labels are hexadecimal digits and a few signs: what addresses and coordinates are made of. In pixels they
//! are set in a font of three by five dots.

use crate::surface::Picture;
use std::fmt::Write;

/// A colour: red, green, blue.
pub type Colour = [u8; 3];

/// Something drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// Left, top, width, height.
    Fill([u32; 4], Colour),
    /// A frame of this thickness inside the rectangle.
    Frame([u32; 4], u32, Colour),
    /// Left and top of its first letter.
    Label([u32; 2], String, Colour),
}

/// A drawing; later shapes lie over earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    width: u32,
    height: u32,
    shapes: Vec<Shape>,
}

/// Pixels of a dot of the font.
const DOT: u32 = 2;

/// Width and height of a letter in pixels, the gap after it included.
pub const LETTER: (u32, u32) = (4 * DOT, 5 * DOT);

impl Drawing {
    /// An empty drawing of this many pixels.
    pub fn new(width: u32, height: u32) -> Drawing {
        Drawing {
            width,
            height,
            shapes: Vec::new(),
        }
    }

    /// Pixels across and down.
    pub fn size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    /// Fills a rectangle: left, top, width, height.
    pub fn fill(&mut self, at: [u32; 4], colour: Colour) {
        self.shapes.push(Shape::Fill(at, colour));
    }

    /// Draws the frame of a rectangle, `thick` pixels to its inside.
    pub fn frame(&mut self, at: [u32; 4], thick: u32, colour: Colour) {
        self.shapes.push(Shape::Frame(at, thick, colour));
    }

    /// Sets a label with its upper left corner at (x, y).
    pub fn label(&mut self, x: u32, y: u32, text: &str, colour: Colour) {
        self.shapes
            .push(Shape::Label([x, y], text.to_string(), colour));
    }

    /// The drawing as SVG text.
    pub fn to_svg(&self) -> String {
        let (width, height) = (self.width, self.height);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"{}\">\n",
            LETTER.1 + 2
        );
        let colour = |c: &Colour| format!("#{:02x}{:02x}{:02x}", c[0], c[1], c[2]);
        for shape in &self.shapes {
            // Writing to a text does not fail.
            let _ = match shape {
                Shape::Fill([x, y, w, h], c) => writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" fill=\"{}\"/>",
                    colour(c)
                ),
                Shape::Frame([x, y, w, h], thick, c) => writeln!(
                    svg,
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"{}\" \
                     stroke-width=\"{thick}\"/>",
                    f64::from(*x) + f64::from(*thick) / 2.0,
                    f64::from(*y) + f64::from(*thick) / 2.0,
                    w.saturating_sub(*thick),
                    h.saturating_sub(*thick),
                    colour(c)
                ),
                Shape::Label([x, y], text, c) => writeln!(
                    svg,
                    "<text x=\"{x}\" y=\"{}\" fill=\"{}\">{text}</text>",
                    y + LETTER.1,
                    colour(c)
                ),
            };
        }
        svg + "</svg>\n"
    }

    /// The drawing as pixels, on white.
    pub fn to_picture(&self) -> Picture {
        let mut canvas = Canvas {
            picture: Picture {
                width: self.width,
                height: self.height,
                pixels: vec![[u16::MAX; 4]; self.width as usize * self.height as usize],
            },
        };
        for shape in &self.shapes {
            match shape {
                Shape::Fill(at, c) => canvas.fill(*at, *c),
                Shape::Frame([x, y, w, h], thick, c) => {
                    let (t, inner) = ((*thick).min(*w).min(*h), h.saturating_sub(2 * thick));
                    canvas.fill([*x, *y, *w, t], *c);
                    canvas.fill([*x, y + h - t, *w, t], *c);
                    canvas.fill([*x, y + t, t, inner], *c);
                    canvas.fill([x + w - t, y + t, t, inner], *c);
                }
                Shape::Label([x, y], text, c) => {
                    for (i, letter) in text.chars().enumerate() {
                        canvas.letter(x + i as u32 * LETTER.0, *y, letter, *c);
                    }
                }
            }
        }
        canvas.picture
    }
}

struct Canvas {
    picture: Picture,
}

impl Canvas {
    fn fill(&mut self, [x, y, w, h]: [u32; 4], colour: Colour) {
        let [r, g, b] = colour.map(|c| u16::from(c) * 257);
        let (right, bottom) = (
            x.saturating_add(w).min(self.picture.width),
            y.saturating_add(h).min(self.picture.height),
        );
        for y in y..bottom {
            for x in x..right {
                let at = y as usize * self.picture.width as usize + x as usize;
                if let Some(pixel) = self.picture.pixels.get_mut(at) {
                    *pixel = [r, g, b, u16::MAX];
                }
            }
        }
    }

    fn letter(&mut self, x: u32, y: u32, letter: char, colour: Colour) {
        let Some((_, rows)) = FONT.iter().find(|(l, _)| *l == letter) else {
            return;
        };
        for (row, dots) in (0..).zip(rows) {
            for column in 0..3 {
                if dots >> (2 - column) & 1 == 1 {
                    self.fill([x + column * DOT, y + row * DOT, DOT, DOT], colour);
                }
            }
        }
    }
}

/// Rows of three dots from the top.
#[rustfmt::skip]
const FONT: &[(char, [u8; 5])] = &[
    ('0', [0b111, 0b101, 0b101, 0b101, 0b111]), ('1', [0b010, 0b110, 0b010, 0b010, 0b111]),
    ('2', [0b111, 0b001, 0b111, 0b100, 0b111]), ('3', [0b111, 0b001, 0b111, 0b001, 0b111]),
    ('4', [0b101, 0b101, 0b111, 0b001, 0b001]), ('5', [0b111, 0b100, 0b111, 0b001, 0b111]),
    ('6', [0b111, 0b100, 0b111, 0b101, 0b111]), ('7', [0b111, 0b001, 0b010, 0b010, 0b010]),
    ('8', [0b111, 0b101, 0b111, 0b101, 0b111]), ('9', [0b111, 0b101, 0b111, 0b001, 0b111]),
    ('a', [0b010, 0b101, 0b111, 0b101, 0b101]), ('b', [0b110, 0b101, 0b110, 0b101, 0b110]),
    ('c', [0b111, 0b100, 0b100, 0b100, 0b111]), ('d', [0b110, 0b101, 0b101, 0b101, 0b110]),
    ('e', [0b111, 0b100, 0b110, 0b100, 0b111]), ('f', [0b111, 0b100, 0b110, 0b100, 0b100]),
    ('x', [0b000, 0b101, 0b010, 0b101, 0b000]), ('-', [0b000, 0b000, 0b111, 0b000, 0b000]),
    (',', [0b000, 0b000, 0b000, 0b010, 0b100]), ('.', [0b000, 0b000, 0b000, 0b000, 0b010]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_fall_on_their_pixels_and_off_the_edge_on_none() {
        let mut drawing = Drawing::new(20, 12);
        drawing.fill([1, 1, 100, 2], [255, 0, 0]);
        drawing.frame([10, 4, 6, 6], 1, [0, 0, 255]);
        drawing.label(0, 4, "1", [0, 0, 0]);
        let picture = drawing.to_picture();
        let at = |x: usize, y: usize| picture.pixels[y * 20 + x].map(|v| (v >> 8) as u8);
        assert_eq!(at(0, 1), [255; 4]);
        assert_eq!(at(19, 2), [255, 0, 0, 255]);
        assert_eq!(
            (at(10, 4), at(15, 9), at(11, 5)),
            ([0, 0, 255, 255], [0, 0, 255, 255], [255; 4])
        );
        // The top row of a one has its middle dot.
        assert_eq!(
            (at(0, 4), at(2, 4), at(3, 5)),
            ([255; 4], [0, 0, 0, 255], [0, 0, 0, 255])
        );
        let svg = drawing.to_svg();
        assert!(
            svg.contains("<rect x=\"1\" y=\"1\" width=\"100\" height=\"2\" fill=\"#ff0000\"/>")
        );
        assert!(svg.contains(">1</text>") && svg.ends_with("</svg>\n"));
    }
}
