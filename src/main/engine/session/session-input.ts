import type { Stamped } from '../../../shared/agent-event';
import type { CommandInfo } from '../../../shared/contract';
import type { UserBlock } from '../../../shared/message';
import { err, type Fault, fault } from '../../../shared/result';
import { parseSlash } from '../../../shared/slash';
import { costReport } from '../cost/cost-report';
import {
  COMMANDS,
  type Command,
  type CommandTarget,
  noCommand,
  type RoutedInput,
  routeInput,
} from '../input/commands';
import { promptArguments } from '../mcp/server-prompts';
import { remember } from '../prompt/remember';
import type { Skill } from '../skills/skill';
import type { AddFolder } from './added-folders';
import type { Agent } from './agent';
import { UNTRUSTED } from './overlay';
import { plugged } from './plugs';
import type { SessionScope } from './session-scope';
import type { createSessionTitle } from './session-title';
import { behind, blocksOf, onlyText } from './typed-prompt';

interface SessionInputOptions {
  readonly title: Pick<ReturnType<typeof createSessionTitle>, 'begin'>;
  readonly configure: CommandTarget['configure'];
  readonly addFolder: AddFolder;
  /** The text that the first prompt stands behind. */
  readonly initialPrompt?: string | undefined;
}

/** Takes the texts of a session: prompts, commands, skills, shell lines. */
export interface SessionInput {
  /**
   * Runs one query of the main agent and yields what happens meanwhile: an answer to a prompt, a command of Lathe, or a
   * shell line. The first prompt titles the session. Null goes on without words of a user; `promptId` names the
   * message in the log. In words `asWritten` no command and no mention is looked for. Throws when a query runs.
   */
  submit(
    prompt: string | readonly UserBlock[] | null,
    promptId?: string,
    asWritten?: boolean,
  ): AsyncIterable<Stamped>;
  /** Returns why a text is not taken that begins like a command; null when it is. */
  refusal(text: string): Promise<Fault | null>;
  /** Returns what a text of the user asks for in this session. */
  route(text: string): RoutedInput;
  /** Tells whether a text goes to the model, as skills and prompts of servers do; Lathe's own commands do not. */
  isPrompt(text: string): boolean;
  commands(): CommandInfo[];
}

/** Creates the way of texts into a session. */
export function createSessionInput(
  scope: SessionScope,
  main: Agent,
  { title, configure, addFolder, initialPrompt }: SessionInputOptions,
): SessionInput {
  const { log, settings, services, mcp } = scope;
  const isTyped = !scope.host.unattended && scope.host.program === undefined;
  const isDriven = scope.host.program !== undefined;
  const known = plugged(COMMANDS, scope.plugs.commands).filter(
    ({ of }) => of === undefined || (of === 'user' ? isTyped : isDriven),
  );
  const { skills, typed } = scope.definitions;
  const names = {
    has: (name: string) =>
      known.some((one) => one.name === name || one.aliases?.includes(name)) ||
      skills.find(name)?.userInvocable === true ||
      mcp.prompts.find(name) !== null,
  };
  /** Returns a command of Lathe's own. Another name of one counts where neither a skill nor a server's prompt has it. */
  const commandOf = (name: string) =>
    known.find((one) => one.name === name) ??
    (skills.find(name) === null && mcp.prompts.find(name) === null
      ? known.find(({ aliases }) => aliases?.includes(name))
      : undefined);
  const target: CommandTarget = {
    engine: main.engine,
    configure,
    config: main.state.config,
    transcript: main.state.transcript,
    checkpoints: scope.checkpoints,
    clear: async (promptId, signal) => {
      const { state, hooks } = main;
      await hooks.cleared(() => {
        state.record({ type: 'conversation_cleared', promptId: promptId ?? null });
        state.reads.clear();
      }, signal);
    },
    addFolder: (name) => addFolder(name, 'slash_command'),
    costs: () => costReport(log.transcript(), services.ledger, settings().maxDailyBudgetUsd),
    remember: async (place, text) => {
      if (place !== 'user' && !settings().trusted) return err(UNTRUSTED);
      const { files, configDir: userFolder } = services;
      return remember(files, { project: scope.project, userFolder }, place, text);
    },
  };
  // A program may pass on words of strangers: there a line is run only when the model asks and rules allow it.
  const route = (text: string) =>
    routeInput(text, {
      commands: names,
      shell: isTyped,
      memory: scope.host.program === undefined,
    });
  /** Puts a skill to use whose name a user typed, and lets the model go on from there. */
  async function* useSkill(
    { name }: Skill,
    args: string,
    prompt: string | readonly UserBlock[],
    promptId: string | undefined,
  ): AsyncGenerator<Stamped, void> {
    const input = { skill: name, ...(args === '' ? {} : { args }) };
    typed.set(name.toLowerCase());
    try {
      yield* main.engine.submit(prompt, promptId, [{ name: 'Skill', input }]);
    } finally {
      typed.set(null);
    }
  }
  const submitNow: SessionInput['submit'] = (prompt, promptId, asWritten = false) => {
    mcp.sync();
    // The session's own opening has begun the first look.
    if (log.transcript().query !== null) scope.definitions.refresh().catch(() => {});
    scope.checkpoints.warm();
    const alone = asWritten ? null : onlyText(prompt);
    if (asWritten && promptId !== undefined) main.state.asWritten.add(promptId);
    const routed = alone === null ? PROMPT : route(alone);
    if (routed.kind === 'command') {
      const command = commandOf(routed.name);
      if (command) return command.run(routed.args, target, promptId);
    }
    const skill = routed.kind === 'command' ? skills.find(routed.name) : null;
    const served = routed.kind === 'command' ? mcp.prompts.find(routed.name) : null;
    if (served !== null && skill === null && routed.kind === 'command') {
      const given = promptArguments(served, routed.args);
      const wrong = given.ok ? null : fault('bad_argument', given.error);
      if (wrong !== null) return main.engine.act(async () => err(wrong));
    }
    const isPrompt =
      prompt !== null && (routed.kind === 'prompt' || skill !== null || served !== null);
    if (isPrompt) title.begin(blocksOf(prompt));
    if (skill !== null && routed.kind === 'command') {
      return useSkill(skill, routed.args, prompt ?? '', promptId);
    }
    return routed.kind === 'shell'
      ? main.engine.shell(routed.command, promptId)
      : main.engine.submit(
          log.transcript().query === null ? behind(initialPrompt, prompt) : prompt,
          promptId,
        );
  };
  /** Returns why a text is not taken that begins like a command, once it is known which there are; null when it is. */
  const refusal = async (text: string): Promise<Fault | null> => {
    const named = parseSlash(text)?.name;
    if (named === undefined) return null;
    if (named.startsWith('mcp__')) await mcp.promptReady(named);
    // A command that has just been written is there too.
    await (log.transcript().query === null
      ? scope.definitions.settled()
      : scope.definitions.refresh());
    if (!(await isNoCommand(named, text))) return null;
    const known = commands().map(({ name }) => name);
    return noCommand(named, known, isHeldBack());
  };
  async function* submitSettled(
    ...given: Parameters<SessionInput['submit']>
  ): AsyncGenerator<Stamped, void> {
    const refused = await refusal(onlyText(given[0]) ?? '');
    yield* refused === null ? submitNow(...given) : main.engine.act(async () => err(refused));
  }
  /** Tells whether a name is that of no command, where commands count, and of nothing at the root of the disk. */
  const isNoCommand = async (name: string, text: string): Promise<boolean> =>
    !names.has(name) &&
    scope.host.wishes?.skills?.length !== 0 &&
    !(await services.files.stat(text.trim().split(/\s/, 1)[0] ?? '')).ok;
  /** Tells whether commands of the folder are left out, because nobody trusts it. */
  const isHeldBack = () =>
    !settings().trusted &&
    scope.definitions.problems().some(({ file }) => /[\\/](skills|commands)$/.test(file));
  const commands = (): CommandInfo[] => {
    const own = skills.list().filter(({ userInvocable }) => userInvocable);
    const theirs = [...own, ...mcp.prompts.list()].map(({ name, description, argumentHint }) => ({
      ...{ name, description, argumentHint },
    }));
    return [...known.map(listed), ...theirs];
  };
  return {
    submit: (prompt, promptId, asWritten = false) => {
      const isSlash = !asWritten && onlyText(prompt)?.trimStart().startsWith('/') === true;
      return isSlash ? submitSettled(prompt, promptId) : submitNow(prompt, promptId, asWritten);
    },
    route,
    isPrompt: (text) => {
      const routed = route(text);
      return routed.kind === 'command'
        ? commandOf(routed.name) === undefined
        : routed.kind === 'prompt';
    },
    refusal,
    commands,
  };
}

/** Returns a command of Lathe's own as lists have it. */
const listed = ({ name, description, argumentHint, aliases }: Command): CommandInfo => ({
  ...{ name, description, argumentHint, builtin: true },
  ...(aliases === undefined ? {} : { aliases }),
});

const PROMPT: RoutedInput = { kind: 'prompt' };
