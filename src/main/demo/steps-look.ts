import type { Reply } from './api-types';
import { call, say, todos } from './blocks';
import { CLOCK, DEPARTURES, FAILING_TEST, judgeClock, SUSPECT, TEST_COMMAND } from './sample';
import { edits, pathIn, readOfClock, readOfDepartures, type Scene, testRun } from './scene';
import type { TestRun } from './test-run';
import * as texts from './texts';

/** How often a running test is asked for its output before the tour goes on without a result. */
const MAX_LOOKS = 6;
/** The first look comes soon, so that something is seen while it runs; the later ones wait. Milliseconds. */
const FIRST_LOOK_MS = 1500;
const NEXT_LOOK_MS = 20_000;

/** The opening words, the plan, and the first look at the code. */
export function greet(scene: Scene): Reply | null {
  if (scene.calls.length > 0) return null;
  if (!scene.has('Read')) return [say(texts.GREETING), say(texts.NOT_THE_SAMPLE)];
  return [say(texts.GREETING), todos(0), ...look(scene)];
}

/** Looks again when the first look was interrupted; ends the tour where the sample's files are not. */
export function lookAtTheCode(scene: Scene): Reply | null {
  const read = readOfDepartures(scene);
  if (read === undefined) return look(scene);
  return read.outcome.kind === 'ok' ? null : [say(texts.NOT_THE_SAMPLE)];
}

const look = (scene: Scene): Reply => [
  say(texts.LOOKING),
  call('Read', { file_path: pathIn(scene.cwd, DEPARTURES) }),
  call('Read', { file_path: pathIn(scene.cwd, FAILING_TEST) }),
  ...(scene.has('Grep')
    ? [call('Grep', { pattern: SUSPECT, path: pathIn(scene.cwd, 'src'), output_mode: 'content' })]
    : []),
];

/** Starts the tests in the background and reads the suspect meanwhile. */
export function startTheTests(scene: Scene): Reply | null {
  const run = testRun(scene, 'first');
  const repaired = edits(scene).some((e) => e.outcome.kind === 'ok');
  const wantsRun =
    !repaired && scene.has('Bash') && (run === null || run.outcome === 'interrupted');
  const wantsRead = readOfClock(scene) === undefined;
  if (!wantsRun && !wantsRead) return null;
  return [
    say(wantsRun ? texts.STARTING_TESTS : texts.READING_ON),
    todos(1),
    ...(wantsRead ? [call('Read', { file_path: pathIn(scene.cwd, CLOCK) })] : []),
    ...(wantsRun ? [call('Bash', BACKGROUND_RUN)] : []),
  ];
}

const BACKGROUND_RUN = {
  command: TEST_COMMAND,
  description: 'Run the tests',
  run_in_background: true,
};

/** Follows a test run in the background until its end has been seen, or looking leads nowhere. */
export const watchTheTests =
  (which: 'first' | 'second') =>
  (scene: Scene): Reply | null => {
    const run = testRun(scene, which);
    if (run === null || !isWorthALook(scene, run)) return null;
    const timeout = run.looks === 0 ? FIRST_LOOK_MS : NEXT_LOOK_MS + run.looks;
    return [
      say(run.looks === 0 ? texts.WATCHING : texts.WAITING),
      call('TaskOutput', { task_id: run.taskId, block: true, timeout }),
    ];
  };

const isWorthALook = (scene: Scene, run: TestRun): boolean =>
  run.taskId !== undefined && !run.over && run.looks < MAX_LOOKS && scene.has('TaskOutput');

/** Ends the tour where there is nothing to repair, or nothing the script knows how to. */
export function stopWhenAllIsWell(scene: Scene): Reply | null {
  if (edits(scene).some((e) => e.outcome.kind === 'ok')) return null;
  const read = readOfClock(scene);
  if (read?.outcome.kind !== 'ok') return [say(texts.CANNOT_READ_CLOCK)];
  const verdict = testRun(scene, 'first')?.verdict ?? null;
  const state = judgeClock(read.outcome.text);
  if (verdict?.failed === 0 || state === 'repaired') return [say(texts.nothingToDo(verdict))];
  return state === 'unknown' ? [say(texts.CHANGED_BY_HAND)] : null;
}
