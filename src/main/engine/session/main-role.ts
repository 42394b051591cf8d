import { err, fault, ok, type Result } from '../../../shared/result';
import { type AgentNotes, readAgentNotes } from '../agents/agent-memory';
import {
  type AgentDefinition,
  COORDINATOR_PROMPT,
  COORDINATOR_TOOLS,
  findAgent,
  includesTool,
} from '../agents/definitions';
import type { Services } from '../services';
import { atPlace } from '../settings/value-places';
import type { AgentSpec } from './agent';
import type { Definitions } from './definitions';
import type { HostPolicy } from './session-scope';

/** The role of a main agent: its prompts, the tools it may be offered, and the definition it works as. */
export interface Role extends Pick<AgentSpec, 'prompts' | 'isOffered'> {
  readonly definition: AgentDefinition | null;
  readonly notes: AgentNotes | null;
  /** The reason the role that settings name is not taken, for the person. */
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
    return prompts.agent === undefined
      ? ok({ ...plain, problem: atPlace(now.places?.agent, 'agent', noAgent(name)) })
      : err(missing);
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
export function roleModel(
  { definition }: Role,
  services: Pick<Services, 'smallModel'>,
): string | null {
  const model = definition?.model;
  return model === 'small' ? services.smallModel() : (model ?? null);
}
