import { z } from 'zod';
import { err, ok, type Result } from '../../../../../shared/result';
import type { ToolView } from '../../../../../shared/tool-call';
import type { PermissionRequest } from '../../../permissions/request';
import type { Files } from '../../../ports';
import { MAX_SKILL_BYTES } from '../../../settings/definition-places';
import { COMMAND_LIMITS, type CommandLimits } from '../../../settings/environment';
import { readFrontmatter } from '../../../settings/frontmatter';
import type { Skill } from '../../../skills/skill';
import type { SkillStore } from '../../../skills/skill-store';
import { expandSkill, type SkillPart } from '../../../skills/substitute';
import type { ToolContext } from '../../environment';
import { type Needs, textIn } from '../../needs';
import { defineTool, type ToolOutcome, type ToolProgress } from '../../tool';
import { bashReport } from '../bash/bash-io';
import { runCommand } from '../bash/run-command';
import { commandNeeds, decidedPlacement } from '../bash/sandbox-placement';
import { agentView, FULL, followAgent, letGoOn } from '../support/follow-agent';

const DESCRIPTION =
  'Puts a skill to use: its instructions come with the next message. The skills are listed in reminders. When one fits what is asked, use it before anything else; one that was put to use already is not called again.';

const Input = z.strictObject({
  skill: z.string().min(1).max(200).describe('Its name.'),
  args: z.string().max(20_000).optional().describe('What it is to work on.'),
});
type Input = z.infer<typeof Input>;

interface Output {
  readonly name: string;
  /** The report of the sub-agent that carried it out; null when this agent does. */
  readonly report: string | null;
  readonly view: ToolView | null;
}

/** The skills as the tool sees them. */
export interface SkillToolParts {
  readonly store: Pick<SkillStore, 'find'>;
  readonly sessionId: string;
  /** The project folder, as a real path. */
  readonly project: string;
  readonly limits?: CommandLimits;
  /** Tells whether settings say that the commands in texts are not run, those of the machine's own skills excepted. */
  readonly commandsOff: () => boolean;
  /** Tells whether a user has just typed the name of a skill: then using it needs no further word of theirs. */
  readonly isTyped: (name: string) => boolean;
}

/** Creates the tool that puts skills and commands of files to use. */
export const createSkillTool = (parts: SkillToolParts) => {
  const { store, limits = COMMAND_LIMITS } = parts;
  const load = async (input: Input, files: Files): Promise<Result<LoadedSkill, string>> => {
    const loaded = await loadSkill(store, input, parts, files);
    if (!loaded.ok || !parts.commandsOff() || loaded.value.skill.source === 'managed')
      return loaded;
    const texts = loaded.value.parts.map((part) => (part.kind === 'command' ? NOT_RUN : part));
    return ok({ ...loaded.value, parts: texts });
  };
  const isOpen = ({ name, modelInvocable }: Skill) => modelInvocable || parts.isTyped(name);

  const needs: Needs = async (input, context) => {
    const name = textIn(input, 'skill') ?? '';
    const args = textIn(input, 'args')?.trim() ?? '';
    const skill = store.find(plainName(name));
    const specifier = skill?.name ?? name;
    const own = (text: string, readOnly: boolean): PermissionRequest => ({
      kind: 'tool',
      tool: 'Skill',
      specifier: text,
      readOnly,
    });
    // Rules may name a skill alone, or with what follows: both have to see each use of it.
    const whole = args === '' ? specifier : `${specifier} ${args}`;
    const other = args === '' ? `${specifier} ` : specifier;
    const grants = skill !== null && skill.allowedTools.length + skill.hooks.length > 0;
    const requests = [own(whole, !grants || parts.isTyped(specifier)), own(other, true)];
    if (skill === null) return ok(requests);
    const loaded = await load({ skill: name, args }, context.files);
    if (!loaded.ok) return ok(requests);
    for (const command of commandsOf(loaded.value.parts)) {
      const needed = await BASH.needs({ command }, context);
      if (!needed.ok) return needed;
      requests.push(...needed.value);
    }
    return ok(requests);
  };

  return defineTool<Input, Output>({
    name: 'Skill',
    description: DESCRIPTION,
    input: Input,
    needs,
    validateInput: async ({ skill: name }) => {
      const skill = store.find(plainName(name));
      if (skill === null) return `There is no skill "${name}".`;
      return isOpen(skill) ? null : `Only the user can use the skill "${skill.name}".`;
    },
    innerCalls: async (input, env) => {
      const loaded = await load(input, env.services.files);
      const commands = loaded.ok ? commandsOf(loaded.value.parts) : [];
      return commands.map((command) => ({ tool: BASH, input: { command } }));
    },
    subject: async (input, env) => {
      const loaded = await load(input, env.services.files);
      const commands = loaded.ok ? commandsOf(loaded.value.parts) : [];
      if (commands.length === 0) {
        return { kind: 'tool', name: 'Skill', input: JSON.stringify(input, null, 2) };
      }
      return {
        kind: 'command',
        command: commands.join('\n'),
        cwd: env.agent.cwd.get(),
        description: `The skill ${input.skill} runs this to fill in its text`,
        background: false,
        asks: [],
      };
    },
    title: ({ skill = '', args = '' }) => ({ verb: 'Skill', target: `${skill} ${args}`.trim() }),
    execute: async function* (input, context) {
      const loaded = await load(input, context.services.files);
      if (!loaded.ok) return { ok: false, message: loaded.error };
      const { skill, parts: texts } = loaded.value;
      const filled = yield* fillCommands(texts, context, limits);
      if (!filled.ok) return { ok: false, message: filled.error };
      const { name } = skill;
      if (skill.agent === undefined) {
        context.agent.skills.use(skill, filled.value, mentionable(texts));
        return { ok: true, output: { name, report: null, view: null } };
      }
      return yield* fork(skill, filled.value, context);
    },
    toModel: ({ name, report }) => [
      { type: 'text', text: report ?? `The skill ${name} is in use; its text follows.` },
    ],
    view: (_, { name, view }) =>
      view === null ? { kind: 'generic', title: 'Skill', detail: name } : view,
  });
};

/** A skill with its text taken apart. */
interface LoadedSkill {
  readonly skill: Skill;
  readonly parts: readonly SkillPart[];
}

/** The tool as which rules and hooks know the commands of a skill. */
const BASH = { name: 'Bash', needs: commandNeeds('Bash') };

const plainName = (name: string): string => name.trim().replace(/^\//, '');

/** Reads the text of a skill and fills it in. */
export async function loadSkill(
  store: Pick<SkillStore, 'find'>,
  { skill: name, args = '' }: Input,
  { sessionId, project }: Pick<SkillToolParts, 'project' | 'sessionId'>,
  files: Files,
): Promise<Result<LoadedSkill, string>> {
  const skill = store.find(plainName(name));
  if (skill === null) return err(`There is no skill "${name}".`);
  const bytes = await files.read(skill.file, MAX_SKILL_BYTES);
  if (!bytes.ok) return err(`The skill cannot be read: ${bytes.error.message}`);
  const { body } = await readFrontmatter(bytes.value);
  const parts = expandSkill(body, {
    args: args.trim(),
    names: skill.argumentNames,
    variables: {
      CLAUDE_SESSION_ID: sessionId,
      CLAUDE_SKILL_DIR: skill.folder,
      CLAUDE_PROJECT_DIR: project,
      ...(skill.pluginRoot === undefined ? {} : { CLAUDE_PLUGIN_ROOT: skill.pluginRoot }),
      ...Object.fromEntries(
        Object.entries(skill.pluginValues ?? {}).map(([key, value]) => [
          `user_config.${key}`,
          value,
        ]),
      ),
    },
  });
  return ok({ skill, parts });
}

/** Stands in a text for a command that settings forbid; without its words, so that it mentions no file. */
const NOT_RUN: SkillPart = {
  kind: 'text',
  text: '[A command stood here. It was not run, as disableSkillShellExecution of the settings says.]',
};

const commandsOf = (parts: readonly SkillPart[]): readonly string[] =>
  parts.flatMap((part) => (part.kind === 'command' ? [part.command] : []));

/** Returns the words in which files can be mentioned: what a command prints mentions none. */
export const mentionable = (parts: readonly SkillPart[]): string =>
  parts.map((part) => (part.kind === 'text' ? part.text : '')).join('\n');

/** Runs the commands of a text, one after another, and puts what they print in their place. Only what was allowed runs. */
async function* fillCommands(
  parts: readonly SkillPart[],
  context: ToolContext,
  limits: CommandLimits,
): AsyncGenerator<ToolProgress, Result<string, string>> {
  const texts: string[] = [];
  for (const part of parts) {
    if (part.kind === 'text') {
      texts.push(part.text);
      continue;
    }
    const { command } = part;
    const decided = context.decided.filter(
      (request) => request.kind === 'shell' && request.command === command,
    );
    if (decided.length === 0) return err(`The skill changed after it was allowed; nothing ran.`);
    const own: ToolContext = { ...context, decided };
    const surroundings = { limits, analyze: context.services.parser.analyze };
    const ran = yield* runCommand({ command }, await decidedPlacement(own), own, surroundings);
    if (!ran.ok && ran.output === undefined) {
      return err(`The skill's command failed: ${command}\n${ran.message}`);
    }
    texts.push(ran.output === undefined ? '' : bashReport(ran.output));
  }
  return ok(texts.join(''));
}

/** Has a sub-agent carry out a skill. */
async function* fork(
  skill: Skill,
  prompt: string,
  context: ToolContext,
): AsyncGenerator<ToolProgress, ToolOutcome<Output>> {
  const { agents } = context.agent;
  if (agents === null) return { ok: false, message: 'A sub-agent cannot start sub-agents.' };
  const { name, agent: type = 'general-purpose', model } = skill;
  const { callId, signal } = context;
  const background = agents.mayGoOn && skill.background === true;
  if (background && agents.isFull()) return { ok: false, message: FULL };
  const started = await agents.start(
    {
      ...{ callId, type, title: name, prompt, skill, background },
      ...(model === undefined ? {} : { model }),
    },
    signal,
  );
  if (!started.ok) return { ok: false, message: started.error };
  const work = started.value;
  const end = background ? { kind: 'background' as const } : yield* followAgent(work, context);
  if (end.kind === 'ended') {
    const output = { name, report: end.text, view: agentView(work) };
    return end.ok ? { ok: true, output } : { ok: false, message: end.text, output };
  }
  const task = await letGoOn(work, context);
  const output = { name, report: task.text, view: agentView(work, task.taskId) };
  return task.ok ? { ok: true, output } : { ok: false, message: task.text, output };
}
