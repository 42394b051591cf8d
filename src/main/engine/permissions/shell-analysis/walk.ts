import type { Node } from 'web-tree-sitter';
import { isArithmeticText } from './arithmetic';
import type { Line, ScriptOrigin } from './line';
import {
  type Draft,
  draftFor,
  EVALUATED_WHEN_SET,
  readAssignment,
  readCommand,
  readDeclaration,
  readRedirect,
  readTest,
} from './simple-command';
import { addArithmetic, bracedWords, inspect, literalWord, noFindings, resolveWord } from './words';
import { outputOf, writtenBy } from './written-text';

/** Statements that only hold other statements. */
const CONTAINERS = new Set(
  'program list pipeline subshell compound_statement do_group if_statement elif_clause else_clause while_statement case_item negated_command command_substitution process_substitution variable_assignments'.split(
    ' ',
  ),
);

/** Tokens that may stand between statements. */
const PUNCTUATION = new Set([
  ...'; & && || | |& ( ) { } if then elif else fi while until do done ! $( <( >( `'.split(' '),
  '\n',
]);
const CASE_ENDS = new Set([';;', ';&', ';;&']);
/** The other ways of a branch: what was set on the way before them is not set on theirs. */
const OTHER_WAYS = new Set(['elif_clause', 'else_clause']);
/** Statements that may not run, or run in a shell of their own: what they set is not set for sure behind them. */
const SCOPES = new Set([
  ...OTHER_WAYS,
  ...'subshell command_substitution process_substitution if_statement case_statement case_item'.split(
    ' ',
  ),
  ...'while_statement for_statement c_style_for_statement function_definition'.split(' '),
]);
const LOOPS = new Set(['while_statement', 'for_statement', 'c_style_for_statement']);

/** Finds every simple command below a node, in source order. */
export function walk(node: Node, source: string, line: Line, place: ScriptOrigin | null): void {
  const visit = (child: Node) => walk(child, source, line, place);
  const add = (draft: Draft) => {
    line.add(draft, source, place);
    for (const inner of draft.findings.substitutions) visit(inner);
    for (const inner of draft.statements) {
      line.pipedText = outputOf(draft);
      visit(inner);
    }
  };

  const before = line.bindings;
  if (LOOPS.has(node.type)) line.repeats++;
  checkGaps(node, source, line);

  if (node.type === 'compound_statement' && node.text.startsWith('((')) {
    calculation(node, visit, line, add);
  } else if (CONTAINERS.has(node.type)) {
    visitChildren(node, visit, line, add);
  } else {
    switch (node.type) {
      case 'command': {
        const draft = draftFor(node);
        readCommand(node, draft);
        add(draft);
        break;
      }
      case 'declaration_command':
      case 'unset_command': {
        const draft = draftFor(node);
        readDeclaration(node, draft);
        add(draft);
        break;
      }
      case 'variable_assignment': {
        const draft = draftFor(node);
        readAssignment(node, draft);
        add(draft);
        break;
      }
      case 'test_command': {
        const draft = draftFor(node);
        readTest(node, draft);
        add(draft);
        break;
      }
      case 'redirected_statement':
        redirected(node, visit, line, add);
        break;
      case 'for_statement':
        forLoop(node, visit, line, add);
        break;
      case 'c_style_for_statement':
        countingLoop(node, visit, line, add);
        break;
      case 'case_statement':
        caseStatement(node, visit, line, add);
        break;
      case 'function_definition':
        functionDefinition(node, visit, line, add);
        break;
      case 'comment':
        if (!/^$|[\s;&|()]/.test(source.charAt(node.startIndex - 1)))
          line.problem('a comment in the middle of a word');
        break;
      default:
        line.problem(
          node.type === 'ERROR'
            ? 'a part of it could not be parsed'
            : `unknown syntax (${node.type})`,
        );
        rescue(node, visit);
    }
  }
  if (LOOPS.has(node.type)) line.repeats--;
  if (SCOPES.has(node.type)) line.bindings = before;
}

function visitChildren(
  node: Node,
  visit: (child: Node) => void,
  line: Line,
  add: (draft: Draft) => void,
): void {
  const from = line.commands.length;
  // Behind `&&` all counts that was set before it; behind `||` and a whole list only what its first command set.
  const isEither = node.type === 'list' && node.children.some(({ type }) => type === '||');
  const start = line.bindings;
  let sure = start;
  const values = new Set(node.type === 'case_item' ? ids(node.childrenForFieldName('value')) : []);
  for (const child of node.children) {
    if (child.isMissing) line.problem(`a missing ${child.type}`);
    if (values.has(child.id)) {
      mention(child, add);
    } else if (child.type === 'file_redirect' || child.type === 'herestring_redirect') {
      const draft = draftFor(child);
      readRedirect(child, draft);
      add(draft);
    } else if (child.isNamed) {
      if (OTHER_WAYS.has(child.type)) line.bindings = start;
      const before = line.bindings;
      if (node.type === 'list' && child.id === node.lastNamedChild?.id && hasArrived(node))
        line.folders.afterArriving(() => visit(child));
      else visit(child);
      const isPipe = node.type === 'pipeline';
      if (isPipe || child.nextSibling?.type === '&') line.bindings = before;
      if (child.id === node.firstNamedChild?.id)
        sure = child.type === 'list' ? line.surely : line.bindings;
      if (isEither) line.bindings = sure;
      line.pipedText = isPipe ? writtenBy(child) : undefined;
      line.piped = isPipe ? line.commands.slice(from) : undefined;
    } else if (!PUNCTUATION.has(child.type.trim()) && child.type !== '\n') {
      const endsCase = node.type === 'case_item' && CASE_ENDS.has(child.type);
      if (!endsCase) line.problem(`“${child.type}” is not expected here`);
    }
  }
  if (node.type !== 'list') return;
  line.surely = sure;
  if (node.parent?.type !== 'list') line.bindings = sure;
}

/**
 * Tells for `cd x && …` whether the last part of a list runs only where a `cd` right before it led.
 */
function hasArrived(list: Node): boolean {
  const [before, operator] = list.children;
  if (list.childCount !== 3 || operator?.type !== '&&' || !before) return false;
  return before.type === 'list'
    ? before.childCount === 3 &&
        before.children[1]?.type === '&&' &&
        isChangeOfFolder(before.lastNamedChild)
    : isChangeOfFolder(before);
}

const isChangeOfFolder = (node: Node | null): boolean =>
  node?.type === 'command' && node.childForFieldName('name')?.text === 'cd';

/**
 * Reads a redirected statement: a redirection belongs to its command, around a group it stands for
 * itself.
 */
function redirected(
  node: Node,
  visit: (child: Node) => void,
  line: Line,
  add: (draft: Draft) => void,
): void {
  const body = node.childForFieldName('body');
  const draft = draftFor(node);
  if (body?.type === 'command') readCommand(body, draft);
  else if (body?.type === 'declaration_command') readDeclaration(body, draft);
  else if (body?.type === 'test_command') readTest(body, draft);
  const absorbed = draft.words.length > 0 || draft.assignments.length > 0;
  for (const child of node.children) {
    if (child.id !== body?.id) readRedirect(child, draft);
  }
  // To the grammar `cd x && ls > y` is a redirected list: by then the folder may have changed.
  const from = line.commands.length;
  if (body && !absorbed) visit(body);
  if (draft.stdin !== undefined) line.forgetPipes(from);
  add(draft);
}

function forLoop(
  node: Node,
  visit: (child: Node) => void,
  line: Line,
  add: (draft: Draft) => void,
): void {
  const draft = draftFor(node);
  const variable = node.childForFieldName('variable');
  // The loop sets its variable: as risky as an assignment.
  if (variable) draft.assignments.push(`${variable.text}=`);
  const values = node
    .childrenForFieldName('value')
    .flatMap((value) => bracedWords(resolveWord(value, draft.findings)));
  if (variable) {
    draft.binding = { name: variable.text, values };
    draft.held.push({ ...draft.binding, adds: false });
  }
  for (const { value, source } of variable ? values : []) {
    const name = variable?.text ?? '';
    draft.findings.assigned.push({ name, value });
    if (EVALUATED_WHEN_SET.test(name)) draft.findings.evaluated.push({ text: source });
  }
  add(draft);
  const body = node.childForFieldName('body');
  if (body) visit(body);
  else line.problem('a loop without a body');
}

/** The head of a loop with only numbers and its own variable. */
const COUNTING =
  /^for\s*\(\(\s*([a-z_]\w*)\s*=\s*\d+\s*;\s*\1\s*(?:[<>]=?|!=)\s*\d+\s*;\s*(?:\1(?:\+\+|--)|(?:\+\+|--)\1|\1\s*[+-]=\s*\d+)\s*\)\)\s*;?\s*$/;
/** The three parts of a loop's head. */
const HEAD = /^for\s*\(\(([^;]*);([^;]*);([^;]*)\)\)\s*;?\s*$/;

/** Reads `for ((i=0; i<n; i++))`. Its variable holds numbers, which no word is taken for. */
function countingLoop(
  node: Node,
  visit: (child: Node) => void,
  line: Line,
  add: (draft: Draft) => void,
): void {
  const body = node.childForFieldName('body');
  const head = node.text.slice(0, (body?.startIndex ?? node.endIndex) - node.startIndex);
  const parts = HEAD.exec(head)?.slice(1) ?? [];
  const isPlain = parts.length > 0 && parts.every((part) => part.trim() && isArithmeticText(part));
  if (!body || !isPlain) {
    line.problem('a loop that calculates');
    rescue(node, visit);
    return;
  }
  const draft = calculating(node, parts);
  if (COUNTING.test(head)) draft.findings.numeric.length = 0;
  add(draft);
  visit(body);
}

/** Reads `((i++))`, which other readings of the brackets would make commands of. */
function calculation(
  node: Node,
  visit: (child: Node) => void,
  line: Line,
  add: (draft: Draft) => void,
): void {
  const text = /^\(\((.*)\)\)$/s.exec(node.text)?.[1] ?? '';
  if (text.trim() !== '' && isArithmeticText(text)) add(calculating(node, [text]));
  else {
    line.problem('“((” is not expected here');
    rescue(node, visit);
  }
}

/** Creates the draft of something that only evaluates arithmetic, and may set variables by it. */
function calculating(node: Node, texts: readonly string[]): Draft {
  const draft = draftFor(node);
  for (const text of texts) {
    addArithmetic(text, draft.findings);
    for (const [, name = ''] of text.matchAll(/([A-Za-z_]\w*)\s*(?:\+\+|--|[^\w\s=!<>]?=(?!=))/g))
      draft.assignments.push(`${name}=`);
  }
  return draft;
}

function caseStatement(
  node: Node,
  visit: (child: Node) => void,
  line: Line,
  add: (draft: Draft) => void,
): void {
  for (const child of node.children) {
    if (child.isMissing) line.problem(`a missing ${child.type}`);
    if (child.type === 'case_item') visit(child);
    else if (child.isNamed && child.type !== 'comment') mention(child, add);
  }
}

/** Reads a function, which can carry the name of a command: nothing after it is what it seems. */
function functionDefinition(
  node: Node,
  visit: (child: Node) => void,
  line: Line,
  add: (draft: Draft) => void,
): void {
  const draft = draftFor(node);
  draft.words.push(literalWord('function', node.startIndex, node.startIndex));
  for (const redirect of node.childrenForFieldName('redirect')) readRedirect(redirect, draft);
  add(draft);
  line.repeats++;
  const body = node.childForFieldName('body');
  if (body) visit(body);
  line.repeats--;
}

/** Adds what a word contains that is evaluated but is no command. */
function mention(node: Node, add: (draft: Draft) => void): void {
  const findings = noFindings();
  inspect(node, findings);
  if (Object.values(findings).every((found) => found.length === 0)) return;
  add({ ...draftFor(node), findings });
}

/** Finds the commands in a part that is not understood, so that denials reach them. */
function rescue(node: Node, visit: (child: Node) => void): void {
  for (const child of node.children) {
    if (child.type === 'command' || CONTAINERS.has(child.type) || child.type.endsWith('_statement'))
      visit(child);
    else rescue(child, visit);
  }
}

/** Reports text the parser did not account for: text between two children may only be space. */
function checkGaps(node: Node, source: string, line: Line): void {
  if (!CONTAINERS.has(node.type) && node.type !== 'command') return;
  let at = node.type === 'program' ? 0 : node.startIndex;
  // Inside a command only an escaped line break is no end.
  const gap = node.type === 'command' ? /^(?:[ \t]|\\\n)*$/ : /^(?:\s|\\\n)*$/;
  const check = (until: number) => {
    if (until > at && !gap.test(source.slice(at, until)))
      line.problem('a part of it was not understood by the parser');
  };
  for (const child of node.children) {
    check(child.startIndex);
    at = Math.max(at, child.endIndex);
  }
  check(node.type === 'program' ? source.length : node.endIndex);
}

const ids = (nodes: readonly (Node | null)[]): number[] =>
  nodes.flatMap((node) => (node ? [node.id] : []));
