//! Frames: where the lanes of a body are, those that run and those that wait.

/// The place of a thread that has ended or rests.
pub const ENDED: u32 = u32::MAX;

/// One call level.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The next op.
    pub pc: u32,
    /// Lanes that run.
    pub em: u32,
    /// The smallest place where lanes wait, `u32::MAX` if none does.
    pub join: u32,
    pub(crate) waiting: Vec<(u32, u32)>,
    /// The function and its variables as the caller's activation left them.
    pub(crate) saved: Option<(u32, Vec<u8>)>,
}

impl Frame {
    /// All lanes of `em` at `pc`.
    pub fn new(pc: u32, em: u32) -> Frame {
        Frame {
            pc,
            em,
            join: u32::MAX,
            waiting: Vec::new(),
            saved: None,
        }
    }

    /// As [`Frame::new`], in the memory that is there.
    pub fn begin(&mut self, pc: u32, em: u32) {
        (self.pc, self.em, self.join) = (pc, em, u32::MAX);
        self.waiting.clear();
        self.saved = None;
    }

    pub(crate) fn wait(&mut self, pc: u32, lanes: u32) {
        if lanes == 0 {
            return;
        }
        match self.waiting.iter_mut().find(|w| w.0 == pc) {
            Some(place) => place.1 |= lanes,
            None => self.waiting.push((pc, lanes)),
        }
        self.join = self.join.min(pc);
    }

    /// Lets the lanes at the smallest place run; false if there are none.
    pub(crate) fn pick(&mut self) -> bool {
        let Some(next) = (0..self.waiting.len()).min_by_key(|&i| self.waiting[i].0) else {
            self.join = u32::MAX;
            return false;
        };
        (self.pc, self.em) = self.waiting.swap_remove(next);
        self.join = self.waiting.iter().map(|w| w.0).min().unwrap_or(u32::MAX);
        true
    }

    /// Called when the running lanes have reached or passed a place where others wait.
    pub fn rejoin(&mut self) {
        self.wait(self.pc, self.em);
        self.pick();
    }

    /// All running lanes go to `target`.
    pub fn jump(&mut self, target: u32) {
        self.split(self.em, target);
    }

    /// `taken` go to `target`, the other running lanes go on at `pc`; the smaller place runs first.
    ///
    /// Whoever then is at or after a place where others wait joins them before the next op.
    pub(crate) fn split(&mut self, taken: u32, target: u32) {
        let rest = self.em & !taken;
        if rest == 0 {
            self.pc = target;
        } else if target > self.pc {
            self.wait(target, taken);
            self.em = rest;
        } else {
            self.wait(self.pc, rest);
            (self.pc, self.em) = (target, taken);
        }
    }
}
