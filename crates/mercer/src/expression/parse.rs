//! Text into expressions, by recursive descent.
//!
//! ```text
//! sum     := product ('+' product)*
//! product := factor ('*' factor)*
//! factor  := setting '*' factor | call | '(' sum ')' ['@' columns]
//! call    := NAME ['(' argument (',' argument)* ')'] ['@' columns]
//! argument:= sum | NAME '=' setting | setting
//! setting := number | word | range | '[' item (',' item)* ']'
//! range   := number '..' number ['step' number]
//! number  := ['-'] DIGITS ['^' ['-'] DIGITS]
//! columns := column (',' column)*            inside arguments: column | '[' column (',' column)* ']'
//! ```

use std::collections::HashSet;
use std::ops::Range as Span;
use std::str::FromStr;

use super::entry::Entry;
use super::lex::{LexError, Spanned, Token, tokens};
use super::registry::{find, names};
use super::tree::{Call, Expression};
use super::value::{Choice, MOST_VALUES, Quoted, Range, Setting, Value};
use crate::error::{Code, Error, Result, nearest};
use crate::kernel::{Domain, Parameter};
use crate::numeric::Short;

/// Maximum nesting depth of calls and parentheses, so that no text can exhaust the stack.
const DEPTH: usize = 64;

/// The hint for `normalize(rbf@age,weight)`.
const BRACKETS: &str = "inside arguments, put several columns in brackets: @[a,b]";

impl FromStr for Expression {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut parser = Parser::new("kernel", text)?;
        let expression = parser.sum(false)?;
        parser.end()?;
        Ok(expression)
    }
}

/// A parser of kernels; learners use it too.
pub(super) struct Parser<'a> {
    /// The type of the text, for messages: a kernel or a learner.
    what: &'static str,
    text: &'a str,
    tokens: Vec<Spanned>,
    at: usize,
    depth: usize,
}

/// A number as written: plain, or a power.
struct NumberToken {
    value: f64,
    power: Option<(f64, f64)>,
    span: Span<usize>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(what: &'static str, text: &'a str) -> Result<Self> {
        let tokens = tokens(text).map_err(|LexError { span, reason }| Error::Expression {
            what,
            text: text.to_owned(),
            span,
            code: Code::Expression,
            reason,
            hint: None,
        })?;
        Ok(Parser { what, text, tokens, at: 0, depth: 0 })
    }

    /// An error unless all tokens are used.
    pub(super) fn end(&self) -> Result<()> {
        match self.peek() {
            None => Ok(()),
            Some(extra) => {
                let shown = &self.text[extra.span.clone()];
                Err(self.error(extra.span.clone(), format!("'{shown}' is not expected here")))
            }
        }
    }

    /// The next token if it is a name, and its position.
    pub(super) fn name(&self) -> Option<(String, Span<usize>)> {
        match self.peek() {
            Some(Spanned { token: Token::Name(name), span }) => Some((name.clone(), span.clone())),
            _ => None,
        }
    }

    /// Skips that many tokens.
    pub(super) fn skip(&mut self, tokens: usize) {
        self.at += tokens;
    }

    fn peek(&self) -> Option<&Spanned> {
        self.tokens.get(self.at)
    }

    pub(super) fn peek_symbol(&self, ahead: usize, symbol: char) -> bool {
        self.tokens.get(self.at + ahead).is_some_and(|t| t.token == Token::Symbol(symbol))
    }

    pub(super) fn take_symbol(&mut self, symbol: char) -> bool {
        let found = self.peek_symbol(0, symbol);
        self.at += usize::from(found);
        found
    }

    fn expect_symbol(&mut self, symbol: char) -> Result<()> {
        if self.take_symbol(symbol) {
            return Ok(());
        }
        Err(self.error(self.here(), format!("expected '{symbol}'{}", self.found())))
    }

    /// The span of the next token, or the end.
    pub(super) fn here(&self) -> Span<usize> {
        self.peek().map_or(self.text.len()..self.text.len(), |t| t.span.clone())
    }

    pub(super) fn found(&self) -> String {
        match self.peek() {
            Some(t) => format!(", found '{}'", &self.text[t.span.clone()]),
            None => ", found the end".into(),
        }
    }

    pub(super) fn error(&self, span: Span<usize>, reason: impl Into<String>) -> Error {
        self.fault(Code::Expression, span, reason.into())
    }

    fn fault(&self, code: Code, span: Span<usize>, reason: String) -> Error {
        Error::Expression { what: self.what, text: self.text.to_owned(), span, code, reason, hint: None }
    }

    fn deeper<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        if self.depth >= DEPTH {
            return Err(self.error(self.here(), format!("nested more than {DEPTH} deep")));
        }
        self.depth += 1;
        let done = work(self);
        self.depth -= 1;
        done
    }

    fn sum(&mut self, argument: bool) -> Result<Expression> {
        let mut sum = self.product(argument)?;
        while self.take_symbol('+') {
            sum = sum + self.product(argument)?;
        }
        Ok(sum)
    }

    fn product(&mut self, argument: bool) -> Result<Expression> {
        let mut product = self.factor(argument)?;
        while self.take_symbol('*') {
            product = product * self.factor(argument)?;
        }
        Ok(product)
    }

    fn factor(&mut self, argument: bool) -> Result<Expression> {
        self.deeper(|p| match p.peek().map(|t| t.token.clone()) {
            Some(Token::Number(_)) | Some(Token::Symbol('[' | '-')) => p.multiple(argument),
            Some(Token::Symbol('(')) => p.group(argument),
            Some(Token::Name(name)) => p.call(&name, argument),
            _ => Err(p.error(p.here(), format!("expected a kernel{}", p.found()))),
        })
    }

    fn multiple(&mut self, argument: bool) -> Result<Expression> {
        let start = self.here().start;
        let setting = self.setting()?;
        let span = start..self.tokens[self.at - 1].span.end;
        for value in setting.values() {
            if !matches!(value, Value::Number(v) if v > 0.0) {
                return Err(self
                    .error(span, format!("a kernel can be multiplied by a number above 0, not by {value}")));
            }
        }
        if !self.peek_symbol(0, '*') {
            return Err(self
                .error(span, "a number is not a kernel")
                .with_hint("ones is the constant kernel 1"));
        }
        self.expect_symbol('*')?;
        Ok(Expression::Scale(setting, Box::new(self.factor(argument)?)))
    }

    fn group(&mut self, argument: bool) -> Result<Expression> {
        self.expect_symbol('(')?;
        let inner = self.sum(argument)?;
        self.expect_symbol(')')?;
        if !self.peek_symbol(0, '@') {
            return Ok(inner);
        }
        let columns = self.columns(argument)?;
        Ok(match inner {
            Expression::Call(call) if call.columns.is_none() => {
                Expression::Call(Call { columns: Some(columns), ..call })
            }
            other => Expression::Group(Box::new(other), columns),
        })
    }

    fn call(&mut self, name: &str, argument: bool) -> Result<Expression> {
        let span = self.here();
        let Some(entry) = find(name) else {
            let near = nearest(name, names());
            let error = self.error(span.clone(), format!("there is no kernel '{name}'"));
            if argument && self.at_second_column() {
                return Err(error.with_hint(BRACKETS));
            }
            return Err(error.with_hint(if near.is_empty() {
                "mercer kernels lists them all".to_owned()
            } else {
                format!("did you mean {}?", near.join(" or "))
            }));
        };
        self.at += 1;
        let mut call = Call { entry, inner: Vec::new(), settings: Vec::new(), columns: None };
        let mut settings: Vec<Option<Setting>> = entry.facts.parameters.iter().map(|_| None).collect();
        if self.take_symbol('(') {
            while !self.take_symbol(')') {
                self.argument(&mut call, &mut settings)?;
                if !self.peek_symbol(0, ')') && !self.take_symbol(',') {
                    return Err(self.error(self.here(), format!("expected ',' or ')'{}", self.found())));
                }
            }
        }
        let wrapped = call.inner.len();
        if wrapped < entry.arity() || wrapped > entry.arity() && !entry.takes_more() {
            let takes = match entry.arity() {
                0 => "wraps no kernel".to_owned(),
                n => format!(
                    "wraps {n} kernel{}, such as {}",
                    if entry.takes_more() { " or more" } else { "" },
                    entry.facts.example
                ),
            };
            return Err(self.error(span, format!("{name} {takes}")));
        }
        for (parameter, setting) in entry.facts.parameters.iter().zip(settings) {
            call.settings.push(setting.map_or_else(|| default(parameter), Ok)?);
        }
        if self.peek_symbol(0, '@') {
            call.columns = Some(self.columns(argument)?);
        }
        Ok(Expression::Call(call))
    }

    /// Whether this is a name after `@ name ,`: a second column that could be an argument.
    fn at_second_column(&self) -> bool {
        let before = self.at.checked_sub(3).and_then(|at| self.tokens.get(at));
        before.is_some_and(|t| t.token == Token::Symbol('@'))
            && matches!(self.peek(), Some(Spanned { token: Token::Name(_) | Token::Quoted(_), .. }))
    }

    fn argument(&mut self, call: &mut Call, settings: &mut [Option<Setting>]) -> Result<()> {
        let facts = call.entry.facts;
        let Some((name, span)) = self.name().filter(|_| self.peek_symbol(1, '=')) else {
            // If several kernels are wrapped, all other arguments need a name.
            if call.inner.len() < call.entry.arity() || call.entry.takes_more() {
                call.inner.push(self.sum(true)?);
                return Ok(());
            }
            // `normalize(rbf@age,weight)`
            let second_column = self.at_second_column();
            let span = self.here();
            let word = self.name().map(|(word, _)| word);
            let takes = |word: &String| facts.parameters.iter().any(|p| p.domain.has_word(word));
            let wraps_none = call.entry.arity() == 0 && !call.entry.takes_more();
            if wraps_none && word.as_ref().is_some_and(|word| find(word).is_some() && !takes(word)) {
                return Err(self.error(self.here(), format!("{} wraps no kernel", facts.name)).with_hint(
                    "rbf-of(k, gamma), normalize(k), the cosine, and tanimoto(k) wrap any kernel k",
                ));
            }
            let setting = match free_for(facts.parameters, settings, word.as_deref()) {
                Some(free) => self.checked(&facts.parameters[free]).map(|s| settings[free] = Some(s)),
                None => Err(self.error(span, format!("{} takes no further argument", facts.name))),
            };
            return setting.map_err(|e| if second_column { e.with_hint(BRACKETS) } else { e });
        };
        self.at += 2;
        self.named(facts.name, facts.parameters, &name, span, settings)
    }

    /// The setting after `name =`, put in the slot of that parameter.
    pub(super) fn named(
        &mut self,
        owner: &str,
        parameters: &[Parameter],
        name: &str,
        span: Span<usize>,
        settings: &mut [Option<Setting>],
    ) -> Result<()> {
        for (parameter, slot) in parameters.iter().zip(settings) {
            let setting = if parameter.name == name {
                self.checked(parameter)?
            } else if let Some((alias, convert)) = parameter.alias
                && alias == name
            {
                self.checked_alias(parameter, alias, convert)?
            } else {
                continue;
            };
            if slot.replace(setting).is_some() {
                return Err(self.error(span, format!("{} is given twice", parameter.name)));
            }
            return Ok(());
        }
        let known = parameters.iter().flat_map(|p| [Some(p.name), p.alias.map(|a| a.0)]).flatten();
        let known: Vec<_> = known.collect();
        let hint = match known.as_slice() {
            [] => format!("{owner} has no parameters"),
            all => format!("its parameters are {}", all.join(", ")),
        };
        Err(self.error(span, format!("{owner} has no parameter '{name}'")).with_hint(hint))
    }

    /// A setting whose values all lie in the parameter's domain.
    pub(super) fn checked(&mut self, parameter: &Parameter) -> Result<Setting> {
        let start = self.here().start;
        let setting = self.setting()?;
        let span = start..self.tokens[self.at - 1].span.end;
        for value in setting.values() {
            let good = match (&value, parameter.domain) {
                (Value::Number(v), domain) => domain.check(parameter.name, *v).is_ok(),
                (Value::Word(w), domain) => domain.has_word(w),
            };
            if !good {
                let reason = format!("{} = {value}: must be {}", parameter.name, parameter.domain.describe());
                return Err(self.fault(Code::Param, span, reason));
            }
        }
        Ok(setting)
    }

    fn checked_alias(
        &mut self,
        parameter: &Parameter,
        alias: &'static str,
        convert: fn(f64) -> f64,
    ) -> Result<Setting> {
        let start = self.here().start;
        let alias = Parameter { name: alias, alias: None, domain: Domain::Positive, ..*parameter };
        let setting = self.checked(&alias)?.map(convert);
        let span = start..self.tokens[self.at - 1].span.end;
        let outside = |v: &Value| !matches!(v, Value::Number(v) if parameter.domain.check("", *v).is_ok());
        match setting.values().into_iter().find(outside) {
            None => Ok(setting),
            Some(v) => Err(self.fault(
                Code::Param,
                span,
                format!("gives {} = {v}: must be {}", parameter.name, parameter.domain.describe()),
            )),
        }
    }

    fn setting(&mut self) -> Result<Setting> {
        let start = self.here().start;
        if !self.take_symbol('[') {
            return Ok(match self.choice()? {
                Choice::One(v) => Setting::Fixed(v),
                Choice::Range(r) => Setting::Range(r),
            });
        }
        let mut items = vec![self.choice()?];
        while self.take_symbol(',') {
            items.push(self.choice()?);
        }
        self.expect_symbol(']')?;
        let list = Setting::List(items);
        if list.values().len() > MOST_VALUES {
            let span = start..self.tokens[self.at - 1].span.end;
            return Err(self.error(span, format!("a choice of more than {MOST_VALUES} values")));
        }
        Ok(list)
    }

    fn choice(&mut self) -> Result<Choice> {
        match self.peek().map(|t| t.token.clone()) {
            Some(Token::Name(word) | Token::Quoted(word)) => {
                self.at += 1;
                Ok(Choice::One(Value::Word(word)))
            }
            _ => {
                let from = self.number()?;
                if self.peek().is_some_and(|t| t.token == Token::Range) {
                    self.at += 1;
                    return self.range(&from).map(Choice::Range);
                }
                Ok(Choice::One(Value::Number(from.value)))
            }
        }
    }

    fn range(&mut self, from: &NumberToken) -> Result<Range> {
        let to = self.number()?;
        let step = match self.peek().map(|t| &t.token) {
            Some(Token::Name(word)) if word == "step" => {
                self.at += 1;
                Some(self.number()?.value)
            }
            _ => None,
        };
        let span = from.span.start..self.tokens[self.at - 1].span.end;
        let range = match (from.power, to.power) {
            (Some((a, low)), Some((b, high))) if a == b => {
                Range { base: Some(a), from: low, to: high, step: step.unwrap_or(1.0) }
            }
            (None, None) => {
                let whole = from.value.fract() == 0.0 && to.value.fract() == 0.0;
                if step.is_none() && !whole {
                    let (low, high) = (Short(from.value), Short(to.value));
                    return Err(self
                        .error(span, "a range of fractions needs a step")
                        .with_hint(format!("write {low}..{high} step 0.1, or a list")));
                }
                Range { base: None, from: from.value, to: to.value, step: step.unwrap_or(1.0) }
            }
            _ => {
                let reason = "both ends of a range must be numbers, or powers of one base";
                return Err(self.error(span, reason).with_hint("for example 2^-5..2^15"));
            }
        };
        if range.step.is_nan() || range.step <= 0.0 || range.count().is_none() {
            let reason = format!("a range must be ascending, with at most {MOST_VALUES} values");
            return Err(self.error(span, reason));
        }
        if range.values().iter().any(|v| !v.is_finite()) {
            return Err(self.error(span, "a range with values that are not finite"));
        }
        Ok(range)
    }

    fn number(&mut self) -> Result<NumberToken> {
        let start = self.here().start;
        let value = self.signed()?;
        let mut written = NumberToken { value, power: None, span: start..self.tokens[self.at - 1].span.end };
        if self.take_symbol('^') {
            let exponent = self.signed()?;
            written.span.end = self.tokens[self.at - 1].span.end;
            let power = Range { base: Some(value), from: exponent, to: exponent, step: 1.0 };
            written.value = power.values().first().copied().unwrap_or(f64::NAN);
            written.power = Some((value, exponent));
            if !written.value.is_finite() {
                return Err(self.error(written.span, "a power that is not a finite number"));
            }
        }
        Ok(written)
    }

    fn signed(&mut self) -> Result<f64> {
        let negative = self.take_symbol('-');
        match self.peek().map(|t| t.token.clone()) {
            Some(Token::Number(v)) => {
                self.at += 1;
                Ok(if negative { -v } else { v })
            }
            _ => Err(self.error(self.here(), format!("expected a number{}", self.found()))),
        }
    }

    fn columns(&mut self, argument: bool) -> Result<Vec<String>> {
        self.expect_symbol('@')?;
        let bracketed = self.take_symbol('[');
        let mut columns = vec![self.column()?];
        let mut seen: HashSet<String> = columns.iter().cloned().collect();
        while (bracketed || !argument) && self.take_symbol(',') {
            let span = self.here();
            let column = self.column()?;
            if !seen.insert(column.clone()) {
                return Err(self.error(span, format!("duplicate column {}", Quoted(&column))));
            }
            columns.push(column);
        }
        if bracketed {
            self.expect_symbol(']')?;
        }
        Ok(columns)
    }

    fn column(&mut self) -> Result<String> {
        match self.peek().map(|t| t.token.clone()) {
            Some(Token::Name(name) | Token::Quoted(name)) => {
                self.at += 1;
                Ok(name)
            }
            _ => Err(self
                .error(self.here(), format!("expected a column name{}", self.found()))
                .with_hint("put names with spaces or special characters in quotes")),
        }
    }
}

/// The parameter that an argument without a name is for: of those that have no value yet the first, and for a word the
/// first that takes this word.
fn free_for(parameters: &[Parameter], settings: &[Option<Setting>], word: Option<&str>) -> Option<usize> {
    let free = || (0..parameters.len()).filter(|&i| settings.get(i).is_some_and(Option::is_none));
    let taking = word.and_then(|word| free().find(|&i| parameters[i].domain.has_word(word)));
    taking.or_else(|| free().next())
}

/// The default of a parameter, which is written in the expression language.
pub(super) fn default(parameter: &Parameter) -> Result<Setting> {
    match (parameter.domain, parameter.default.parse::<f64>()) {
        (Domain::Word(_) | Domain::ClassWeights, _) => {
            Ok(Setting::Fixed(Value::Word(parameter.default.to_owned())))
        }
        (_, Ok(number)) => Ok(number.into()),
        (domain, Err(_)) if domain.has_word(parameter.default) => {
            Ok(Setting::Fixed(Value::Word(parameter.default.to_owned())))
        }
        (_, Err(_)) => Err(Error::usage(format!("the default of {} is not a number", parameter.name))),
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.facts.name == other.facts.name
    }
}
