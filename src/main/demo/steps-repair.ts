import type { Reply } from './api-types';
import { call, PLAN_LENGTH, say, think, todos } from './blocks';
import type { PastCall } from './history';
import { CLOCK, MISTAKE, REPAIR, SMALLER_REPAIR, TEST_COMMAND } from './sample';
import { edits, isBefore, pathIn, readOfClock, type Scene, testRun } from './scene';
import * as texts from './texts';

/** After so many edits that could not be made the script gives up. */
const MAX_FAILED_EDITS = 3;

/** Explains the mistake and asks to repair it; answers refusals and failures of that edit. */
export function proposeRepair(scene: Scene): Reply | null {
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
    run?.outcome === 'denied' ? texts.NO_FIRST_RUN : texts.verdictLine(run?.verdict ?? null);
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

/** A reason gets the smaller repair, once; a plain no is a no. */
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
export function runTestsAgain(scene: Scene): Reply | null {
  const run = testRun(scene, 'second');
  if (!scene.has('Bash') || (run !== null && run.outcome !== 'interrupted')) return null;
  return [
    say(texts.TESTING_AGAIN),
    todos(3),
    call('Bash', { command: TEST_COMMAND, description: 'Run the tests again' }),
  ];
}

/** Ticks the whole list off once the tests are green. */
export function tickOff(scene: Scene): Reply | null {
  const verdict = testRun(scene, 'second')?.verdict;
  if (verdict?.failed !== 0 || !scene.has('TodoWrite') || isTickedOff(scene)) return null;
  return [say(texts.ALL_GREEN), todos(PLAN_LENGTH)];
}

const isTickedOff = (scene: Scene): boolean => {
  const list = scene.calls.findLast((c) => c.name === 'TodoWrite')?.input['todos'];
  return JSON.stringify(list)?.includes('in_progress') === false;
};

/** The last words of a tour in which the repair was made. */
export function sumUp(scene: Scene): Reply {
  const run = testRun(scene, 'second');
  if (run === null) return [say(texts.unproven('I have no shell to run the tests in'))];
  if (run.outcome === 'denied') return [say(texts.unproven('the tests were not run again'))];
  if (run.verdict === null) return [say(texts.unproven('the test run showed no result'))];
  if (run.verdict.failed > 0) return [say(texts.stillFailing(run.verdict))];
  const made = edits(scene).findLast((e) => e.outcome.kind === 'ok');
  const before = testRun(scene, 'first')?.verdict ?? null;
  return [say(texts.summary(before, run.verdict, made === undefined ? REPAIR : repairOf(made)))];
}
