import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionFeed } from '../../../src/shared/contract';
import type { Task } from '../../../src/shared/task';
import type { Run, Workspace } from './lathe';
import type { Window } from './window';

/** Lets commands run unasked in a workspace, and puts the script of {@link counting} there. */
export async function prepare(workspace: Pick<Workspace, 'home' | 'project'>): Promise<void> {
  const settings = join(workspace.home, '.claude');
  await mkdir(settings);
  await writeFile(join(settings, 'settings.json'), '{"permissions":{"allow":["Bash","Monitor"]}}');
  await writeFile(join(workspace.project, 'count.sh'), COUNT);
}

export async function killMinusNine(run: Run): Promise<void> {
  run.child.kill('SIGKILL');
  await run.finished;
}

export function contentOf<T>(
  result:
    | { readonly ok: true; readonly value: T }
    | { readonly ok: false; readonly error: unknown },
): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

/** Follows a session until what was told holds. Gives its background tasks as they stood then. */
export async function untilTasks(
  { session }: Window['client'],
  sessionId: string,
  holds: (tasks: readonly Task[], told: SessionFeed) => boolean,
): Promise<readonly Task[]> {
  const tasks = new Map<string, Task>();
  for await (const told of await session.watch({ sessionId })) {
    if (told.type === 'snapshot')
      for (const task of told.transcript.tasks) tasks.set(task.id, task);
    if (told.type === 'event' && 'task' in told.stamped.event) {
      const { task } = told.stamped.event;
      if (task.isBackgrounded) tasks.set(task.id, task);
    }
    if (holds([...tasks.values()], told)) return [...tasks.values()];
  }
  throw new Error('The session ended.');
}

export const finished = (told: SessionFeed) =>
  told.type === 'event' && told.stamped.event.type === 'query_finished';

/** A numbered stream until a file of that name is there, as fast as it goes at first. */
export const FAST_LINES = 12_000;
// It waits for a pipe that stays empty: a program for each line would take more processor time than all of Lathe.
const COUNT = `exec 9<> <(:); i=0; until [ -e "$1" ]; do i=$((i+1)); echo "$1 $i"
[ $i -lt ${FAST_LINES} ] || read -r -t 0.02 -u 9; done; echo "END $i"`;
export const counting = (name: string) => `bash count.sh ${name}`;

export const linesIn = async (outputFile: string) =>
  (await readFile(outputFile, 'utf8')).replaceAll('\r', '').trimEnd().split('\n');

export const numbered = (name: string, count: number, from = 1) =>
  Array.from({ length: count }, (_, at) => `${name} ${from + at}`);

export const numberIn = (line: string) => Number(/\d+/.exec(line)?.[0]);

/** Ignores what it can, in a session of its own; its number goes to a file. */
export const STUBBORN = 'echo $$ >> pids; trap "" TERM HUP INT; while :; do sleep 0.2; done';
