import { createHash } from 'node:crypto';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Clock } from '../ports';
import { type Diagnostic, newAmong, readDiagnostics } from './diagnostics';

/** The most documents that are open in one server: the one used longest ago is closed. */
export const MAX_OPEN = 64;

/** The longest that an edit waits for what a server sees in a file before it: without that nothing can be told apart. Milliseconds. */
const BEFORE_MS = 2_000;
/** The longest that a server may take to look through one file. Milliseconds. */
const PULL_MS = 30_000;
/** The pause before it is asked again: when it says that it was too busy, or that what it saw no longer holds. Milliseconds. */
const AGAIN_MS = 200;
const MAX_TRIES = 5;
/** The code with which a server says so. */
const SERVER_CANCELLED = -32_802;
/** The most agents for which it is known what each was told of a file: those that changed it last. */
const MAX_AGENTS = 8;
/** The most other files that are looked through again after an edit, because it can break them. */
const MAX_OTHERS = 10;

/** The server, as far as documents need it. */
export interface DocumentServer {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly signal: AbortSignal;
  notify(method: string, params: unknown): void;
  ask(
    method: string,
    params: unknown,
    timeoutMs: number,
  ): Promise<
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: { readonly code?: number } }
  >;
  languageOf(path: string): string;
  /** It is asked for diagnostics; else it sends them by itself. */
  pulls(): boolean;
  /** The notices of documents that it wants. */
  readonly wants: { readonly changes: boolean; readonly saves: 'no' | 'yes' | 'text' };
}

interface Doc {
  readonly path: string;
  readonly uri: string;
  version: number;
  digest: string;
  /** The version that the faults of now are about; 0: none. */
  seen: number;
  pulled: readonly Diagnostic[];
  pushed: readonly Diagnostic[];
  /** Of the agents that changed the file: the faults that each was told of or found there. */
  readonly told: Map<string, readonly Diagnostic[]>;
  /** The last change of the text was no call of an agent. */
  outside: boolean;
  pulling: Promise<void> | null;
}

/** The new faults of one file for one agent. */
export interface DocumentNews {
  readonly path: string;
  readonly faults: readonly Diagnostic[];
  /** Says that the agent was told. */
  accept(): void;
}

/** The documents that are open in one running server. */
export interface Documents {
  isOpen(path: string): boolean;
  paths(): readonly string[];
  /** Takes in the text of a file as it is on disk, without a change by an agent. */
  show(path: string, text: string): void;
  /** Takes in the text that a call of an agent left; `created`: there was no file before. */
  edited(path: string, text: string, agent: string, created: boolean): Promise<void>;
  close(path: string): void;
  /** Takes in diagnostics that the server sends by itself. */
  published(params: unknown): void;
  /** Looks through the changed files again: the server says that what it saw no longer holds. */
  refresh(): void;
  news(agent: string): readonly DocumentNews[];
  /** Resolves when nothing that an agent changed waits to be looked through; null when nothing does. */
  settled(agent: string): Promise<void> | null;
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64url');

/** Returns the address of a file. */
export const uriOf = (path: string): string => pathToFileURL(path).href;

/** Returns the file of an address; null for what is none. */
export function pathOf(uri: string): string | null {
  try {
    return uri.startsWith('file:') ? fileURLToPath(uri) : null;
  } catch {
    return null;
  }
}

/** Tells whether two paths are one: servers write the letters of drives as they like. Pure. */
export const isSamePath = (a: string, b: string): boolean => withDrive(a) === withDrive(b);

const withDrive = (path: string): string =>
  path.replace(/^[a-z]:(?=[\\/])/, (drive) => drive.toUpperCase());

/** Creates the documents of a server that has just begun: none is open. */
export function createDocuments(server: DocumentServer): Documents {
  const docs = new Map<string, Doc>();
  const waiting = new Set<() => void>();
  const { clock, signal } = server;
  let refreshes = false;

  const look = (doc: Doc, version: number): void => {
    doc.seen = version;
    if (doc.outside) for (const agent of doc.told.keys()) doc.told.set(agent, faultsOf(doc));
    for (const wake of [...waiting]) wake();
  };
  /** Resolves when a server has looked through a file as it is now, or took too long. */
  const looked = async (doc: Doc, ms: number): Promise<void> => {
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const late = clock.sleep(ms, either).then(() => true);
    while (doc.seen < doc.version && docs.get(doc.path) === doc) {
      const { promise, resolve } = Promise.withResolvers<false>();
      const wake = () => resolve(false);
      waiting.add(wake);
      const isLate = await Promise.race([promise, late]);
      waiting.delete(wake);
      if (isLate) break;
    }
    over.abort();
  };

  const pullOnce = async (doc: Doc): Promise<void> => {
    for (let tries = 0; tries < MAX_TRIES && docs.get(doc.path) === doc; tries += 1) {
      const { version } = doc;
      const params = { textDocument: { uri: doc.uri } };
      const answer = await server.ask('textDocument/diagnostic', params, PULL_MS);
      if (answer.ok) {
        const { kind, items } = Object(answer.value) as Readonly<Record<string, unknown>>;
        if (kind !== 'unchanged') doc.pulled = readDiagnostics(items);
        look(doc, version);
        if (version === doc.version) return;
      } else {
        if (answer.error.code !== SERVER_CANCELLED || signal.aborted) return;
        await clock.sleep(AGAIN_MS, signal);
      }
    }
  };
  const pull = (doc: Doc): Promise<void> => {
    doc.pulling ??= pullOnce(doc).finally(() => {
      doc.pulling = null;
    });
    return doc.pulling;
  };
  const pullSoon = (doc: Doc): void => {
    if (server.pulls()) pull(doc).catch(() => {});
  };
  const changed = () => [...docs.values()].filter(({ told }) => told.size > 0);

  const close = (path: string): void => {
    const doc = docs.get(path);
    if (doc === undefined) return;
    docs.delete(path);
    server.notify('textDocument/didClose', { textDocument: { uri: doc.uri } });
    for (const wake of [...waiting]) wake();
  };
  const open = (path: string, text: string, digest: string): Doc => {
    for (const oldest of [...docs.keys()].slice(0, Math.max(0, docs.size - MAX_OPEN + 1)))
      close(oldest);
    const doc: Doc = {
      ...{ path, uri: uriOf(path), version: 1, digest, seen: 0, pulled: [], pushed: [] },
      ...{ told: new Map(), outside: true, pulling: null },
    };
    docs.set(path, doc);
    const { uri, version } = doc;
    const languageId = server.languageOf(path);
    server.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
    return doc;
  };
  const replace = (doc: Doc, text: string, digest: string): void => {
    doc.version += 1;
    doc.digest = digest;
    const { uri, version } = doc;
    if (server.wants.changes)
      server.notify('textDocument/didChange', {
        textDocument: { uri, version },
        contentChanges: [{ text }],
      });
    save(doc, text);
  };
  const save = ({ uri }: Doc, text: string): void => {
    const { saves } = server.wants;
    if (saves !== 'no')
      server.notify('textDocument/didSave', {
        textDocument: { uri },
        ...(saves === 'text' ? { text } : {}),
      });
  };
  const use = (doc: Doc): void => {
    docs.delete(doc.path);
    docs.set(doc.path, doc);
  };

  return {
    isOpen: (path) => docs.has(path),
    paths: () => [...docs.keys()],
    show: (path, text) => {
      const digest = digestOf(text);
      const doc = docs.get(path);
      if (doc === undefined) return void open(path, text, digest);
      use(doc);
      if (doc.digest === digest) return;
      doc.outside = true;
      replace(doc, text, digest);
      if (doc.told.size > 0) pullSoon(doc);
    },
    edited: async (path, text, agent, created) => {
      const digest = digestOf(text);
      let doc = docs.get(path);
      if (doc === undefined) {
        doc = open(path, text, digest);
        doc.told.set(agent, []);
        save(doc, text);
      } else {
        use(doc);
        if (!created && !doc.told.has(agent)) {
          pullSoon(doc);
          await looked(doc, BEFORE_MS);
        }
        doc.told.set(agent, doc.told.get(agent) ?? (created ? [] : faultsOf(doc)));
        for (const oldest of [...doc.told.keys()].slice(0, -MAX_AGENTS)) doc.told.delete(oldest);
        if (doc.digest !== digest) replace(doc, text, digest);
      }
      doc.outside = false;
      pullSoon(doc);
      for (const other of changed().slice(-MAX_OTHERS)) {
        if (other === doc || other.seen < other.version) continue;
        other.outside = false;
        pullSoon(other);
      }
    },
    close,
    published: (params) => {
      const { uri, version, diagnostics } = Object(params) as Readonly<Record<string, unknown>>;
      const path = typeof uri === 'string' ? pathOf(uri) : null;
      if (path === null) return;
      const doc = docs.get(path) ?? [...docs.values()].find((one) => isSamePath(one.path, path));
      if (doc === undefined) return;
      const about = typeof version === 'number' ? version : doc.version;
      if (about < doc.version) return;
      doc.pushed = readDiagnostics(diagnostics);
      // Where it is asked, its answer says when it has looked.
      if (!server.pulls()) look(doc, doc.version);
    },
    refresh: () => {
      // One that asks for this whenever it has looked would look for ever.
      if (refreshes) return;
      refreshes = true;
      const again = () => {
        refreshes = false;
        for (const doc of changed().slice(-MAX_OTHERS)) pullSoon(doc);
      };
      clock.sleep(AGAIN_MS, signal).then(again, again);
    },
    news: (agent) =>
      [...docs.values()].flatMap((doc) => {
        const before = doc.told.get(agent);
        if (before === undefined || doc.seen < doc.version) return [];
        const now = faultsOf(doc);
        const accept = () => void doc.told.set(agent, now);
        return [{ path: doc.path, faults: newAmong(now, before), accept }];
      }),
    settled: (agent) => {
      const open = [...docs.values()].filter(
        ({ told, seen, version }) => told.has(agent) && seen < version,
      );
      if (open.length === 0) return null;
      return Promise.all(open.map((doc) => looked(doc, PULL_MS))).then(() => {});
    },
  };
}

/** Returns all that a server sees in a file, asked or not. */
const faultsOf = ({ pulled, pushed }: Doc): readonly Diagnostic[] =>
  pushed.length === 0 ? pulled : [...pulled, ...newAmong(pushed, pulled)];
