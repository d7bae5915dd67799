//! Edges: what blocks and samplers ask for beyond a surface. The hardware defines what they get; programs seldom mean it.

use super::State;
use super::finding::{Detail, Finding, Kind};
use crate::exec::observer::{Access, AccessKind, At, Edge, Instead, SpaceName, Spot};
use std::collections::BTreeMap;

/// Rows of a message that are kept.
const KEPT: usize = 64;

/// Rows that are listed.
const LISTED: usize = 16;

/// What one message asked for beyond a surface, by level, slice and row.
#[derive(Clone, Debug)]
pub(super) struct EdgeRows {
    pub(super) space: SpaceName,
    rows: BTreeMap<[i64; 3], EdgeRow>,
    /// The last instruction of the thread that did it, for the count.
    last: u64,
}

/// A row.
#[derive(Clone, Debug)]
struct EdgeRow {
    /// First and last column: of a block in bytes.
    columns: (i64, i64),
    /// How many texels.
    count: u32,
    lanes: u32,
    instead: RowInstead,
}

/// What is taken.
#[derive(Clone, Copy, Debug)]
enum RowInstead {
    /// Of a block: the nearest pixels of the surface.
    Nearest,
    /// By a sampler, for the first of the texels.
    First(Instead),
}

impl State {
    /// A sampler goes beyond a surface.
    pub(super) fn edge(&mut self, at: At, edge: &Edge) {
        let [column, row, slice, level] = edge.asked;
        let new = EdgeRow {
            columns: (column, column),
            count: 1,
            lanes: edge.lane.map_or(0, |lane| 1 << (lane & 31)),
            instead: RowInstead::First(edge.instead),
        };
        let space = SpaceName::Surface(edge.surface);
        self.edge_row(at, space, [level, slice, row], new);
    }

    /// A piece of a media block that is read beyond a surface; writes there are findings anyway.
    pub(super) fn block_edge(&mut self, at: At, access: &Access<'_>) {
        let Spot::Block(column, row) = access.spot else {
            return;
        };
        if access.kind != AccessKind::Read || access.inside == access.bytes {
            return;
        }
        let new = EdgeRow {
            columns: (column, column + i64::from(access.bytes) - 1),
            count: access.bytes,
            lanes: 0,
            instead: RowInstead::Nearest,
        };
        self.edge_row(at, access.space, [0, 0, row], new);
    }

    /// Rows are those of the first message of an instruction; others are counted.
    fn edge_row(&mut self, at: At, space: SpaceName, place: [i64; 3], new: EdgeRow) {
        let finding = self
            .findings
            .entry((at.pc, Kind::Edge))
            .or_insert_with(|| Finding {
                thread: at.thread,
                step: at.step,
                lane: None,
                lanes: 0,
                count: 1,
                detail: Detail::Edges(EdgeRows {
                    space,
                    rows: BTreeMap::new(),
                    last: at.step,
                }),
            });
        finding.lanes |= new.lanes;
        let (first, count) = (finding.step, &mut finding.count);
        let Detail::Edges(edges) = &mut finding.detail else {
            return;
        };
        if at.step != edges.last {
            edges.last = at.step;
            *count += 1;
        }
        if at.step != first {
            return;
        }
        if let Some(row) = edges.rows.get_mut(&place) {
            row.columns.0 = row.columns.0.min(new.columns.0);
            row.columns.1 = row.columns.1.max(new.columns.1);
            row.count = row.count.saturating_add(new.count);
            row.lanes |= new.lanes;
        } else if edges.rows.len() < KEPT {
            edges.rows.insert(place, new);
        }
    }
}

impl EdgeRows {
    /// A line for each row.
    pub(super) fn lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = self
            .rows
            .iter()
            .take(LISTED)
            .map(|(place, row)| row.line(*place))
            .collect();
        if let Some(more) = self.rows.len().checked_sub(LISTED + 1) {
            lines.push(format!("and {} rows more", more + 1));
        }
        lines
    }
}

impl EdgeRow {
    fn line(&self, [level, slice, row]: [i64; 3]) -> String {
        let (first, last) = self.columns;
        let unit = match self.instead {
            RowInstead::Nearest => "byte",
            RowInstead::First(_) => "column",
        };
        let columns = match first == last {
            true => format!("{unit} {first}"),
            false => format!("{unit}s {first} to {last}"),
        };
        let image = match (level, slice) {
            (0, 0) => String::new(),
            (level, 0) => format!("level {level}, "),
            (0, slice) => format!("slice {slice}, "),
            (level, slice) => format!("level {level}, slice {slice}, "),
        };
        let lanes = match self.lanes {
            0 => String::new(),
            lanes => format!(" in lanes {lanes:#x}"),
        };
        let others = match self.count > 1 && first != last {
            true => " for the first of them",
            false => "",
        };
        let instead = match self.instead {
            RowInstead::Nearest => "the nearest pixels of the surface are read".to_string(),
            RowInstead::First(Instead::Texel(x, y)) => {
                format!("the texel in column {x}, row {y} is taken{others}")
            }
            RowInstead::First(Instead::Border) => format!("the border colour is taken{others}"),
            RowInstead::First(Instead::Zeros) => "zeros are returned".to_string(),
        };
        format!("{image}row {row}: {columns}{lanes}; {instead}")
    }
}
