import { createOutputReader } from '../../../../src/main/engine/tasks/output-reader';
import {
  NOTHING_KILLED,
  type RunningTask,
  type TaskRunner,
} from '../../../../src/main/engine/tasks/task-runner';
import { ok } from '../../../../src/shared/result';

/** Work that is done as soon as it has begun, and that finds itself again after a restart. */
export const toyWork: TaskRunner<string> = {
  type: 'toy_work',
  idPrefix: 't',
  kind: 'Toy work',
  start: async (text, host) => ok(working(text, host)),
  resume: async (_task, memo, host) => working(String(memo), host),
};

type Host = Parameters<TaskRunner<string>['start']>[1];

const working = (memo: string, { files, outputFile, readTo }: Host): RunningTask => ({
  output: createOutputReader(files, outputFile, readTo),
  memo,
  settled: Promise.resolve({
    status: 'completed',
    result: { code: 0, interrupted: false },
    bytes: 0,
    note: `The toy worked on ${memo}.`,
  }),
  stop: async () => NOTHING_KILLED,
});
