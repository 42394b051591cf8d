import { type Colours, createColourer } from './colour';
import type { Grammar } from './languages';

/** The code that a page wants coloured. */
export interface ColourRequest {
  readonly id: number;
  readonly code: string;
  readonly grammar: Grammar;
}

/** The answer to the request of that `id`; null when the code stays plain. */
export interface ColourReply {
  readonly id: number;
  readonly colours: Colours | null;
}

const colourer = createColourer();

self.addEventListener('message', ({ data }: MessageEvent<ColourRequest>) => {
  const reply = (colours: Colours | null) => {
    const answer: ColourReply = { id: data.id, colours };
    self.postMessage(answer, { transfer: colours === null ? [] : [colours.runs.buffer] });
  };
  // A grammar that cannot be loaded costs the colours, never the code.
  colourer.colour(data.code, data.grammar).then(reply, () => reply(null));
});
