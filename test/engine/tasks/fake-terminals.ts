import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  TerminalExit,
  TerminalProgress,
  TerminalSpec,
  Terminals,
} from '../../../src/main/engine/ports';
import { err, fault, ok } from '../../../src/shared/result';
import type { TerminalInfo } from '../../../src/shared/terminal';

/** Terminals in memory, driven by the test. */
export interface FakeTerminals extends Terminals {
  readonly spawned: readonly TerminalSpec[];
  readonly killed: readonly { readonly id: string; readonly graceMs: number }[];
  readonly dismissed: readonly string[];
  /** How many listen to a terminal's progress. */
  listeners(id: string): number;
  progress(id: string, progress: TerminalProgress): void;
  exit(id: string, exit: Partial<TerminalExit>): void;
  /** Resolves when the next terminal that is started may start; resolved from the beginning. */
  gate: Promise<void>;
  /** What `kill` says is left. */
  survivors: readonly number[];
  /** No control group holds what `kill` ends. */
  loose: boolean;
  /** The next spawn is refused. */
  refuse: string | null;
  /** The host does not answer: nothing is listed. */
  isSilent: boolean;
}

interface Fake {
  readonly exit: PromiseWithResolvers<TerminalExit>;
  readonly listeners: Set<(progress: TerminalProgress) => void>;
}

/**
 * Terminals in which nothing happens unless the test says so. As in the real host, the folder must be there, and that
 * of the output file is made. A kill without survivors ends them.
 */
export function fakeTerminals(): FakeTerminals {
  const fakes = new Map<string, Fake>();
  const infos = new Map<string, TerminalInfo>();
  const spawned: TerminalSpec[] = [];
  const killed: { id: string; graceMs: number }[] = [];
  const dismissed: string[] = [];
  const fake = (id: string): Fake => {
    const known = fakes.get(id) ?? {
      exit: Promise.withResolvers<TerminalExit>(),
      listeners: new Set(),
    };
    fakes.set(id, known);
    return known;
  };
  const terminals: FakeTerminals = {
    spawned,
    killed,
    dismissed,
    survivors: [],
    loose: false,
    refuse: null,
    isSilent: false,
    gate: Promise.resolve(),
    spawn: async (spec) => {
      await terminals.gate;
      if (terminals.refuse !== null) return err(fault('refused', terminals.refuse));
      if (!existsSync(spec.cwd)) return err(fault('no_folder', `There is no ${spec.cwd}.`));
      if (spec.outputFile !== undefined) mkdirSync(dirname(spec.outputFile), { recursive: true });
      spawned.push(spec);
      infos.set(spec.id, infoOf(spec));
      return ok(infoOf(spec));
    },
    onProgress: (id, listener) => {
      fake(id).listeners.add(listener);
      return () => void fake(id).listeners.delete(listener);
    },
    exited: (id) => fake(id).exit.promise,
    kill: async (id, graceMs) => {
      killed.push({ id, graceMs });
      if (terminals.survivors.length === 0) terminals.exit(id, { exitCode: null, signal: 15 });
      const loose = terminals.loose ? { loose: true } : {};
      return { killed: [1], survivors: [...terminals.survivors], ...loose };
    },
    list: async () => (terminals.isSilent ? [] : [...infos.values()]),
    mayRun: async (id) => terminals.isSilent && fakes.has(id),
    text: async () => ok(''),
    dismiss: async (id) => void dismissed.push(id),
    listeners: (id) => fake(id).listeners.size,
    progress: (id, progress) => {
      for (const listener of fake(id).listeners) listener(progress);
    },
    exit: (id, exit) => {
      const info = infos.get(id);
      if (info) infos.set(id, { ...info, endedAt: 1 });
      fake(id).exit.resolve({ exitCode: 0, bytes: 0, ...exit });
    },
  };
  return terminals;
}

const infoOf = (spec: TerminalSpec): TerminalInfo => ({
  id: spec.id,
  kind: spec.kind,
  sessionId: spec.sessionId,
  project: spec.project,
  title: spec.title,
  cwd: spec.cwd,
  pid: 4242,
  cols: spec.cols,
  rows: spec.rows,
  startedAt: 0,
});
