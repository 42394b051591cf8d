import { localBash } from './runners/local-bash';
import { monitor } from './runners/monitor';
import type { TaskRunner } from './task-runner';

/** A runner whose kind of work is not known, as tables hold it. */
// biome-ignore lint/suspicious/noExplicitAny: a table holds runners of every spec; each is started only with its own
export type AnyTaskRunner = TaskRunner<any>;

/** Every kind of work that a session can take up again after a restart. */
export const TASK_RUNNERS: readonly AnyTaskRunner[] = [localBash, monitor];
