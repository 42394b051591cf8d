import { join } from 'node:path';
import type { Message } from '../../../shared/message';
import type { AgentState } from '../agent-state';
import type { WorktreeChoice } from '../agents/carried-files';
import type { SharedHooks } from '../hooks/shared-hooks';
import type { EffectiveSettings } from '../settings/effective';
import { createSkillTool } from '../tools/builtin/skill/skill';
import { createWorktreeTools } from '../tools/builtin/worktree/worktree-tools';
import type { ToolSource } from '../tools/catalogue';
import type { Definitions } from './definitions';

/** Returns the source of the tool that puts skills to use: nothing where there are none. */
export function skillSource(
  { skills, typed }: Definitions,
  sessionId: string,
  settings: () => EffectiveSettings,
  project: string,
): ToolSource {
  const isTyped = (name: string) => typed.get() === name.toLowerCase();
  const commandsOff = () => settings().skillCommandsOff === true;
  const tools = [createSkillTool({ store: skills, sessionId, project, isTyped, commandsOff })];
  return {
    name: 'skills',
    list: () => (skills.list().length === 0 ? [] : tools),
    onChange: () => () => {},
  };
}

/** Returns the source of the tools for worktrees: there once somebody spoke of one, so that other prompts do not pay for them. */
export function worktreeSource(
  main: AgentState,
  project: string,
  hooks: () => SharedHooks['main'],
  choice: () => WorktreeChoice,
): ToolSource {
  const tools = createWorktreeTools(hooks, choice);
  const worktrees = join(project, '.claude', 'worktrees', '/');
  let looked = 0;
  let wanted = false;
  const isWanted = (): boolean => {
    const history = main.history();
    wanted ||=
      main.worktree.get() !== null ||
      main.cwd.get().startsWith(worktrees) ||
      history.slice(looked).some(speaksOfWorktrees);
    looked = history.length;
    return wanted;
  };
  return { name: 'worktrees', list: () => (isWanted() ? tools : []), onChange: () => () => {} };
}

/** Tells whether a prompt speaks of worktrees; results of calls may say what they like. */
const speaksOfWorktrees = (message: Message): boolean =>
  message.role === 'user' &&
  message.content.some((block) => block.type === 'text' && /worktree/i.test(block.text));
