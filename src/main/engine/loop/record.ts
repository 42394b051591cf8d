import type { AgentEvent, Stamped } from '../../../shared/agent-event';
import type { QueryDeps } from './query-deps';

/** Tells the model a fact that it reads with the next request. */
export const tell = (deps: QueryDeps, kind: string, text: string): Stamped =>
  deps.record({ type: 'attachment', id: deps.ids.next('att'), kind, text });

/** Says something to the model in the user's place; it is no prompt of a person. */
export const tellSynthetic = (deps: QueryDeps, text: string): Stamped =>
  deps.record({
    type: 'user_message',
    id: deps.ids.next('msg'),
    content: [{ type: 'text', text }],
    synthetic: true,
  });

/** Records each event of a part that does not record by itself. Gives what the part returns. */
export async function recorded<T>(
  events: AsyncGenerator<AgentEvent, T>,
  deps: Pick<QueryDeps, 'record'>,
): Promise<T> {
  let step = await events.next();
  while (!step.done) {
    deps.record(step.value);
    step = await events.next();
  }
  return step.value;
}
