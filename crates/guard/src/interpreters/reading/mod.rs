//! Reading a program: which calls it makes, with which values, as far as its text says.
//!
//! Nothing is run and nothing is judged here. A program in which a name gets a value after it was used is read
//! twice, so that what is bound further down counts for what stands before it; a name that is bound more than
//! once may be any of its values.

mod bindings;
mod called;
mod called_by_name;
mod changes;
mod expressions;
mod functions;
mod known;
mod lexical;
mod members;
mod operands;
mod reader;
pub(super) mod results;
mod results_known;
mod statements;
mod strings;
mod value;

pub(super) use reader::{Call, Found, Owner, Reading, read};
use reader::{DEEPEST, EXPRESSIONS, Inside, Item, Reader};
pub(super) use value::{PROGRAM, Source, Value};
