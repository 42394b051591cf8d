import type { PastCall, TestRun } from './history';
import { call, type DemoRequest, PLAN_LENGTH, type Reply, say, think, todos } from './messages-api';
import {
  CLOCK,
  DEPARTURES,
  FAILING_TEST,
  judgeClock,
  MISTAKE,
  REPAIR,
  SMALLER_REPAIR,
  SUSPECT,
  TEST_COMMAND,
} from './sample';
import {
  edits,
  findTourState,
  isBefore,
  pathIn,
  readOfClock,
  readOfDepartures,
  type Scene,
  testRun,
} from './scene';
import * as texts from './texts';

/** One step of the tour: what to answer, or null when this step has been taken. */
type Step = (scene: Scene) => Reply | null;

const STEPS: readonly Step[] = [
  greet,
  lookAtTheCode,
  startTheTests,
  watchTheTests('first'),
  stopWhenAllIsWell,
  proposeRepair,
  runTestsAgain,
  watchTheTests('second'),
  tickOff,
];

/** Returns the scripted model's answer to a request. Pure: the same request always gets the same reply. */
export function nextStep(request: DemoRequest): Reply {
  if (request.tools.size === 0) return [say('Offline demo: harbour board')];
  const position = findTourState(request);
  if (position.kind === 'idle') return [say(texts.IDLE)];
  if (position.kind === 'lost') return [say(texts.LOST)];
  if (position.kind === 'after') return [say(texts.afterTour(position.prompt))];
  const { scene } = position;
  for (const step of STEPS) {
    const reply = step(scene);
    if (reply !== null) return withAside(scene, onlyOffered(scene, reply));
  }
  return withAside(scene, sumUp(scene));
}

const withAside = (scene: Scene, reply: Reply): Reply =>
  scene.aside === null ? reply : [say(texts.asideLine(scene.aside)), ...reply];

/** Leaves the to-do list out where its tool is not offered: the tour goes on without it. */
const onlyOffered = (scene: Scene, reply: Reply): Reply =>
  reply.filter((b) => b.type !== 'call' || b.name !== 'TodoWrite' || scene.has('TodoWrite'));

/** Looks at a running test's output before the tour goes on without a result. */
const MAX_LOOKS = 6;
/** The first look comes soon, so that something is seen while it runs; the later ones wait. Milliseconds. */
const FIRST_LOOK_MS = 1500;
const NEXT_LOOK_MS = 20_000;

/** Says the opening words, makes the plan, and takes the first look at the code. */
function greet(scene: Scene): Reply | null {
  if (scene.calls.length > 0) return null;
  if (!scene.has('Read')) return [say(texts.GREETING), say(texts.NOT_THE_SAMPLE)];
  return [say(texts.GREETING), todos(0), ...look(scene)];
}

/** Looks again when the first look was interrupted; ends the tour where the sample's files are not. */
function lookAtTheCode(scene: Scene): Reply | null {
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
function startTheTests(scene: Scene): Reply | null {
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
function watchTheTests(which: 'first' | 'second'): Step {
  return (scene) => {
    const run = testRun(scene, which);
    if (run === null || !isWorthALook(scene, run)) return null;
    const timeout = run.looks === 0 ? FIRST_LOOK_MS : NEXT_LOOK_MS + run.looks;
    return [
      say(run.looks === 0 ? texts.WATCHING : texts.WAITING),
      call('TaskOutput', { task_id: run.taskId, block: true, timeout }),
    ];
  };
}

const isWorthALook = (scene: Scene, run: TestRun): boolean =>
  run.taskId !== undefined && !run.over && run.looks < MAX_LOOKS && scene.has('TaskOutput');

/** Ends the tour where there is nothing to repair, or nothing the script knows how to. */
function stopWhenAllIsWell(scene: Scene): Reply | null {
  if (edits(scene).some((e) => e.outcome.kind === 'ok')) return null;
  const read = readOfClock(scene);
  if (read?.outcome.kind !== 'ok') return [say(texts.CANNOT_READ_CLOCK)];
  const counts = testRun(scene, 'first')?.counts ?? null;
  const state = judgeClock(read.outcome.text);
  if (counts?.failed === 0 || state === 'repaired') return [say(texts.nothingToDo(counts))];
  return state === 'unknown' ? [say(texts.CHANGED_BY_HAND)] : null;
}

/** After so many edits that could not be made the script gives up. */
const MAX_FAILED_EDITS = 3;

/** Explains the mistake and asks to repair it; answers refusals and failures of that edit. */
function proposeRepair(scene: Scene): Reply | null {
  const tried = edits(scene);
  const last = tried.at(-1);
  if (!scene.has('Edit')) return [say(texts.PATCH)];
  if (last === undefined) return [...explain(scene), todos(2), edit(scene, REPAIR)];
  switch (last.outcome.kind) {
    case 'ok':
      return null;
    case 'interrupted':
      return [say(texts.ASKING_AGAIN), edit(scene, repairOf(last))];
    case 'denied':
      return answerRefusal(scene, last);
    case 'failed':
      return retry(scene, tried, last);
  }
}

function explain(scene: Scene): Reply {
  const run = testRun(scene, 'first');
  const heard =
    run?.outcome === 'denied' ? texts.NO_FIRST_RUN : texts.countsLine(run?.counts ?? null);
  return [think(texts.MUSING), say(`${heard}\n\n${texts.EXPLAINING}`)];
}

const edit = (scene: Scene, repair: string) =>
  call('Edit', {
    file_path: pathIn(scene.cwd, CLOCK),
    old_string: MISTAKE,
    new_string: repair,
  });

const repairOf = (call: PastCall): string =>
  call.input['new_string'] === SMALLER_REPAIR ? SMALLER_REPAIR : REPAIR;

/** Answers a refusal: a reason gets the smaller repair, once; a plain no is a no. */
function answerRefusal(scene: Scene, last: PastCall): Reply {
  const { said } = last.outcome;
  if (said === undefined || repairOf(last) === SMALLER_REPAIR) return [say(texts.PATCH)];
  return [say(texts.objection(said)), edit(scene, SMALLER_REPAIR)];
}

function retry(scene: Scene, tried: readonly PastCall[], last: PastCall): Reply {
  if (tried.filter((e) => e.outcome.kind === 'failed').length >= MAX_FAILED_EDITS)
    return [say(texts.EDIT_FAILED)];
  const read = readOfClock(scene);
  if (read === undefined || isBefore(scene, read, last))
    return [say(texts.REREADING), call('Read', { file_path: pathIn(scene.cwd, CLOCK) })];
  return [say(texts.STILL_THERE), edit(scene, repairOf(last))];
}

/** Asks to run the tests again, in the foreground. */
function runTestsAgain(scene: Scene): Reply | null {
  const run = testRun(scene, 'second');
  if (!scene.has('Bash') || (run !== null && run.outcome !== 'interrupted')) return null;
  return [
    say(texts.TESTING_AGAIN),
    todos(3),
    call('Bash', { command: TEST_COMMAND, description: 'Run the tests again' }),
  ];
}

/** Ticks the whole list off once the tests are green. */
function tickOff(scene: Scene): Reply | null {
  const counts = testRun(scene, 'second')?.counts;
  if (counts?.failed !== 0 || !scene.has('TodoWrite') || isTickedOff(scene)) return null;
  return [say(texts.ALL_GREEN), todos(PLAN_LENGTH)];
}

const isTickedOff = (scene: Scene): boolean => {
  const list = scene.calls.findLast((c) => c.name === 'TodoWrite')?.input['todos'];
  return JSON.stringify(list)?.includes('in_progress') === false;
};

/** Says the last words of a tour in which the repair was made. */
function sumUp(scene: Scene): Reply {
  const run = testRun(scene, 'second');
  if (run === null) return [say(texts.unproven('I have no shell to run the tests in'))];
  if (run.outcome === 'denied') return [say(texts.unproven('the tests were not run again'))];
  if (run.counts === null) return [say(texts.unproven('the test run showed no result'))];
  if (run.counts.failed > 0) return [say(texts.stillFailing(run.counts))];
  const made = edits(scene).findLast((e) => e.outcome.kind === 'ok');
  const before = testRun(scene, 'first')?.counts ?? null;
  return [say(texts.summary(before, run.counts, made === undefined ? REPAIR : repairOf(made)))];
}
