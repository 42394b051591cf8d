import type { Colours, PieceLook } from './colour';
import { type Grammar, grammarOf } from './languages';
import type { ColourReply, ColourRequest } from './worker';

/** A piece of a line of code with its look. */
interface CodePiece extends PieceLook {
  readonly text: string;
}

/** Lines of coloured pieces. */
export type CodeLines = readonly (readonly CodePiece[])[];

/** Colours code beside the page. Null means: show it plain (unknown language, too long, aborted, or it failed). */
export interface CodeHighlighter {
  highlight(code: string, language: string, signal: AbortSignal): Promise<CodeLines | null>;
}

/** The part of a Worker that is used. */
export interface ColourWorker {
  postMessage(request: ColourRequest): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<ColourReply>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

interface HighlighterDeps {
  /** Default: a worker of the page. */
  readonly startWorker?: () => ColourWorker;
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

const startPageWorker = (): ColourWorker =>
  new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });

/** Code longer than this many characters stays plain. */
const LIMIT = 60_000;
/** Code whose colours are kept, so that scrolling back does not colour again. Characters. */
const KEPT_CHARS = 1_000_000;
/** A worker that takes longer than this over one piece of code hangs. Milliseconds; loading a grammar counts. */
const HANGS_MS = 20_000;

/** One piece of code that waits to be coloured. */
interface Job {
  readonly code: string;
  readonly grammar: Grammar;
  readonly done: (colours: Colours | null) => void;
}

/** Creates a highlighter. Its worker starts when first needed, and is replaced when it fails or hangs. */
export function createCodeHighlighter({
  startWorker = startPageWorker,
  wait,
}: HighlighterDeps): CodeHighlighter {
  const kept = new Map<string, Colours>();
  let keptChars = 0;
  let waiting: readonly Job[] = [];
  let worker: ColourWorker | null = null;
  let current: { readonly id: number; readonly finish: (colours: Colours | null) => void } | null =
    null;
  let lastId = 0;

  const drop = () => {
    worker?.terminate();
    worker = null;
    current?.finish(null);
  };
  const start = (): ColourWorker => {
    const started = startWorker();
    started.onmessage = ({ data }) => {
      if (data.id === current?.id) current.finish(data.colours);
    };
    started.onerror = () => {
      if (worker === started) drop();
    };
    worker = started;
    return started;
  };
  const next = () => {
    // What was asked for last is what is looked at.
    const job = waiting.at(-1);
    if (current !== null || job === undefined) return;
    waiting = waiting.slice(0, -1);
    const deadline = new AbortController();
    lastId += 1;
    current = {
      id: lastId,
      finish: (colours) => {
        deadline.abort();
        current = null;
        job.done(colours);
        next();
      },
    };
    const { id } = current;
    void wait(HANGS_MS, deadline.signal).then(() => {
      if (current?.id === id) drop();
    });
    try {
      (worker ?? start()).postMessage({ id, code: job.code, grammar: job.grammar });
    } catch {
      // No worker can be had here.
      current.finish(null);
    }
  };
  const coloursOf = (code: string, grammar: Grammar, signal: AbortSignal) =>
    new Promise<Colours | null>((resolve) => {
      const job: Job = { code, grammar, done: resolve };
      waiting = [...waiting, job];
      signal.addEventListener(
        'abort',
        () => {
          waiting = waiting.filter((one) => one !== job);
          resolve(null);
        },
        { once: true },
      );
      next();
    });
  /** Keeps a result, the newest last, and lets the oldest go. */
  const keep = (key: string, colours: Colours) => {
    if (!kept.delete(key)) keptChars += key.length;
    kept.set(key, colours);
    for (const oldest of kept.keys()) {
      if (keptChars <= KEPT_CHARS) break;
      kept.delete(oldest);
      keptChars -= oldest.length;
    }
  };
  return {
    async highlight(code, language, signal) {
      const grammar = grammarOf(language);
      if (grammar === null || code.length > LIMIT || signal.aborted) return null;
      const key = `${grammar}\n${code}`;
      const colours = kept.get(key) ?? (await coloursOf(code, grammar, signal));
      if (colours === null) return null;
      keep(key, colours);
      return linesOf(code, colours);
    },
  };
}

/** Cuts code into the coloured pieces of its lines. */
export function linesOf(code: string, { looks, runs }: Colours): CodeLines {
  let run = 0;
  return code.split(/\r\n|\n/).map((line) => {
    const pieces: CodePiece[] = [];
    for (let at = 0; at < line.length && run < runs.length; run += 2) {
      const length = runs[run] ?? 0;
      const look = looks[runs[run + 1] ?? 0] ?? PLAIN;
      pieces.push({ ...look, text: line.slice(at, at + length) });
      at += length;
    }
    return pieces;
  });
}

const PLAIN: PieceLook = { color: undefined, italic: false, bold: false };
