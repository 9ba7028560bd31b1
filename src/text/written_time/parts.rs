//! The parts of a moment, as they come: a day, a time of day, a zone.

use crate::types::time::days_from_civil;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
pub(super) const DAY_MS: i64 = 24 * HOUR_MS;

/// The numbers and the month of a day, as they came.
#[derive(Debug, Default)]
pub(super) struct Day {
    pub(super) numbers: Vec<i64>,
    pub(super) named_month: Option<i64>,
    pub(super) is_iso: bool,
}

impl Day {
    pub(super) fn add(&mut self, number: i64) -> Option<()> {
        self.numbers.push(number);
        (self.numbers.len() <= 3).then_some(())
    }

    /// Year, month and day. A first number that can be no day of a month is the year; what is missing
    /// counts as 1.
    fn parts(&self) -> Option<(i64, i64, i64)> {
        let number = |place: usize| self.numbers.get(place).copied();
        let first = number(0)?;
        let (second, third) = (number(1).unwrap_or(1), number(2).unwrap_or(1));
        Some(match self.named_month {
            None if self.is_iso || !is_day(first) => (first, second, third),
            None => (third, first, second),
            Some(month) if !is_day(first) => (first, month, second),
            Some(month) => (second, month, first),
        })
    }

    pub(super) fn start_ms(&self) -> Option<i64> {
        let (year, month, day) = self.parts()?;
        let year = match year {
            0..=49 if !self.is_iso => year + 2000,
            50..=99 if !self.is_iso => year + 1900,
            year => year,
        };
        let is_known = (-300_000..=300_000).contains(&year) && is_month(month) && is_day(day);
        is_known.then(|| days_from_civil(year, month, day) * DAY_MS)
    }
}

fn is_month(number: i64) -> bool {
    (1..=12).contains(&number)
}

fn is_day(number: i64) -> bool {
    (1..=31).contains(&number)
}

/// Hours, minutes, seconds and milliseconds, as many as came.
#[derive(Debug, Default)]
pub(super) struct Time {
    pub(super) numbers: Vec<i64>,
    /// Hours before the named half of the day.
    pub(super) half: Option<i64>,
}

impl Time {
    pub(super) fn add(&mut self, number: i64) -> Option<()> {
        self.numbers.push(number);
        (self.numbers.len() <= 4).then_some(())
    }

    /// Adds the last number.
    pub(super) fn end(&mut self, number: i64) {
        self.numbers.push(number);
        self.numbers.resize(4, 0);
    }

    /// Whether a number can go on with what has begun.
    pub(super) fn expects(&self, number: i64) -> bool {
        match self.numbers.len() {
            1 | 2 => (0..60).contains(&number),
            3 => (0..1000).contains(&number),
            _ => false,
        }
    }

    pub(super) fn of_day_ms(&self) -> Option<i64> {
        let number = |place: usize| self.numbers.get(place).copied().unwrap_or(0);
        let (hour, minute, second, millisecond) = (number(0), number(1), number(2), number(3));
        let hour = match self.half {
            Some(_) if !(0..=12).contains(&hour) => return None,
            Some(half) => hour % 12 + half,
            None => hour,
        };
        let below = minute * MINUTE_MS + second * 1000 + millisecond;
        let is_midnight = hour == 24 && (minute, second, millisecond) == (0, 0, 0);
        let is_known = (0..24).contains(&hour)
            && (0..60).contains(&minute)
            && (0..60).contains(&second)
            && (0..1000).contains(&millisecond);
        (is_known || is_midnight).then_some(hour * HOUR_MS + below)
    }
}

#[derive(Debug, Default)]
pub(super) struct Zone {
    pub(super) sign: Option<i64>,
    pub(super) hour: Option<i64>,
    pub(super) minute: Option<i64>,
}

impl Zone {
    pub(super) fn named(hours: i64) -> Self {
        Self {
            sign: Some(if hours < 0 { -1 } else { 1 }),
            hour: Some(hours.abs()),
            minute: Some(0),
        }
    }

    pub(super) fn is_utc(&self) -> bool {
        self.hour == Some(0) && self.minute == Some(0)
    }

    pub(super) fn expects(&self, number: i64) -> bool {
        self.hour.is_some() && self.minute.is_none() && (0..60).contains(&number)
    }

    /// How far a clock there is from UTC. The seconds are counted in 32 bits, of which the first is not
    /// to be used.
    pub(super) fn distance_ms(&self) -> Option<i64> {
        let seconds = self.hour.unwrap_or(0) * 3600 + self.minute.unwrap_or(0) * 60;
        let seconds = i64::from(seconds as u32);
        (seconds <= i64::from(i32::MAX)).then_some(seconds * 1000)
    }
}
