import type { HighlighterCore } from 'shiki/core';
import type { Grammar } from './languages';

/** The look of a piece of code: a colour (a CSS value) and a style. */
export interface PieceLook {
  readonly color: string | undefined;
  readonly italic: boolean;
  readonly bold: boolean;
}

/**
 * The colours of a code, small enough to keep for a whole session: `runs` holds for each piece its length in characters
 * and its place in `looks`. Line ends are no pieces.
 */
export interface Colours {
  readonly looks: readonly PieceLook[];
  readonly runs: Uint32Array<ArrayBuffer>;
}

/** Finds the colours of code. Loads itself and each grammar when first needed. */
export interface Colourer {
  /** Rejects when the grammar could not be loaded. */
  colour(code: string, grammar: Grammar): Promise<Colours>;
}

/**
 * Milliseconds after which the rest of a line looks like what is before it. Compiling a grammar's patterns counts too, which
 * takes a busy machine more than a second.
 */
const LINE_BUDGET_MS = 8000;
/** A line longer than this many characters stays plain. */
const LINE_LIMIT = 5_000;

/** Creates a colourer. It takes its time, so the page runs it in a worker. */
export function createColourer(lineBudgetMs = LINE_BUDGET_MS): Colourer {
  const loading = new Map<Grammar, Promise<void>>();
  let core: Promise<HighlighterCore> | undefined;
  const load = async (grammar: Grammar): Promise<HighlighterCore> => {
    core ??= startShiki();
    const shiki = await core;
    const loaded = loading.get(grammar) ?? shiki.loadLanguage(LOADERS[grammar]());
    loading.set(grammar, loaded);
    await loaded;
    return shiki;
  };
  return {
    async colour(code, grammar) {
      try {
        return coloursOf(await load(grammar), code, grammar, lineBudgetMs);
      } catch (error) {
        loading.delete(grammar);
        throw error;
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

function coloursOf(
  shiki: HighlighterCore,
  code: string,
  lang: Grammar,
  lineBudgetMs: number,
): Colours {
  const { tokens } = shiki.codeToTokens(code, {
    lang,
    theme: 'lathe',
    tokenizeTimeLimit: lineBudgetMs,
    tokenizeMaxLineLength: LINE_LIMIT,
  });
  const places = new Map<string, number>();
  const looks: PieceLook[] = [];
  const runs: number[] = [];
  for (const line of tokens) {
    let last = -1;
    for (const { content, color, fontStyle = 0 } of line) {
      if (content === '') continue;
      // What has no ink looks like anything: it joins the piece before it.
      const blank = last >= 0 && content.trim() === '';
      const place = blank ? last : placeOf(places, looks, color, fontStyle);
      if (place === last) runs[runs.length - 2] = (runs.at(-2) ?? 0) + content.length;
      else runs.push(content.length, place);
      last = place;
    }
  }
  return { looks, runs: Uint32Array.from(runs) };
}

function placeOf(
  places: Map<string, number>,
  looks: PieceLook[],
  color: string | undefined,
  fontStyle: number,
): number {
  const key = `${color} ${fontStyle}`;
  const known = places.get(key);
  if (known !== undefined) return known;
  looks.push({ color, italic: (fontStyle & ITALIC) !== 0, bold: (fontStyle & BOLD) !== 0 });
  places.set(key, looks.length - 1);
  return looks.length - 1;
}

/** The files of the grammars; only those that are asked for are loaded. */
const LOADERS = {
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
} as const satisfies Record<Grammar, () => unknown>;
