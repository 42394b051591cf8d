import type { Node } from 'web-tree-sitter';
import type { Binding } from './variables';
import {
  bracedWords,
  type Evaluated,
  inspect,
  literalWord,
  noFindings,
  resolveWord,
  textAsWritten,
  type Word,
  type WordFindings,
} from './words';

/** A text that the line gives a command as its input. */
export interface InputText {
  readonly text: string;
  /** Parts of it are only known at run time, and stand in it as they are written. */
  readonly isOpen: boolean;
}

/** A simple command as it stands in the line, before wrappers are taken off. */
export interface Draft {
  readonly words: Word[];
  readonly assignments: string[];
  readonly writes: (string | null)[];
  readonly reads: (string | null)[];
  /** Standard input given by the line itself: a text, or null when it is a file. */
  stdin: InputText | null | undefined;
  readonly findings: WordFindings;
  readonly start: number;
  readonly end: number;
  /** The variable it sets for what follows. */
  binding?: Binding;
  /** The texts that it sets variables to, or adds to them, for itself or for what follows. */
  readonly held: (Binding & { readonly adds: boolean })[];
  /** Of a test whose words are not all known: those that do no harm if they are numbers; none when that does not help. */
  openTest?: readonly string[];
  /** Statements found inside redirections (`cat <<A | sh`). */
  readonly statements: Node[];
}

/** Creates an empty draft for the text of a node. */
export const draftFor = (node: Node): Draft => ({
  words: [],
  assignments: [],
  writes: [],
  reads: [],
  stdin: undefined,
  held: [],
  findings: noFindings(),
  start: node.startIndex,
  end: node.endIndex,
  statements: [],
});

/** Reads a `command` node: assignments, name, arguments, here-strings. */
export function readCommand(node: Node, draft: Draft): void {
  let end = -1;
  let wordEnd = -1;
  for (const child of node.children) {
    // `$"x"` and the like: two words to the parser, one to the shell.
    if (child.startIndex === end && !child.type.endsWith('_redirect'))
      draft.findings.problems.push('words that touch each other');
    // `0<<< x`: a descriptor to the shell, an argument to this grammar.
    if (
      child.startIndex === wordEnd &&
      child.type.endsWith('_redirect') &&
      /^(?:\d+|\{\w+\})$/.test(draft.words.at(-1)?.source ?? '')
    )
      draft.words.pop();
    wordEnd = child.endIndex;
    end = child.type.endsWith('_redirect') ? -1 : child.endIndex;
    switch (child.type) {
      case 'variable_assignment':
        readAssignment(child, draft);
        break;
      case 'file_redirect':
      case 'heredoc_redirect':
      case 'herestring_redirect':
        readRedirect(child, draft);
        break;
      case 'subshell':
        draft.findings.problems.push('a parenthesis inside a command');
        draft.statements.push(child);
        break;
      default:
        draft.words.push(...bracedWords(resolveWord(child, draft.findings)));
    }
  }
}

/** Reads `export A=b`, `declare -x`, `unset A`: the keyword is the name, assignments are words too. */
export function readDeclaration(node: Node, draft: Draft): void {
  readAttributes(node, draft.findings);
  let end = -1;
  for (const child of node.children) {
    // `export a"b"=c`: two words to the parser, one to the shell.
    if (child.startIndex === end) draft.findings.problems.push('words that touch each other');
    end = child.endIndex;
    if (child.type === 'variable_assignment') {
      readAssignment(child, draft);
      draft.words.push({
        ...literalWord(child.text, child.startIndex, child.endIndex),
        value: null,
      });
    } else if (!child.isNamed || child.type === 'variable_name') {
      draft.words.push(literalWord(child.text, child.startIndex, child.endIndex));
    } else {
      const word = resolveWord(child, draft.findings);
      draft.words.push(word);
      // `export "A=b"`: an assignment to the shell, an argument to this grammar.
      const name = /^["']?(\w+)\+?=/.exec(word.source)?.[1];
      const value = word.value?.slice(word.value.indexOf('=') + 1) ?? null;
      if (name !== undefined) draft.findings.assigned.push({ name, value });
    }
  }
}

const INDEX_RUNS = 'an array index can run commands';

/** Tells whether a variable is set for what comes after, and not for one command only. */
export const setsForLine = ({ words }: Draft): boolean =>
  words.length === 0 || /^(?:export|readonly)$/.test(words[0]?.value ?? '');

/** Collects what the attributes of `declare` make of its names: numbers, or names of other variables. */
function readAttributes(node: Node, findings: WordFindings): void {
  const flags = node.children.filter((child) => /^[-+]\w+$/.test(child.text));
  if (flags.some((flag) => flag.text.includes('n')))
    findings.hidden.push('a variable that stands for another one evaluates its name');
  if (flags.some((flag) => /[aA]/.test(flag.text)) && /='\(|="\(/.test(node.text))
    findings.hidden.push('a list in quotes is evaluated');
  if (!flags.some((flag) => flag.text.includes('i'))) return;
  for (const child of node.children) {
    const name = /^\w+/.exec(child.text)?.[0];
    if (name !== undefined && child.isNamed) findings.evaluated.push({ text: name });
  }
}

/** Reads `NAME=value`, substitutions in the value included. */
export function readAssignment(node: Node, draft: Draft): void {
  draft.assignments.push(node.text);
  for (const child of node.children) inspect(child, draft.findings);
  const name = node.childForFieldName('name')?.text ?? '';
  const value = node.childForFieldName('value');
  const word = value ? resolveWord(value, noFindings()) : null;
  const isWhole = node.text.startsWith(`${name}=`);
  const binding = word && (elementsOf(name, value) ?? { name, values: [word] });
  if (binding) draft.held.push({ ...binding, adds: !isWhole });
  if (binding && isWhole) draft.binding = binding;
  readSubscripts(name, value?.text ?? '', draft.findings);
  const plain = /^\w+/.exec(name)?.[0] ?? '';
  // What stood in front of an appended part is not known here.
  const set = isWhole ? (word?.value ?? null) : null;
  draft.findings.assigned.push({ name: plain, value: word === null ? '' : set });
  if (EVALUATED_WHEN_SET.test(plain) && value) draft.findings.evaluated.push({ text: value.text });
}

/** Returns what sets an array to the words of a list; null for another value. */
function elementsOf(name: string, list: Node | null): Binding | null {
  if (list?.type !== 'array') return null;
  const values = list.namedChildren.flatMap((child) =>
    child ? resolveWord(child, noFindings()) : [],
  );
  return { name: `${name}[@]`, values };
}

/** Variables of the shell whose value is evaluated as arithmetic when they are set. */
export const EVALUATED_WHEN_SET =
  /^(?:RANDOM|SRANDOM|SECONDS|LINENO|OPTIND|HISTCMD|BASH_ARGV0|BASH_SUBSHELL|EPOCH\w+|BASH_MONOSECONDS)$/;

/** Collects the subscripts of `a[x]=…` and of `a=([x]=…)`: they are arithmetic. */
function readSubscripts(name: string, value: string, findings: WordFindings): void {
  const [, array, own] = /^(\w+)(?:\[(.*)\])?$/s.exec(name) ?? [];
  if (array === undefined) return;
  const listed = value.startsWith('(') ? value.matchAll(/[(\s]\[([^\]]*)\]\+?=/g) : [];
  for (const text of [own, ...[...listed].map(([, one]) => one)]) {
    if (text === undefined) continue;
    findings.evaluated.push({ text });
    findings.numeric.push({ text: text.replace(/^"(.*)"$/, '$1'), doubt: INDEX_RUNS });
  }
}

/** Operators of `[[ … ]]` that evaluate their operands as arithmetic, and so can run what is in a variable. */
const ARITHMETIC_TESTS = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-v', '-R']);

/**
 * Reads `[ … ]` and `[[ … ]]`: the words in it, flat. The shell itself reads `[[`, so that values cannot become
 * operators there; in `[` they can unless each is one word in its place. `[[` is known by its value alone: as a
 * source text it would be a word of the grammar.
 */
export function readTest(node: Node, draft: Draft): void {
  if (!/^\[\[?\s/.test(node.text) || !/\s\]\]?$/.test(node.text))
    draft.findings.problems.push('brackets that touch other text');
  const double = node.text.startsWith('[[');
  // Only the shell's own `[[` goes on behind a line break.
  if (!double && node.text.replaceAll('\\\n', '').includes('\n'))
    draft.findings.problems.push('brackets over several lines');
  const name = literalWord('[', node.startIndex, node.startIndex + 1);
  draft.words.push(double ? { ...name, value: '[[' } : name);
  const collect = (part: Node): void => {
    if (part.type === 'redirected_statement') {
      draft.findings.problems.push('a redirection inside a test');
      return;
    }
    if (TEST_STRUCTURE.has(part.type)) {
      for (const child of part.children) collect(child);
    } else if (part.isNamed) draft.words.push(resolveWord(part, draft.findings));
    else if (!double && /[<>|&;()]/.test(part.type)) {
      // Only `[[` has such signs: to the shell `[` is a command, which they redirect or end.
      draft.findings.problems.push(`“${part.type}” inside a test, which ends there`);
    } else if (TEST_OPERATOR.test(part.type))
      draft.words.push(literalWord(part.type, part.startIndex, part.endIndex));
  };
  collect(node);
  readEvaluated(draft, double);
  const risky = draft.words.some((word) => ARITHMETIC_TESTS.has(word.source));
  // Behind `-v` a name without a subscript is looked up, and no more.
  const isNamed = (word: Word, at: number) =>
    at > 0 && draft.words[at]?.source === '-v' && /^\w+$/.test(word.value ?? '');
  const operands = draft.words.slice(1).filter((word, at) => !isNamed(word, at));
  for (const { value, source } of risky ? operands.filter(mayBeArithmetic) : [])
    draft.findings.numeric.push({
      text: (value ?? source).replace(/^"(.*)"$/, '$1'),
      doubt: 'a numeric test can run commands hidden in a variable',
    });
  if (double || !draft.words.some((word) => word.value === null)) return;
  // A number stays one word.
  const open = draft.words.filter(({ source }) => /^\$\w+$/.test(source));
  const isFixed = isFixedTest(draft.words, open);
  if (!isFixed || open.length > 0) draft.openTest = isFixed ? open.map(({ source }) => source) : [];
}

/** Collects the operands that a test evaluates: beside `-eq` and its like in `[[`, behind `-v` and `-R` in both. */
function readEvaluated({ words, findings }: Draft, double: boolean): void {
  words.forEach((word, at) => {
    if (/^-[vR]$/.test(word.source)) findings.evaluated.push(...evaluatedIn(words[at + 1]));
    if (double && /^-(eq|ne|lt|le|gt|ge)$/.test(word.source))
      findings.evaluated.push(...evaluatedIn(words[at - 1]), ...evaluatedIn(words[at + 1]));
  });
}

const evaluatedIn = (word: Word | undefined): Evaluated[] =>
  word === undefined ? [] : [{ text: word.value ?? word.source }];

/** Names too: `[[ x -gt 1 ]]` evaluates the value of x. `$?`, `$#` and `$$` are always numbers. */
const mayBeArithmetic = ({ value, source }: Word): boolean =>
  value === null
    ? !isNumberOfShell(source)
    : /^[a-zA-Z_]/.test(value) || /[[$`]/.test(value.slice(1));

const isNumberOfShell = (source: string): boolean => /^"?\$[?#$]"?$/.test(source);

const TEST_OPERATOR = /^(=|==|!=|=~|<|>|&&|\|\||!)$/;

/**
 * Tells whether a test has its operator in place and values that stay one word: `[ -n "$x" ]`, `[
 * "$x" = y ]`. `numbers` are words that do if they are numbers.
 */
function isFixedTest([, ...words]: readonly Word[], numbers: readonly Word[]): boolean {
  const args = words[0]?.source === '!' ? words.slice(1) : words;
  const oneWord = (word: Word | undefined) =>
    word !== undefined &&
    (word.value !== null ||
      /^"[^"]*"$/.test(word.source) ||
      isNumberOfShell(word.source) ||
      numbers.includes(word));
  const [first, second, third] = args;
  if (args.length === 2) return /^-[a-zA-Z]$/.test(first?.value ?? '') && oneWord(second);
  const binary = /^(=|==|!=|-(ot|nt|ef|eq|ne|lt|le|gt|ge))$/.test(second?.value ?? '');
  return args.length === 3 && oneWord(first) && binary && oneWord(third);
}

const TEST_STRUCTURE = new Set([
  'test_command',
  'unary_expression',
  'binary_expression',
  'parenthesized_expression',
]);

/** Reads one redirection into the draft. */
export function readRedirect(node: Node, draft: Draft): void {
  readDescriptor(node, draft);
  if (node.type === 'heredoc_redirect') {
    readHeredoc(node, draft);
    return;
  }
  if (node.type === 'herestring_redirect') {
    const [text] = node.namedChildren.filter((child) => child.type !== 'file_descriptor');
    const word = text && resolveWord(text, draft.findings);
    draft.stdin = word ? { text: textAsWritten(word), isOpen: word.value === null } : null;
    return;
  }
  if (node.type !== 'file_redirect') {
    draft.findings.problems.push(`an unknown redirection (${node.type})`);
    return;
  }
  const operator = node.children.find((child) => !child.isNamed)?.type ?? '';
  const targets = node.childrenForFieldName('destination');
  if (targets.length > 1) draft.findings.problems.push('a redirection with several targets');
  for (const target of targets) {
    const value = resolveWord(target, draft.findings).value;
    if (/^[<>]&-?$/.test(operator) && value !== null && /^(\d+-?|-)$/.test(value)) continue;
    if (operator === '<' || operator === '<&') draft.reads.push(value);
    else draft.writes.push(value);
    // `<>` opens for both, but this grammar does not know it; `&<` does not exist.
    const descriptor = node.children.find((child) => child.type === 'file_descriptor')?.text;
    if (operator === '<' && (descriptor ?? '0') === '0') draft.stdin = null;
  }
}

/** Collects the subscript of `{a[x]}<y`, which this grammar takes for the last word of the command. */
function readDescriptor(redirect: Node, { words, findings }: Draft): void {
  const last = words.at(-1);
  const [, text] = /^\{\w+\[(.*)\]\}$/s.exec(last?.source ?? '') ?? [];
  if (last?.end !== redirect.startIndex || text === undefined) return;
  findings.doubts.push(INDEX_RUNS);
  findings.evaluated.push({ text });
}

function readHeredoc(node: Node, draft: Draft): void {
  const delimiter = node.children.find((child) => child.type === 'heredoc_start')?.text ?? '';
  const end = node.children.find((child) => child.type === 'heredoc_end')?.text ?? '';
  const body = node.children.find((child) => child.type === 'heredoc_body');
  const quoted = /^(['"])(\w+)\1$/.exec(delimiter);
  if (!quoted && !/^\w+$/.test(delimiter))
    draft.findings.problems.push('a here-document with an unusual end mark');
  if (end.trim() !== (quoted?.[2] ?? delimiter))
    draft.findings.problems.push('a here-document without its end mark');
  const text = body?.text ?? '';
  const before = draft.findings.substitutions.length;
  if (body && !quoted) inspect(body, draft.findings);
  const found = draft.findings.substitutions.length - before;
  if (!quoted && found === 0 && /`|\$\(/.test(text.replace(/\\[`$]/g, '')))
    draft.findings.problems.push('a substitution in a here-document');
  const descriptor = node.children.find((child) => child.type === 'file_descriptor')?.text ?? '0';
  const isOpen = !quoted && /[$`\\]/.test(text);
  if (descriptor === '0')
    draft.stdin = { text: isOpen ? text.replace(/\\([$`\\])/g, '$1') : text, isOpen };
  for (const child of node.children) {
    switch (child.type) {
      case '<<':
      case '<<-':
      case 'heredoc_start':
      case 'heredoc_body':
      case 'heredoc_end':
      case 'file_descriptor':
      case '&&':
      case '||':
        break;
      case 'file_redirect':
      case 'herestring_redirect':
        readRedirect(child, draft);
        break;
      default:
        if (HEREDOC_ARGUMENTS.has(child.type)) draft.words.push(resolveWord(child, draft.findings));
        else draft.statements.push(child);
    }
  }
}

const HEREDOC_ARGUMENTS = new Set(
  'word string raw_string ansi_c_string concatenation number simple_expansion expansion command_substitution process_substitution arithmetic_expansion brace_expression translated_string'.split(
    ' ',
  ),
);
