//! Reading the tokens: first as the ISO form, and what is left in any order.

use super::parts::{Day, Time, Zone};
use super::tokens::{DIGITS, Token, Word};

/// How far the ISO form has been followed.
enum Iso {
    Whole,
    /// It has led to the numbers of the day so far; the rest has another form.
    Begun,
}

#[derive(Debug, Default)]
pub(super) struct Reading<'a> {
    tokens: &'a [Token],
    at: usize,
    day: Day,
    time: Time,
    zone: Zone,
}

impl<'a> Reading<'a> {
    /// Reads all tokens: what the clock shows then, and its offset if one is named, in milliseconds.
    pub(super) fn of(tokens: &'a [Token]) -> Option<(i64, Option<i64>)> {
        let mut reading = Self {
            tokens,
            ..Self::default()
        };
        match reading.iso()? {
            Iso::Whole => reading.day.is_iso = true,
            Iso::Begun => reading.rest()?,
        }
        let clock_ms = reading.day.start_ms()? + reading.time.of_day_ms()?;
        let distance_ms = reading.zone.distance_ms()?;
        Some((clock_ms, reading.zone.sign.map(|sign| sign * distance_ms)))
    }

    fn peek(&self) -> Option<Token> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<Token> {
        let token = self.peek();
        self.at += 1;
        token
    }

    /// Takes the token if it comes next.
    fn skip(&mut self, token: Token) -> bool {
        let comes = self.peek() == Some(token);
        self.at += usize::from(comes);
        comes
    }

    /// Takes a number of so many digits if it comes next and is in the range.
    fn fixed(&mut self, wanted: usize, range: std::ops::RangeInclusive<i64>) -> Option<i64> {
        match self.peek() {
            Some(Token::Number { value, digits }) if digits == wanted && range.contains(&value) => {
                self.at += 1;
                Some(value)
            }
            Some(_) | None => None,
        }
    }

    /// Follows the ISO form; none when the text can have no other form and is not of this one either.
    fn iso(&mut self) -> Option<Iso> {
        let year = if let Some(Token::Sign(sign)) = self.peek() {
            self.at += 1;
            let Some(year) = self.fixed(6, 0..=999_999) else {
                // A sign before all numbers says nothing.
                return Some(Iso::Begun);
            };
            if sign < 0 && year == 0 {
                return Some(Iso::Begun);
            }
            sign * year
        } else if let Some(year) = self.fixed(4, 0..=9999) {
            year
        } else {
            return Some(Iso::Begun);
        };
        self.day.add(year)?;
        for range in [1..=12, 1..=31] {
            if !self.skip(Token::Sign(-1)) {
                break;
            }
            let Some(number) = self.fixed(2, range) else {
                return Some(Iso::Begun);
            };
            self.day.add(number)?;
        }
        if self.skip(Token::Word(Word::T)) {
            self.iso_time()?;
            self.iso_zone()?;
            return self.peek().is_none().then_some(Iso::Whole);
        }
        if self.peek().is_some() {
            return Some(Iso::Begun);
        }
        self.zone = Zone::named(0);
        Some(Iso::Whole)
    }

    fn iso_time(&mut self) -> Option<()> {
        let hour = self.fixed(2, 0..=24)?;
        let most = |number: i64| 0..=(if hour == 24 { 0 } else { number });
        self.time.add(hour)?;
        self.skip(Token::Colon).then_some(())?;
        let minute = self.fixed(2, most(59))?;
        self.time.add(minute)?;
        if !self.skip(Token::Colon) {
            return Some(());
        }
        let second = self.fixed(2, most(59))?;
        self.time.add(second)?;
        if !self.skip(Token::Dot) {
            return Some(());
        }
        let Some(Token::Number { value, digits }) = self.next() else {
            return None;
        };
        (hour < 24 || value == 0).then_some(())?;
        self.time.add(milliseconds(value, digits))
    }

    fn iso_zone(&mut self) -> Option<()> {
        if self.skip(Token::Word(Word::Z)) {
            self.zone = Zone::named(0);
            return Some(());
        }
        let Some(Token::Sign(sign)) = self.peek() else {
            return Some(());
        };
        self.at += 1;
        let (hour, minute) = match self.fixed(4, 0..=2359) {
            Some(both) => (both / 100, both % 100),
            None => {
                let hour = self.fixed(2, 0..=23)?;
                self.skip(Token::Colon).then_some(())?;
                (hour, self.fixed(2, 0..=59)?)
            }
        };
        self.zone = Zone {
            sign: Some(sign),
            hour: Some(hour),
            minute: Some(minute),
        };
        (minute < 60).then_some(())
    }

    /// Reads what is not of the ISO form.
    fn rest(&mut self) -> Option<()> {
        let mut had_number = !self.day.numbers.is_empty();
        while let Some(token) = self.next() {
            match token {
                Token::Number { value, .. } => {
                    had_number = true;
                    self.number(value)?;
                }
                Token::Word(Word::Half(hours)) if !self.time.numbers.is_empty() => {
                    self.time.half = Some(hours);
                }
                Token::Word(Word::Month(month)) => {
                    self.day.named_month = Some(month);
                    self.skip(Token::Sign(-1));
                }
                Token::Word(Word::Z) if had_number => self.zone = Zone::named(0),
                Token::Word(Word::Zone(hours)) if had_number => self.zone = Zone::named(hours),
                Token::Word(_) => {
                    // A word that says nothing stands before all numbers, and apart from them.
                    let touches = matches!(self.peek(), Some(Token::Number { .. }));
                    (!had_number && !touches).then_some(())?;
                }
                Token::Sign(sign) if self.zone.is_utc() || !self.time.numbers.is_empty() => {
                    had_number = true;
                    self.offset(sign)?;
                }
                Token::Sign(_) | Token::Close => (!had_number).then_some(())?,
                Token::Colon | Token::Dot | Token::Space | Token::Other => {}
            }
        }
        Some(())
    }

    fn number(&mut self, value: i64) -> Option<()> {
        if self.skip(Token::Colon) {
            if !self.skip(Token::Colon) {
                self.time.add(value)?;
                self.skip(Token::Dot);
                return Some(());
            }
            self.time.numbers.is_empty().then_some(())?;
            self.time.add(value)?;
            return self.time.add(0);
        }
        if self.skip(Token::Dot) && self.time.expects(value) {
            self.time.add(value)?;
            let Some(Token::Number { value, digits }) = self.next() else {
                return None;
            };
            self.time.end(milliseconds(value, digits));
            return Some(());
        }
        if self.zone.expects(value) {
            self.zone.minute = Some(value);
            return Some(());
        }
        if self.time.expects(value) {
            self.time.end(value);
            return match self.peek() {
                None | Some(Token::Space | Token::Word(Word::Z) | Token::Sign(_)) => Some(()),
                Some(_) => None,
            };
        }
        self.day.add(value)?;
        self.skip(Token::Sign(-1));
        Some(())
    }

    /// Reads a zone behind its sign: `2`, `02`, `0200`, `02:00`.
    fn offset(&mut self, sign: i64) -> Option<()> {
        let (value, digits) = match self.peek() {
            Some(Token::Number { value, digits }) => {
                self.at += 1;
                (value, digits)
            }
            Some(_) | None => (0, 0),
        };
        let (hour, minute) = match digits {
            _ if self.peek() == Some(Token::Colon) => (value, None),
            1 | 2 => (value, Some(0)),
            3 | 4 => (value / 100, Some(value % 100)),
            _ => return None,
        };
        self.zone = Zone {
            sign: Some(sign),
            hour: Some(hour),
            minute,
        };
        Some(())
    }
}

/// The digits behind a point as milliseconds.
fn milliseconds(value: i64, digits: usize) -> i64 {
    match digits.min(DIGITS) {
        1 => value * 100,
        2 => value * 10,
        digits => value / 10_i64.pow(digits as u32 - 3),
    }
}
