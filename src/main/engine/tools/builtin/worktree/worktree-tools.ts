import { z } from 'zod';
import { ok } from '../../../../../shared/result';
import type { WorktreeChoice } from '../../../agents/carried-files';
import {
  branchText,
  discardWorktree,
  findWorktree,
  makeWorktree,
  removeUnchanged,
  startIn,
  type Worktree,
  type WorktreeHooks,
  worktreeAround,
} from '../../../agents/worktree';
import type { ToolEnvironment } from '../../environment';
import { ownNeeds } from '../../needs';
import { defineTool } from '../../tool';

const Enter = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9][\w.-]{0,63}$/)
    .optional()
    .describe('Letters, digits, ".", "-" and "_". One that is there already is entered again.'),
});
type Enter = z.infer<typeof Enter>;

const Exit = z.strictObject({
  action: z.enum(['keep', 'remove']).describe('"remove" keeps it when it holds work.'),
  discard_changes: z
    .boolean()
    .optional()
    .describe('With "remove": lose what was changed and committed in it. The user is asked.'),
});
type Exit = z.infer<typeof Exit>;

/** A worktree as results and cards name it. */
interface Place {
  readonly path: string;
  readonly text: string;
  /** Sentences on what is not in it as one may expect. */
  readonly notes?: readonly string[];
}

/**
 * Creates the tools by which the agent enters a worktree and leaves it. `hooks` may make and remove it in the place of git;
 * `choice` is what holds for new ones.
 */
export function createWorktreeTools(hooks: () => WorktreeHooks, choice: () => WorktreeChoice) {
  // A folder that a hook made can be anywhere.
  const made: Made = { worktree: null };
  return [createEnterTool(made, hooks, choice), createExitTool(made, hooks)];
}

/** The worktree that a hook made, while the shell is in it. */
interface Made {
  worktree: Worktree | null;
}

/** Creates the tool by which the agent goes on in a worktree of its own: a new one, or one that is there. */
const createEnterTool = (made: Made, hooks: () => WorktreeHooks, choice: () => WorktreeChoice) =>
  defineTool<Enter, Place>({
    name: 'EnterWorktree',
    description:
      'Makes a git worktree in .claude/worktrees on a branch of its own and moves the shell there. Only when the user asks for a worktree; for a branch use git.',
    input: Enter,
    needs: ownNeeds('EnterWorktree'),
    validateInput: async (_, env) => {
      if (!env.session.trusted())
        return 'Nobody trusts this folder, so git makes no worktree in it.';
      const current = made.worktree === null ? nameOf(env) : 'that a hook made';
      return current === null ? null : `You are in the worktree ${current}. Exit it first.`;
    },
    title: ({ name = '' }) => ({ verb: 'Enter worktree', target: name }),
    execute: async function* ({ name }, context) {
      const { services, session, agent, signal } = context;
      const called = name ?? `session-${session.id.slice(0, 8)}`;
      const found = await findWorktree(services, session.project, called);
      const entered = found
        ? ok({ worktree: found, notes: [] })
        : await makeWorktree(services, session.project, called, choice(), signal, hooks());
      if (!entered.ok) return { ok: false, message: entered.error };
      const { worktree, notes } = entered.value;
      const { path, branch } = worktree;
      if (branch === '') made.worktree = worktree;
      agent.worktree.set(path);
      const folder = await startIn(services, session.project, worktree, signal);
      agent.cwd.set(folder);
      const on = branch === '' ? '' : `, on the branch ${branch}`;
      const text = `The shell is in ${folder} now${on}${found ? ', as it was left' : ''}. Read and change the files there, by their paths below ${path}, and not those of ${session.project}. Leave with ExitWorktree.${notes.map((note) => ` ${note}`).join('')}`;
      return { ok: true, output: { path, text, notes } };
    },
    toModel: ({ text }) => [{ type: 'text', text }],
    view: (_, { path, notes = [] }) => ({
      kind: 'generic',
      title: 'Works in a worktree',
      detail: [path, ...notes].join('\n'),
    }),
  });

/** Creates the tool by which the agent leaves its worktree. Work in it is lost only when the user says so. */
const createExitTool = (made: Made, hooks: () => WorktreeHooks) =>
  defineTool<Exit, Place>({
    name: 'ExitWorktree',
    description: 'Goes back from a worktree to the project, and keeps or removes it.',
    input: Exit,
    needs: async (input) =>
      ok([
        {
          kind: 'tool',
          tool: 'ExitWorktree',
          // What cannot be brought back is asked about.
          readOnly: input['discard_changes'] !== true,
          ...(input['discard_changes'] === true ? { specifier: 'discard' } : {}),
        },
      ]),
    validateInput: async (_, env) =>
      made.worktree === null && nameOf(env) === null ? 'You are in no worktree.' : null,
    title: ({ action = '', discard_changes: discards }) => ({
      verb: 'Exit worktree',
      target: discards === true ? 'and lose what is in it' : action,
    }),
    // biome-ignore lint/correctness/useYield: leaving is one step
    execute: async function* ({ action, discard_changes: discards }, context) {
      const { services, session, agent, signal } = context;
      const worktree =
        made.worktree ?? (await findWorktree(services, session.project, nameOf(context) ?? ''));
      made.worktree = null;
      agent.worktree.set(null);
      if (worktree === null) {
        agent.cwd.set(session.project);
        return { ok: false, message: `The worktree is gone. The shell is in ${session.project}.` };
      }
      const { path, branch } = worktree;
      const stays = `It stays: ${path}${branchText(worktree)}.`;
      if (action === 'keep') {
        agent.cwd.set(session.project);
        return { ok: true, output: { path, text: `The shell is in ${session.project}. ${stays}` } };
      }
      const why =
        discards && branch !== ''
          ? await discardWorktree(services, session.project, worktree)
          : await removeUnchanged(services, session.project, worktree, hooks(), signal);
      agent.cwd.set(session.project);
      const text =
        why === null ? `${path} is removed.` : `${stays} It is not removed, because ${why}.`;
      return { ok: true, output: { path, text: `The shell is in ${session.project}. ${text}` } };
    },
    toModel: ({ text }) => [{ type: 'text', text }],
    view: (_, { text }) => ({ kind: 'generic', title: 'Left the worktree', detail: text }),
  });

/** Returns the name of the worktree that the shell of an agent is in; null when it is in none. */
const nameOf = ({ session, agent }: ToolEnvironment): string | null =>
  worktreeAround(session.project, agent.worktree.get() ?? agent.cwd.get())?.name ?? null;
