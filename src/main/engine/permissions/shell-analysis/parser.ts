import type { Parser } from 'web-tree-sitter';
import type { ShellAnalysis, ShellCommand } from '../request';
import { type Dialect, readsOtherwise } from './dialect';
import { rawCommands } from './guesses';
import { hereStringsFirst } from './here-strings';
import { afterIndexChanges } from './index-changes';
import { Line, type ScriptOrigin } from './line';
import { withListings } from './listed-words';
import { VariableChanges } from './variable-changes';
import { walk } from './walk';

/** Takes shell lines apart. */
export interface ShellParser {
  /** Never rejects: without a working parser every line counts as not understood. */
  analyze(command: string): Promise<ShellAnalysis>;
}

/** Gives the bytes of a WebAssembly file by name. */
export type LoadWasm = (
  name: 'web-tree-sitter.wasm' | 'tree-sitter-bash.wasm',
) => Promise<Uint8Array>;

/** A call asks several times about its line: what it reaches, what it needs, where it runs, what its exit code means. */
const REMEMBERED_LINES = 4;

/**
 * Creates a parser that loads its grammar (20 ms, 15 MB) at the first line. `dialect` is of the shell that runs the lines:
 * those it may read otherwise than bash count as not understood.
 */
export function createShellParser(loadWasm: LoadWasm, dialect: Dialect = 'bash'): ShellParser {
  let loading: Promise<Parser> | null = null;
  const remembered = new Map<string, ShellAnalysis>();
  const remember = (command: string, analysis: ShellAnalysis): ShellAnalysis => {
    const [oldest] = remembered.keys();
    if (oldest !== undefined && remembered.size >= REMEMBERED_LINES) remembered.delete(oldest);
    remembered.set(command, analysis);
    return analysis;
  };
  return {
    analyze: async (command) => {
      const suspicious = suspiciousText(command);
      if (suspicious !== null) return notUnderstood(suspicious, command);
      const known = remembered.get(command);
      if (known !== undefined) return known;
      try {
        loading ??= load(loadWasm);
        return remember(command, analyzeWith(await loading, command, dialect));
      } catch (error) {
        loading = null;
        const detail = error instanceof Error ? error.message : String(error);
        return notUnderstood(`the shell parser could not be used (${detail})`, command);
      }
    },
  };
}

async function load(loadWasm: LoadWasm): Promise<Parser> {
  const [{ Parser: TreeParser, Language }, core, grammar] = await Promise.all([
    import('web-tree-sitter'),
    loadWasm('web-tree-sitter.wasm'),
    loadWasm('tree-sitter-bash.wasm'),
  ]);
  // An own copy: the runtime wants a plain ArrayBuffer here.
  await TreeParser.init({ wasmBinary: new Uint8Array(core).buffer });
  const parser = new TreeParser();
  parser.setLanguage(await Language.load(grammar));
  return parser;
}

/** Analyses one line with a loaded parser. Synchronous, so that parsers can be shared. */
function analyzeWith(parser: Parser, text: string, dialect: Dialect): ShellAnalysis {
  const command = hereStringsFirst(text, parser);
  const readScript = (given: string, line: Line, place: ScriptOrigin | null): string | null => {
    const script = place === null ? given : hereStringsFirst(given, parser);
    const tree = parser.parse(script);
    if (!tree) {
      line.problem('a part of it could not be parsed');
      return null;
    }
    try {
      // What a runner may start is guesswork: its syntax is no reason to ask.
      const guess = place?.role === 'inner';
      const problems = line.problems.length;
      if (tree.rootNode.hasError && !guess) line.problem('it is not complete or not valid shell');
      const otherwise = readsOtherwise(tree.rootNode, place?.dialect ?? dialect);
      if (otherwise !== null && !guess) line.problem(otherwise);
      walk(tree.rootNode, script, line, place);
      if (guess) {
        const unclear =
          otherwise !== null || tree.rootNode.hasError || line.problems.length > problems;
        line.problems.length = problems;
        if (unclear) line.addUnknown(script, place);
      }
      return otherwise;
    } finally {
      tree.delete();
    }
  };
  const readWith = (known: VariableChanges): Line => {
    const line = new Line(
      command,
      dialect,
      (script, into, place) => {
        const hidden = suspiciousText(script);
        if (hidden !== null && place.role !== 'inner') into.problem(hidden);
        return readScript(script, into, place);
      },
      known,
    );
    readScript(command, line, null);
    // Where the parser saw something else than the shell may, a command that sets variables may have been missed.
    if (line.problems.length > 0) line.changes.addAny();
    return line;
  };
  let known = new VariableChanges();
  let line = readWith(known);
  const earlier: Line[] = [];
  // A variable was taken for what the line sets it to, and then a command was found that may change it.
  while (line.isFilled && !known.covers(line.changes)) {
    earlier.push(line);
    known = known.isEmpty ? line.changes : VariableChanges.ofAny();
    line = readWith(known);
  }
  const lasting = line.finish();
  const all = withListings(command, [...lasting, ...guessesOf(earlier, lasting)]);
  const commands = afterIndexChanges(command, all);
  const [problem] = [line, ...earlier].some(({ tooMuch }) => tooMuch)
    ? ['it has too many commands or changes of the folder, or they are nested too deeply']
    : line.problems;
  if (problem !== undefined)
    return { ok: false, reason: problem, commands: [...commands, ...rawCommands(text)] };
  return { ok: true, commands, changesDirectory: line.folders.changed };
}

/** Returns the commands that only readings which did not last have: never more than a reason to deny or ask. */
function guessesOf(readings: readonly Line[], lasting: readonly ShellCommand[]): ShellCommand[] {
  const asGuess = (command: ShellCommand): ShellCommand => ({ ...command, role: 'inner' });
  const said = new Set(lasting.map((command) => JSON.stringify(asGuess(command))));
  const guesses = readings.flatMap((reading) => reading.finish()).map(asGuess);
  return guesses.filter((guess) => !said.has(JSON.stringify(guess)));
}

const notUnderstood = (reason: string, command: string): ShellAnalysis => ({
  ok: false,
  reason,
  commands: rawCommands(command),
});

/** docs/spec.md E3: longer lines are always asked. UTF-16 units. */
const MAX_COMMAND_LENGTH = 10_000;

/** Controls (but tab and newline), bidi marks, zero width, tags, odd spaces: what the user cannot see. */
const HIDDEN = new RegExp(
  [
    '(?![\\t\\n])\\p{Cc}',
    '(?! )\\p{Zs}',
    '[\\p{Cf}\\p{Zl}\\p{Zp}\\p{Cs}\\p{Cn}\\p{Variation_Selector}]',
    '[\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u3164\\uffa0]',
  ].join('|'),
  'u',
);

/** Emoji are joined and coloured by zero-width characters that are part of what the user sees. */
const EMOJI = /\p{Extended_Pictographic}(?:\ufe0f|\u200d\p{Extended_Pictographic})+/gu;

/** Returns what can be seen of a text. */
export const visibleText = (text: string): string => text.replace(new RegExp(HIDDEN, 'gu'), '');

/** Returns the first character of a text that cannot be seen, as `U+202E`; null when all can. */
export function hiddenCharacter(text: string): string | null {
  const code = HIDDEN.exec(text.replace(EMOJI, ''))?.[0].codePointAt(0);
  return code === undefined ? null : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

/** Returns why the text of a line cannot be trusted to be what it looks like; null when it can. */
function suspiciousText(command: string): string | null {
  if (command.length > MAX_COMMAND_LENGTH)
    return `the command is longer than ${MAX_COMMAND_LENGTH} characters`;
  const hidden = hiddenCharacter(command);
  if (hidden !== null) return `the command contains a character that cannot be seen (${hidden})`;
  // A shell joins `r\⏎m` to `rm`; the parser reads two words. Between words of one line both agree.
  const joined = command.replace(/[^\s\\][ \t]+\\\n(?=[ \t]|$)/g, '  ');
  if (/\\\n/.test(joined)) return 'a backslash at the end of a line joins it in an unusual place';
  return null;
}
