import {
  type Entry,
  findWorkingDirectory,
  type PastCall,
  readHistory,
  readTestRun,
  type TestRun,
} from './history';
import type { DemoRequest } from './messages-api';
import { CLOCK, DEPARTURES, TEST_COMMAND } from './sample';

/** Said at the end of every tour; from then on a prompt is a follow-up and no part of the tour. */
export const END_OF_TOUR = 'That is the end of the scripted tour.';

/** Everything a step of the tour decides on. Derived from the request alone, so reload, resume and fork work. */
export interface Scene {
  readonly cwd: string;
  readonly has: (tool: string) => boolean;
  /** Calls of this tour, oldest first. */
  readonly calls: readonly PastCall[];
  /** The words of the user in the middle of the tour that have not been answered yet. */
  readonly aside: string | null;
}

/**
 * The state of the conversation. `idle`: nobody said anything new, Lathe only passes on that a task has ended.
 * `lost`: no working directory is named anywhere.
 */
export type TourState =
  | { readonly kind: 'tour'; readonly scene: Scene }
  | { readonly kind: 'after'; readonly prompt: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'lost' };

/** Finds out where in the tour a request is. */
export function findTourState(request: DemoRequest): TourState {
  const { tour, followUp } = currentTour(readHistory(request.messages));
  if (isUsersTurn(tour)) return { kind: 'idle' };
  if (followUp !== null) return { kind: 'after', prompt: followUp };
  const cwd = findWorkingDirectory(request);
  if (cwd === null) return { kind: 'lost' };
  return {
    kind: 'tour',
    scene: {
      cwd,
      has: (tool) => request.tools.has(tool),
      calls: tour.filter((e) => e.kind === 'call'),
      aside: unanswered(tour),
    },
  };
}

const WANTS_ANOTHER_TOUR = /\b(again|tour|restart|start over|once more|retry)\b/i;

/** Returns the entries since the last start of a tour, and the follow-up that waits when that tour is over. */
function currentTour(history: readonly Entry[]): { tour: Entry[]; followUp: string | null } {
  let tour: Entry[] = [];
  let over = false;
  let followUp: string | null = null;
  for (const entry of history) {
    if (entry.kind === 'prompt' && over && WANTS_ANOTHER_TOUR.test(entry.text)) {
      tour = [];
      over = false;
      followUp = null;
    } else if (entry.kind === 'prompt' && over) followUp = entry.text;
    if (entry.kind === 'said' && entry.text.includes(END_OF_TOUR)) over = true;
    tour.push(entry);
  }
  return { tour, followUp };
}

/** Tells whether it is the user's turn: the script has said its last word, or they stopped it. */
function isUsersTurn(tour: readonly Entry[]): boolean {
  const lastBatch = tour.slice(tour.findLastIndex((e) => e.kind !== 'call') + 1);
  if (lastBatch.length === 0) return tour.at(-1)?.kind === 'said';
  return lastBatch.some((e) => e.kind === 'call' && e.outcome.kind === 'interrupted');
}

const SAYS_GO_ON = /^\W*(?:please )?(?:go on|go ahead|continue|carry on|resume|ok|okay|yes)\W*$/i;

function unanswered(tour: readonly Entry[]): string | null {
  const spoken = tour.findLastIndex((e) => e.kind !== 'prompt');
  const prompts = tour.slice(spoken + 1).flatMap((e) => (e.kind === 'prompt' ? [e.text] : []));
  const words = prompts.join('\n');
  return spoken < 0 || words === '' || SAYS_GO_ON.test(words) ? null : words;
}

/** Returns an absolute path in the sample project, with the separators of the machine. */
export function pathIn(cwd: string, relative: string): string {
  const separator = cwd.includes('\\') ? '\\' : '/';
  const root = cwd.endsWith(separator) ? cwd : cwd + separator;
  return root + relative.split('/').join(separator);
}

const touches = (scene: Scene, file: string) => (call: PastCall) =>
  call.input['file_path'] === pathIn(scene.cwd, file);

/** Returns the newest Read of a file that was not interrupted. */
const lastRead = (scene: Scene, file: string): PastCall | undefined =>
  scene.calls.findLast(
    (c) => c.name === 'Read' && c.outcome.kind !== 'interrupted' && touches(scene, file)(c),
  );

export const readOfClock = (scene: Scene): PastCall | undefined => lastRead(scene, CLOCK);
export const readOfDepartures = (scene: Scene): PastCall | undefined => lastRead(scene, DEPARTURES);

/** Returns the edits that were tried, oldest first. */
export const edits = (scene: Scene): readonly PastCall[] =>
  scene.calls.filter((c) => c.name === 'Edit' && touches(scene, CLOCK)(c));

/** Tells whether `a` was asked for before `b`. */
export const isBefore = (scene: Scene, a: PastCall, b: PastCall): boolean =>
  scene.calls.indexOf(a) < scene.calls.indexOf(b);

/**
 * Returns the newest test run before the first good edit (`first`) or after it (`second`), or null when there was
 * none.
 */
export function testRun(scene: Scene, which: 'first' | 'second'): TestRun | null {
  const repair = scene.calls.findIndex((c) => c.name === 'Edit' && c.outcome.kind === 'ok');
  const edge = repair < 0 ? scene.calls.length : repair;
  const span = which === 'first' ? scene.calls.slice(0, edge) : scene.calls.slice(edge);
  const at = span.findLastIndex((c) => c.name === 'Bash' && c.input['command'] === TEST_COMMAND);
  const call = span[at];
  return call === undefined ? null : readTestRun(call, span.slice(at + 1));
}
