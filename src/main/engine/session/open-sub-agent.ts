import type { SubAgentInfo } from '../../../shared/agent-event';
import type { PermissionMode } from '../../../shared/permission';
import { err, ok, type Result } from '../../../shared/result';
import { allItems } from '../../../shared/transcript';
import { type AgentState, createAgentState } from '../agent-state';
import { modeOfAgent } from '../agents/agent-fields';
import { type AgentNotes, readAgentNotes } from '../agents/agent-memory';
import {
  type AgentDefinition,
  includesTool,
  MAIN_AGENT_TOOLS,
  REPORT,
} from '../agents/definitions';
import {
  hasWorktree,
  type MadeWorktree,
  makeWorktree,
  startIn,
  type Worktree,
} from '../agents/worktree';
import { autocompactChoice } from '../context/autocompact';
import { historyOf } from '../messages/history';
import { idsOfCalls } from '../messages/unique-ids';
import { loadLog, transcriptOf } from '../sessions/load';
import { subAgentFile } from '../sessions/paths';
import { isNotAvailable } from '../settings/available-models';
import type { ToolSource } from '../tools/catalogue';
import type { AgentSpawner, SubAgentRequest } from '../tools/environment';
import { type Agent, createAgent } from './agent';
import { ownServersOf, preloadSkills, serversReady } from './definition-parts';
import { forkOpening, inheritedBy, placeText } from './inherited';
import type { SessionScope } from './session-scope';
import { worktreeChoice } from './worktree-choice';

/** The work that a sub-agent is opened for. */
export interface SubAgentOrder
  extends Pick<SubAgentRequest, 'callId' | 'name' | 'model' | 'effort' | 'isolated' | 'skill'> {
  readonly id: string;
  readonly title: string;
  readonly definition: AgentDefinition;
  readonly background: boolean;
  /** It judges a condition for a hook. */
  readonly verifies?: boolean;
  /** Tools that nobody else has. */
  readonly ownTools?: ToolSource;
  /** Its log, when it worked before; null for a new one. */
  readonly past: PastSubAgent | null;
}

/** A sub-agent that worked before. */
interface PastSubAgent {
  readonly worktree: Worktree | null;
}

/** A sub-agent, and the mode it works in while its session is in another. */
export interface OpenSubAgent {
  readonly agent: Agent;
  readonly info: SubAgentInfo;
  readonly modeOf: (mode: PermissionMode) => PermissionMode;
  /** The beginning of its first prompt. */
  readonly opening: string;
}

/** API round trips of one sub-agent at most: a task that takes more is too large for one. */
const MAX_TURNS = 200;

/** Opens a sub-agent of `parent`; nothing runs yet. The error is for the model. `spawnerOf` gives what starts its own. */
export async function openSubAgent(
  session: SessionScope,
  parent: AgentState,
  order: SubAgentOrder,
  spawnerOf: (state: AgentState) => AgentSpawner | null,
  signal: AbortSignal,
): Promise<Result<OpenSubAgent, string>> {
  const { services, log, settings, project } = session;
  const { id, definition, callId, title, past } = order;
  const config = parent.config();
  const modeOf = (mode: PermissionMode): PermissionMode => modeOfAgent(definition, mode);
  // A fork shares the prompt cache of its parent, which holds for one model.
  const hasOwnModel = definition.inherits === true || order.verifies === true;
  const { subAgentModel: ofAll } = hasOwnModel ? {} : settings();
  const own = definition.model === 'small' ? services.smallModel() : definition.model;
  const named = ofAll ?? order.model ?? own;
  const effort = order.effort ?? order.skill?.effort ?? definition.effort;
  const resolved = named === undefined ? null : services.resolveModel(named);
  // Its own model may not be among those that settings make available: it works with that of its parent then.
  const isLeft = named !== order.model && resolved?.ok === false && isNotAvailable(resolved);
  const model = isLeft ? null : resolved;
  if (model?.ok === false) return err(model.error.message);
  const inherited = await inheritedBy(session, parent, definition, past === null ? null : id);
  if (!inherited.ok) return inherited;
  const fork = inherited.value;
  const path = subAgentFile(session.paths.folder, id);
  const before = past === null ? null : await loadLog(services.files, path);
  if (before?.ok === false) return err(`Its log cannot be read: ${before.error.message}`);
  const isIsolated = order.isolated === true || definition.isolation === 'worktree';
  const made = isIsolated ? await worktreeFor(session, order, signal) : null;
  if (made?.ok === false) return made;
  const { worktree = null, notes: missing = [] } = made?.value ?? {};
  const folder = worktree && (await startIn(services, project, worktree, signal));
  tellMissing(parent, missing);
  const file = await services.files.openAppend(path);
  if (!file.ok) return err(`Its log cannot be written: ${file.error.message}`);
  const notes = await readAgentNotes(services.files, definition, {
    project,
    userFolder: services.configDir,
    trusted: settings().trusted,
  });
  const info: SubAgentInfo = {
    ...{ id, parentId: parent.id, callId, type: definition.name, title },
    ...(definition.color === undefined ? {} : { color: definition.color }),
    ...(order.name === undefined ? {} : { name: order.name }),
    ...(order.background ? { background: true } : {}),
    ...(worktree === null ? {} : { worktree }),
  };
  // In the log of the session, which outlives that of an agent that starts agents.
  log.append({ type: 'agent_started', agent: info });
  const lines = before?.value.lines ?? [];
  if (before !== null) log.restoreAgent(id, transcriptOf(id, lines));
  log.addAgentFile(id, file.value);
  const history = historyOf(
    lines.map(({ event }) => event),
    fork?.messages,
  );
  for (const call of history.messages().flatMap(idsOfCalls)) session.callIds.add(call);
  const state = createAgentState({
    id,
    log,
    history,
    config: {
      ...config,
      ...(model === null ? {} : { model: model.value }),
      ...(effort === undefined ? {} : { effort }),
      mode: modeOf(config.mode),
    },
    modelInMode: services.modelInMode,
    cwd: folder ?? parent.cwd.get(),
    worktree: worktree?.path ?? parent.worktree.get(),
    ownFolders: notes?.ownFolder ? [notes.ownFolder] : [],
  });
  const servers = ownServersOf(session, definition);
  const agent = createAgent(session, state, {
    limits: () => ({ ...session.limits(), maxTurns: definition.maxTurns ?? MAX_TURNS }),
    prompts: {
      agent: promptOf(
        definition,
        notes,
        worktree === null ? undefined : placeText(worktree, missing),
      ),
      omitsMemory: definition.omitsMemory,
    },
    ...(fork === null ? {} : { inherits: fork.shared }),
    usedShell: lines.some(({ event }) => event.type === 'task_started'),
    deferred: null,
    start: null,
    agentType: definition.name,
    agentName: order.name,
    verifies: order.verifies,
    isOffered: (tool) =>
      fork?.shared.isOffered(tool) ??
      (!MAIN_AGENT_TOOLS.has(tool) && includesTool(definition, tool)),
    spawner: spawnerOf(state),
    skill: order.skill,
    grantedAbove: () => session.agents.get(parent.id)?.grants.all() ?? [],
    definition,
    ownTools: order.ownTools,
    servers,
    loop: { autocompact: () => autocompactChoice(settings(), definition.autoCompactWindow) },
    ...(folder === null ? {} : { folder }),
  });
  if (past === null) {
    await preloadSkills(session, definition.skills ?? [], agent, (text) => {
      parent.record({ type: 'notice', level: 'warning', code: 'definition_problem', text });
    });
  }
  await serversReady(session, servers, signal);
  const opening = fork === null || past !== null ? '' : forkOpening(worktree, missing);
  return ok({ agent, info, modeOf, opening });
}

/** Tells the user, once each, of what is not in worktrees as one may expect. */
function tellMissing(parent: AgentState, missing: readonly string[]): void {
  const told = allItems(parent.transcript()).flatMap((item) =>
    item.kind === 'divider' && item.code === WORKTREE_NOTICE ? item.text : [],
  );
  for (const note of missing) {
    const text = `Worktrees of sub-agents: ${note}`;
    if (!told.includes(text))
      parent.record({ type: 'notice', level: 'info', code: WORKTREE_NOTICE, text });
  }
}

const WORKTREE_NOTICE = 'worktree';

/** Returns the worktree that an agent worked in before, where it is still there, or a new one. */
async function worktreeFor(
  { services, project, settings, hooks }: SessionScope,
  { id, past }: SubAgentOrder,
  signal: AbortSignal,
): Promise<Result<MadeWorktree, string>> {
  const before = past?.worktree ?? null;
  if (before !== null && (await hasWorktree(services, before)))
    return ok({ worktree: before, notes: [] });
  if (!settings().trusted) return err('A worktree needs a folder that the user trusts.');
  const name = before === null ? id : `${id}-again`;
  const choice = worktreeChoice(services, project, settings());
  return makeWorktree(services, project, name, choice, signal, hooks.main);
}

function promptOf(
  definition: AgentDefinition,
  notes: AgentNotes | null,
  place: string | undefined,
): string {
  const { prompt, reminder } = definition;
  const parts = [prompt, place, notes?.section, REPORT, reminder];
  return parts.filter((part) => part !== undefined).join('\n\n');
}
