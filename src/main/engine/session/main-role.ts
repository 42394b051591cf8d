import type { QueryLimits, ThinkingMode } from '../../../shared/agent-event';
import type { PermissionMode, PermissionRule } from '../../../shared/permission';
import { err, fault, ok, type Result } from '../../../shared/result';
import { DEMO_MODEL } from '../../../shared/settings';
import type { Transcript } from '../../../shared/transcript';
import { modeOfAgent } from '../agents/agent-fields';
import { type AgentNotes, readAgentNotes } from '../agents/agent-memory';
import {
  type AgentDefinition,
  COORDINATOR_PROMPT,
  COORDINATOR_TOOLS,
  findAgent,
  includesTool,
} from '../agents/definitions';
import type { Services } from '../services';
import { isNotAvailable } from '../settings/available-models';
import type { EffectiveSettings } from '../settings/effective';
import { ASKS_EVERYTHING, askEverything } from '../settings/lost-denials';
import { atPlace } from '../settings/value-places';
import type { AgentSpec } from './agent';
import type { Definitions } from './definitions';
import type { HostPolicy } from './session-scope';

/** The role of a main agent: its prompts, the tools it may be offered, and the definition it works as. */
export interface Role extends Pick<AgentSpec, 'prompts' | 'isOffered'> {
  readonly definition: AgentDefinition | null;
  /** Rules that hold in the place of a definition that is left out for a fault in its file. */
  readonly rules?: readonly PermissionRule[];
  readonly notes: AgentNotes | null;
  /** The reason the role that settings name is not taken, for the user. */
  readonly problem: string | null;
}

/**
 * Returns the role of a main agent: what the host wishes, e.g. by the command line, goes before settings. An agent that the
 * host names must be there; one of settings is only missed.
 */
export async function roleOf(
  services: Pick<Services, 'files' | 'configDir'>,
  project: string,
  { prompts, settings }: HostPolicy,
  { agents, settled }: Definitions,
): Promise<Result<Role>> {
  const now = settings();
  const { systemPrompt, appendSystemPrompt, overrideSystemPrompt, coordinator, agent } = now;
  const texts: AgentSpec['prompts'] = {
    override: prompts.override ?? overrideSystemPrompt,
    custom: prompts.system ?? systemPrompt,
    append: prompts.append ?? appendSystemPrompt,
    simple: prompts.simple,
    localApart: prompts.localApart,
  };
  const none = { definition: null, notes: null, problem: null };
  const plain: Role = { prompts: texts, isOffered: () => true, ...none };
  if (prompts.coordinator ?? (prompts.agent === undefined && coordinator)) {
    return ok({
      ...plain,
      prompts: { ...texts, coordinator: COORDINATOR_PROMPT },
      isOffered: (tool) => COORDINATOR_TOOLS.has(tool),
    });
  }
  const name = prompts.agent ?? agent;
  if (name === undefined) return ok(plain);
  await settled();
  // A main agent has nobody to inherit from.
  const kinds = agents.list().filter(({ inherits }) => inherits !== true);
  const definition = findAgent(kinds, name);
  if (definition === null) {
    const names = kinds.map((one) => one.name);
    const missing = fault(
      'no_agent',
      `--agent: there is no agent "${name}".`,
      `Use one of ${names.join(', ')}.`,
    );
    if (prompts.agent !== undefined) return err(missing);
    const place = now.places?.agent;
    const problem = atPlace(place, 'agent', noAgent(name));
    if (!agents.isDropped(name)) return ok({ ...plain, problem });
    // It may have had fewer tools, and guards.
    const rules = askEverything('session', place?.file ?? 'settings');
    return ok({ ...plain, problem: `${problem} ${ASKS_EVERYTHING}`, rules });
  }
  const place = { project, userFolder: services.configDir, trusted: now.trusted };
  const notes = await readAgentNotes(services.files, definition, place);
  const sections = notes === null ? [definition.prompt] : [definition.prompt, notes.section];
  return ok({
    ...plain,
    prompts: { ...texts, agent: sections.join('\n\n') },
    isOffered: (tool) => includesTool(definition, tool),
    definition,
    notes,
  });
}

const noAgent = (name: string): string => `There is no agent "${name}" to work as.`;

/** Returns the name of the model that a role asks for; null when it asks for none. Pure. */
function roleModel({ definition }: Role, services: Pick<Services, 'smallModel'>): string | null {
  const model = definition?.model;
  return model === 'small' ? services.smallModel() : (model ?? null);
}

/** The choices for a session of whoever opens it; settings and the session's log say the rest. */
interface ChosenConfig {
  /** An id of a model. */
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  readonly thinking?: ThinkingMode | undefined;
  readonly mode?: PermissionMode | undefined;
}

/** The choices that decide the config of a main agent, beside its role, its settings, and its session's log. */
export interface MainChoices {
  readonly chosen: ChosenConfig;
  /** The model of a session in which nobody chose one. */
  readonly defaultModel: Result<string>;
  /** The mode that a resumed session goes on in, for the one it was left in. */
  readonly resumedMode: (mode: PermissionMode, settings: EffectiveSettings) => PermissionMode;
}

/** The effort asked of models that know effort levels when nobody chose. */
const DEFAULT_EFFORT = 'high';

/**
 * Returns the config that a main agent begins with: what was chosen, else what its session had before, else what its role or
 * settings say.
 */
export function mainConfig(
  before: Pick<Transcript, 'model' | 'effort' | 'thinking' | 'mode'>,
  { chosen, defaultModel, resumedMode }: MainChoices,
  settings: EffectiveSettings,
  services: Pick<Services, 'resolveModel' | 'smallModel'>,
  role: Role,
) {
  const named = roleModel(role, services);
  const { definition } = role;
  const { defaultMode } = settings;
  const firstMode = definition === null ? defaultMode : modeOfAgent(definition, defaultMode);
  const isNew = before.model === '';
  const wished = named === null ? null : services.resolveModel(named);
  const kept = isNew ? null : services.resolveModel(before.model);
  // What settings no longer let be chosen is not taken up again.
  const isKept = kept !== null && !isNotAvailable(kept);
  const known = chosen.model ?? (isKept ? before.model : undefined);
  const model =
    known === undefined
      ? modelOfRole(wished !== null && isNotAvailable(wished) ? null : wished, defaultModel)
      : ok(known);
  if (!model.ok) return model;
  return ok({
    model: model.value,
    effort:
      chosen.effort ?? (before.effort || definition?.effort || settings.effort || DEFAULT_EFFORT),
    thinking: chosen.thinking ?? before.thinking ?? settings.thinking ?? null,
    mode: chosen.mode ?? (isNew ? firstMode : resumedMode(before.mode, settings)),
  });
}

/** Returns the model of a new session in which nobody chose one; the demo has no other than its own. */
const modelOfRole = (role: Result<string> | null, usual: Result<string>): Result<string> =>
  role === null || (usual.ok && usual.value === DEMO_MODEL) ? usual : role;

/** Returns the limits that settings and its role give a session in which nobody set any; null: none. */
export function mainLimits(
  { maxTurns: most, maxBudgetUsd }: EffectiveSettings,
  role: Role['definition'],
): QueryLimits | null {
  const maxTurns = role?.maxTurns ?? most;
  return maxTurns === undefined && maxBudgetUsd === undefined
    ? null
    : { maxTurns: maxTurns ?? null, maxBudgetUsd: maxBudgetUsd ?? null };
}
