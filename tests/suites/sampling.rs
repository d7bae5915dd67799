//! The sampler's arithmetic: texel choice, filters, level of detail. The groups of `sampling.json`.

use super::Case;
use super::formats::{Outcome, list, unread};
use serde_json::Value;

/// How a row of a group is checked.
type Check = fn(&Value) -> Outcome;

/// Each group of the file. One without a check is a single case that fails, listed in
/// `known-failures.txt`.
const GROUPS: &[(&str, Option<Check>)] = &[
    ("address_nearest", None),
    ("cube_nearest", None),
    ("gather4", None),
    ("linear_2d", None),
    ("cube_linear", None),
    ("lod_from_gradients", None),
    ("lod_select", None),
    ("aniso", None),
    ("mono", None),
    ("shadow", None),
    ("chroma_expand", None),
];

/// A case for each row of each group; a group that is one object is one row.
pub fn cases(file: &Value, cases: &mut Vec<Case>) {
    for &(group, check) in GROUPS {
        let Some(part) = file.get(group) else {
            continue;
        };
        let Some(check) = check else {
            let why = || Err("nothing computes this yet".to_string());
            cases.push(Case::new(&format!("sampling/{group}"), why));
            continue;
        };
        let rows = match part.is_object() {
            true => std::slice::from_ref(part),
            false => list(part),
        };
        for (number, row) in rows.iter().enumerate() {
            let (title, row) = (format!("sampling/{group}/{number}"), row.clone());
            cases.push(Case::new(&title, move || check(&row)));
        }
    }
    let read: Vec<&str> = GROUPS.iter().map(|g| g.0).collect();
    unread("sampling", file, &read, cases);
}
