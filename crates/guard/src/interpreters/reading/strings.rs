//! Strings with code in them.

use super::super::syntax::{MOST_TOKENS, Part, tokens, tree};
use super::{DEEPEST, Inside, PROGRAM, Reader, Source, Value};

impl Reader {
    /// The value of a string; the code in it is read as well.
    pub(super) fn string(&mut self, parts: &[Part]) -> Value {
        let mut whole = Value::text("");
        for part in parts {
            let value = match part {
                Part::Text(text) => Value::text(text),
                Part::Code(code) => self.code_in_string(code),
            };
            whole = match &value {
                // A name without a value puts some text in.
                Value::Named(_) | Value::Function | Value::Method(_) => whole.concat(&PROGRAM),
                Value::Path(inner) => whole.concat(inner),
                other @ (Value::Text(_)
                | Value::Unknown(_)
                | Value::List(_)
                | Value::Map(_)
                | Value::OneOf(_)) => whole.concat(other),
            };
        }
        if let [Part::Text(text)] = parts {
            // Long text is kept as it is.
            whole = Value::text(text);
        }
        self.noted(whole)
    }

    fn code_in_string(&mut self, code: &str) -> Value {
        if self.depth >= DEEPEST {
            self.computed("code inside of strings");
            return Value::Unknown(Source::Outside);
        }
        if self.again > MOST_TOKENS {
            return Value::Unknown(Source::Outside);
        }
        let lexed = tokens(code, self.family);
        self.out.unclear |= lexed.unclear;
        self.again += lexed.weight;
        if self.again > MOST_TOKENS {
            self.computed("long code");
            return Value::Unknown(Source::Outside);
        }
        let Some(nodes) = tree(lexed.tokens) else {
            self.computed("deeply nested code");
            return Value::Unknown(Source::Outside);
        };
        self.depth += 1;
        let items = self.sequence(&nodes, Inside::List);
        self.depth -= 1;
        match items.as_slice() {
            [only] => only.value.clone(),
            [] => Value::text(""),
            _ => PROGRAM,
        }
    }
}
