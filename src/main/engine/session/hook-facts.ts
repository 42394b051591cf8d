import { NO_USAGE } from '../../../shared/facts';
import { parseSlash } from '../../../shared/slash';
import type { AgentState, ModelSwitch } from '../agent-state';
import { price } from '../cost/price';
import type { Expansion, StartFacts, StartSource } from '../hooks/told-facts';
import { isCacheWarm } from '../loop/prepare-turn';
import type { SessionScope } from './session-scope';

/** Creates what the hooks of an agent are told about its session. `isDriven`: no user looks on, a program may. */
export function createHookFacts(session: SessionScope, state: AgentState, isDriven: boolean) {
  const { services, log } = session;
  const { config } = state;

  /** Returns the facts of a change to another model, with what it costs to send the conversation there anew. */
  const modelSwitch = (from: string, to: string, { source, requested }: ModelSwitch) => {
    const tokens = state.transcript().context?.usedTokens ?? 0;
    return {
      from_model: from,
      to_model: to,
      requested_model: requested,
      source,
      context_tokens: tokens,
      prompt_cache_warm: isCacheWarm(state.answeredAt(), services.clock.date()),
      cache_ttl: '5m',
      estimated_cache_write_usd: price({ ...NO_USAGE, cacheWriteTokens: tokens }, to),
      pricing: 'catalog',
    } as const;
  };

  /** Returns the command of a file or a server that a text begins with; null for any other text. */
  const expansion = (text: string): Expansion | null => {
    const slash = parseSlash(text.trim());
    if (slash === null) return null;
    const { name, rest: args } = slash;
    const skill = session.definitions.skills.find(name);
    if (skill?.userInvocable === true)
      return { type: 'slash_command', name: skill.name, args, source: skill.source };
    return session.mcp.prompts.find(name) === null
      ? null
      : { type: 'mcp_prompt', name, args, source: 'mcp' };
  };

  const titled = () => {
    const { title } = log.transcript();
    return title === '' ? {} : { session_title: title };
  };
  /** Returns the facts of a prompt. */
  const prompt = () => ({
    source: isDriven ? ('sdk' as const) : ('user' as const),
    ...titled(),
  });
  /** Returns the facts of a beginning; of one that goes on, also what sending its conversation anew costs. */
  const start = (source: StartSource): StartFacts => {
    const { model } = config();
    const facts = { source, model, ...titled() };
    const answeredAt = state.answeredAt();
    if ((source !== 'resume' && source !== 'fork') || answeredAt === 0) return facts;
    const sentAnew = modelSwitch(model, model, { source: 'auto', requested: null });
    const { context_tokens, prompt_cache_warm, estimated_cache_write_usd } = sentAnew;
    const seconds = Math.max(0, Math.round((services.clock.date() - answeredAt) / 1_000));
    return {
      ...{ ...facts, seconds_since_last_response: seconds, context_tokens },
      ...{ prompt_cache_likely_expired: !prompt_cache_warm, estimated_cache_write_usd },
    };
  };

  return { modelSwitch, expansion, prompt, start };
}
