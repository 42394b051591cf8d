import type { HighlighterCore } from 'shiki/core';

/** A piece of a line of code with its colour (a CSS value) and style. */
interface CodePiece {
  readonly text: string;
  readonly color: string | undefined;
  readonly italic: boolean;
  readonly bold: boolean;
}

/** Lines of coloured pieces. */
export type CodeLines = readonly (readonly CodePiece[])[];

/** Colours code. Null means: show it plain (unknown language, too long, or the grammar could not be loaded). */
export interface CodeHighlighter {
  highlight(code: string, language: string): Promise<CodeLines | null>;
}

/** Code longer than this many characters stays plain: colouring it would block the page. */
const LIMIT = 60_000;
/** Milliseconds after which the rest of a line is left plain; compiling a grammar's patterns counts too. */
const LINE_BUDGET_MS = 1000;
/** A line longer than this many characters stays plain. */
const LINE_LIMIT = 5_000;
/** Results kept, so that scrolling back does not colour again. */
const KEPT = 100;

/** Grammars that may be loaded, each by its own file and only when asked for. */
const GRAMMARS = {
  bash: () => import('shiki/langs/bash.mjs'),
  c: () => import('shiki/langs/c.mjs'),
  cpp: () => import('shiki/langs/cpp.mjs'),
  csharp: () => import('shiki/langs/csharp.mjs'),
  css: () => import('shiki/langs/css.mjs'),
  diff: () => import('shiki/langs/diff.mjs'),
  docker: () => import('shiki/langs/docker.mjs'),
  elixir: () => import('shiki/langs/elixir.mjs'),
  go: () => import('shiki/langs/go.mjs'),
  graphql: () => import('shiki/langs/graphql.mjs'),
  html: () => import('shiki/langs/html.mjs'),
  ini: () => import('shiki/langs/ini.mjs'),
  java: () => import('shiki/langs/java.mjs'),
  javascript: () => import('shiki/langs/javascript.mjs'),
  json: () => import('shiki/langs/json.mjs'),
  jsonc: () => import('shiki/langs/jsonc.mjs'),
  jsx: () => import('shiki/langs/jsx.mjs'),
  kotlin: () => import('shiki/langs/kotlin.mjs'),
  lua: () => import('shiki/langs/lua.mjs'),
  make: () => import('shiki/langs/make.mjs'),
  markdown: () => import('shiki/langs/markdown.mjs'),
  php: () => import('shiki/langs/php.mjs'),
  powershell: () => import('shiki/langs/powershell.mjs'),
  python: () => import('shiki/langs/python.mjs'),
  ruby: () => import('shiki/langs/ruby.mjs'),
  rust: () => import('shiki/langs/rust.mjs'),
  sql: () => import('shiki/langs/sql.mjs'),
  swift: () => import('shiki/langs/swift.mjs'),
  toml: () => import('shiki/langs/toml.mjs'),
  tsx: () => import('shiki/langs/tsx.mjs'),
  typescript: () => import('shiki/langs/typescript.mjs'),
  vue: () => import('shiki/langs/vue.mjs'),
  xml: () => import('shiki/langs/xml.mjs'),
  yaml: () => import('shiki/langs/yaml.mjs'),
  zig: () => import('shiki/langs/zig.mjs'),
} as const;

type Grammar = keyof typeof GRAMMARS;

const OTHER_NAMES: ReadonlyMap<string, Grammar> = new Map([
  ['sh', 'bash'],
  ['shell', 'bash'],
  ['zsh', 'bash'],
  ['console', 'bash'],
  ['c++', 'cpp'],
  ['cc', 'cpp'],
  ['hpp', 'cpp'],
  ['h', 'c'],
  ['htm', 'html'],
  ['exs', 'elixir'],
  ['kts', 'kotlin'],
  ['cs', 'csharp'],
  ['c#', 'csharp'],
  ['patch', 'diff'],
  ['dockerfile', 'docker'],
  ['ex', 'elixir'],
  ['golang', 'go'],
  ['js', 'javascript'],
  ['mjs', 'javascript'],
  ['cjs', 'javascript'],
  ['kt', 'kotlin'],
  ['makefile', 'make'],
  ['md', 'markdown'],
  ['ps1', 'powershell'],
  ['py', 'python'],
  ['rb', 'ruby'],
  ['rs', 'rust'],
  ['ts', 'typescript'],
  ['mts', 'typescript'],
  ['svg', 'xml'],
  ['yml', 'yaml'],
]);

/** Returns the name by which a file's language is known: its ending, or its name when it has none. */
export function languageOf(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  return (dot > 0 ? name.slice(dot + 1) : name).toLowerCase();
}

/** Returns the grammar that a code block's language name means, or null. */
export function grammarOf(language: string): Grammar | null {
  const name = language.toLowerCase();
  const other = OTHER_NAMES.get(name);
  if (other !== undefined) return other;
  return Object.hasOwn(GRAMMARS, name) ? (name as Grammar) : null;
}

/** Creates a highlighter that loads itself and each grammar when first needed. One per conversation is enough. */
export function createCodeHighlighter({
  lineBudgetMs = LINE_BUDGET_MS,
}: {
  readonly lineBudgetMs?: number;
} = {}): CodeHighlighter {
  const kept = new Map<string, CodeLines>();
  const loading = new Map<Grammar, Promise<void>>();
  let core: Promise<HighlighterCore> | undefined;
  const load = async (grammar: Grammar): Promise<HighlighterCore> => {
    core ??= startShiki();
    const shiki = await core;
    const loaded = loading.get(grammar) ?? shiki.loadLanguage(GRAMMARS[grammar]());
    loading.set(grammar, loaded);
    await loaded;
    return shiki;
  };
  return {
    async highlight(code, language) {
      const grammar = grammarOf(language);
      if (grammar === null || code.length > LIMIT) return null;
      const key = `${grammar}\n${code}`;
      const known = kept.get(key);
      if (known) return known;
      try {
        const lines = colour(await load(grammar), code, grammar, lineBudgetMs);
        kept.set(key, lines);
        for (const oldest of kept.keys()) {
          if (kept.size <= KEPT) break;
          kept.delete(oldest);
        }
        return lines;
      } catch {
        // A grammar that cannot be loaded costs the colours, never the code.
        loading.delete(grammar);
        return null;
      }
    },
  };
}

async function startShiki(): Promise<HighlighterCore> {
  const [{ createHighlighterCore, createCssVariablesTheme }, { createJavaScriptRegexEngine }] =
    await Promise.all([import('shiki/core'), import('shiki/engine/javascript')]);
  const theme = createCssVariablesTheme({ name: 'lathe', variablePrefix: '--code-' });
  return createHighlighterCore({
    themes: [theme],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  });
}

const ITALIC = 1;
const BOLD = 2;

function colour(
  shiki: HighlighterCore,
  code: string,
  lang: Grammar,
  lineBudgetMs: number,
): CodeLines {
  const { tokens } = shiki.codeToTokens(code, {
    lang,
    theme: 'lathe',
    tokenizeTimeLimit: lineBudgetMs,
    tokenizeMaxLineLength: LINE_LIMIT,
  });
  return tokens.map((line) =>
    line.map((token) => ({
      text: token.content,
      color: token.color,
      italic: ((token.fontStyle ?? 0) & ITALIC) !== 0,
      bold: ((token.fontStyle ?? 0) & BOLD) !== 0,
    })),
  );
}
