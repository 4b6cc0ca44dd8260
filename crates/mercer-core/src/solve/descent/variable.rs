//! One dual variable: its bounds, the slope of the dual along it, and the minimum.

/// One dual variable with its data, together in memory because variables are visited in random order.
#[derive(Clone, Copy, Default)]
pub(super) struct Variable {
    pub(super) beta: f64,
    pub(super) lower: f64,
    pub(super) upper: f64,
    pub(super) target: f64,
    /// d_k.
    pub(super) damping: f64,
    /// |x_k|² with the constant feature, plus d_k.
    pub(super) curvature: f64,
}

impl Variable {
    /// The slopes along the variable, given the slope of the smooth part.
    pub(super) fn slopes(&self, slope: f64, kink: f64) -> Slopes {
        Slopes {
            rise: if self.beta >= self.upper {
                f64::INFINITY
            } else if self.beta >= 0.0 {
                slope + kink
            } else {
                slope - kink
            },
            fall: if self.beta <= self.lower {
                f64::NEG_INFINITY
            } else if self.beta > 0.0 {
                slope + kink
            } else {
                slope - kink
            },
        }
    }

    /// The minimum of the dual along the variable.
    pub(super) fn best(&self, slope: f64, kink: f64) -> f64 {
        let (up, down) = (slope + kink, slope - kink);
        let free = if self.curvature > 0.0 {
            let level = self.curvature * self.beta;
            if up < level {
                self.beta - up / self.curvature
            } else if down > level {
                self.beta - down / self.curvature
            } else {
                0.0
            }
        } else if up < 0.0 {
            // A row of zeros without damping: the dual is linear along it, and the bounds are finite.
            self.upper
        } else if down > 0.0 {
            self.lower
        } else {
            0.0
        };
        free.max(self.lower).min(self.upper)
    }
}

/// The slopes of the dual along one variable.
pub(super) struct Slopes {
    /// The slope for growing; infinite if it cannot grow.
    pub(super) rise: f64,
    /// The slope for decreasing; minus infinity if it cannot decrease.
    pub(super) fall: f64,
}

impl Slopes {
    /// The projected gradient: how steeply the dual can be decreased.
    pub(super) fn violation(&self) -> f64 {
        (-self.rise).max(self.fall).max(0.0)
    }
}
