import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { parseSync, Visitor } from 'vite';

/** One import, export-from, `import()` or `import('…')` type in a file. Lines start at 1. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Erased by the compiler: names types only. */
  readonly typeOnly: boolean;
}

/** A line of a file that a rule looks at, with what was found there. */
export interface Finding {
  readonly line: number;
  readonly what: string;
}

/** What the architecture test knows of one file. `path` is relative to the repository, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly lineCount: number;
  readonly imports: readonly Import[];
  /** Uses of names from the outside: `process`, `Date.now`, `new Date()`, `console` … */
  readonly globals: readonly Finding[];
  /** `let` and `var` at the top level. */
  readonly mutableState: readonly Finding[];
  /** Comments with their delimiters, each from its first line. */
  readonly comments: readonly Finding[];
  /** Statements that do something when the file is merely imported. */
  readonly importTimeWork: readonly Finding[];
  /** Holds nothing but re-exports. */
  readonly isBarrel: boolean;
  /** Why it could not be parsed; nothing else is known of it then. */
  readonly parseError?: string;
}

type Statement = ReturnType<typeof parseSync>['program']['body'][number];

const CSS_COMMENT = /\/\*[\s\S]*?\*\//g;
const READ = /\.(?:[cm]?[jt]sx?|css|html|md|json|ya?ml)$/;
const PARSED = /\.[cm]?tsx?$/;

/** Reads every text file under `folders` of the repository at `root`; folders that do not exist are left out. */
export function readSources(root: string, folders: readonly string[]): SourceFile[] {
  return folders
    .map((folder) => join(root, folder))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && READ.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) =>
      readSource(relative(root, path).split(sep).join('/'), readFileSync(path, 'utf8')),
    );
}

/** Reads one file's facts out of its text. Files that are neither TypeScript nor CSS have a size and a text only. */
export function readSource(path: string, text: string): SourceFile {
  const bare: SourceFile = {
    path,
    text,
    lineCount: text === '' ? 0 : text.replace(/\n$/, '').split('\n').length,
    imports: [],
    globals: [],
    comments: [],
    mutableState: [],
    importTimeWork: [],
    isBarrel: false,
  };
  const lineOf = lineFinder(text);
  const commentAt = (start: number, end: number): Finding => ({
    line: lineOf(start),
    what: text.slice(start, end),
  });
  if (path.endsWith('.css')) {
    const comments = [...text.matchAll(CSS_COMMENT)];
    return { ...bare, comments: comments.map((m) => commentAt(m.index, m.index + m[0].length)) };
  }
  if (!PARSED.test(path)) return bare;
  const parsed = parseSync(path, text);
  const problem = parsed.errors.find((e) => e.severity === 'Error');
  if (problem) return { ...bare, parseError: problem.message };
  const body = parsed.program.body;
  const top = (wanted: (s: Statement) => boolean): Finding[] =>
    body.filter(wanted).map((s) => ({ line: lineOf(s.start), what: firstLine(text, s.start) }));
  return {
    ...bare,
    ...walk(parsed.program, lineOf),
    comments: parsed.comments.map((c) => commentAt(c.start, c.end)),
    mutableState: top((s) => isMutable(s.type === 'ExportNamedDeclaration' ? s.declaration : s)),
    importTimeWork: top(
      (s) => s.type === 'ExpressionStatement' && !('directive' in s && s.directive),
    ),
    isBarrel: body.length > 0 && body.every(isReExport),
  };
}

const isMutable = (s: { type: string; kind?: string; declare?: boolean } | null): boolean =>
  s?.type === 'VariableDeclaration' && s.kind !== 'const' && s.declare !== true;

const isReExport = (s: Statement): boolean =>
  s.type === 'ExportAllDeclaration' || (s.type === 'ExportNamedDeclaration' && s.source !== null);

const firstLine = (text: string, start: number): string =>
  text.slice(start, start + 80).split('\n', 1)[0] ?? '';

function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

function walk(
  program: Parameters<Visitor['visit']>[0],
  lineOf: (offset: number) => number,
): { imports: Import[]; globals: Finding[] } {
  const imports: Import[] = [];
  const globals: Finding[] = [];
  const add = (source: unknown, start: number, typeOnly: boolean): void => {
    if (isText(source)) imports.push({ specifier: source.value, line: lineOf(start), typeOnly });
  };
  const typesOnly = (kind: string | undefined, names: readonly (string | undefined)[]): boolean =>
    kind === 'type' || (names.length > 0 && names.every((name) => name === 'type'));
  new Visitor({
    ImportDeclaration: (n) => {
      const kinds = n.specifiers.map((s) => ('importKind' in s ? s.importKind : undefined));
      add(n.source, n.start, typesOnly(n.importKind, kinds));
    },
    ExportNamedDeclaration: (n) =>
      add(
        n.source,
        n.start,
        typesOnly(
          n.exportKind,
          n.specifiers.map((s) => s.exportKind),
        ),
      ),
    ExportAllDeclaration: (n) => add(n.source, n.start, n.exportKind === 'type'),
    ImportExpression: (n) => add(n.source, n.start, false),
    TSImportType: (n) => add(n.source, n.start, true),
    CallExpression: (n) => {
      const called = n.callee.type === 'Identifier' ? n.callee.name : '';
      if (called === 'require') add(n.arguments[0], n.start, false);
      globals.push({ line: lineOf(n.start), what: `${called}(` });
    },
    NewExpression: (n) => {
      if (n.callee.type === 'Identifier' && n.arguments.length === 0)
        globals.push({ line: lineOf(n.start), what: `new ${n.callee.name}()` });
    },
    MemberExpression: (n) => {
      if (n.property.type !== 'Identifier' || n.computed) return;
      const object =
        n.object.type === 'Identifier'
          ? n.object.name
          : n.object.type === 'MemberExpression' && n.object.property.type === 'Identifier'
            ? n.object.property.name
            : '';
      const what = object === 'globalThis' ? `${n.property.name}(` : `${object}.${n.property.name}`;
      globals.push({ line: lineOf(n.start), what });
    },
  }).visit(program);
  return { imports, globals };
}

const isText = (node: unknown): node is { value: string } =>
  typeof node === 'object' && node !== null && 'value' in node && typeof node.value === 'string';
