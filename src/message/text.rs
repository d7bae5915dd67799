//! Messages for people: descriptors and headers, field by field.
