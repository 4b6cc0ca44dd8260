//! Points of the plane.

use std::ops::{Add, Mul, Sub};

/// A point, or a step from one to another, in bond lengths; y points down, as in images.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// To the right.
    pub x: f64,
    /// Down.
    pub y: f64,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Point { x, y }
    }

    /// The unit step in a direction, in radians.
    pub(crate) fn toward(angle: f64) -> Self {
        Point { x: angle.cos(), y: angle.sin() }
    }

    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    pub(crate) fn angle(self) -> f64 {
        self.y.atan2(self.x)
    }

    /// The step of length 1 in the same direction; a step of length 0 stays.
    pub(crate) fn unit(self) -> Self {
        let length = self.length();
        if length > 1e-9 { self * (1.0 / length) } else { Point::default() }
    }

    /// A quarter turn.
    pub(crate) fn normal(self) -> Self {
        Point { x: -self.y, y: self.x }
    }

    pub(crate) fn rotated(self, angle: f64) -> Self {
        let (sin, cos) = angle.sin_cos();
        Point { x: self.x * cos - self.y * sin, y: self.x * sin + self.y * cos }
    }

    pub(crate) fn cross(self, other: Point) -> f64 {
        self.x * other.y - self.y * other.x
    }

    pub(crate) fn dot(self, other: Point) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Its reflection in the line through `from` and `to`.
    pub(crate) fn mirrored(self, from: Point, to: Point) -> Self {
        let axis = (to - from).unit();
        let step = self - from;
        from + axis * (2.0 * step.dot(axis)) - step
    }
}

impl Add for Point {
    type Output = Point;
    fn add(self, other: Point) -> Point {
        Point { x: self.x + other.x, y: self.y + other.y }
    }
}

impl Sub for Point {
    type Output = Point;
    fn sub(self, other: Point) -> Point {
        Point { x: self.x - other.x, y: self.y - other.y }
    }
}

impl Mul<f64> for Point {
    type Output = Point;
    fn mul(self, factor: f64) -> Point {
        Point { x: self.x * factor, y: self.y * factor }
    }
}
