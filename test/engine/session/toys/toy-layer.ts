import type { ContextLayer } from '../../../../src/main/engine/context/layer';

/** Leaves out the results that are about something boring. */
export const toyLayer: ContextLayer = {
  name: 'toy',
  apply: (messages) => {
    const boring = messages.flatMap((message) =>
      message.role === 'user'
        ? message.content.flatMap((block) =>
            block.type === 'tool_result' && JSON.stringify(block.content).includes('says boring')
              ? [block.tool_use_id]
              : [],
          )
        : [],
    );
    const content = [{ type: 'text' as const, text: 'left out by a toy' }];
    const edits = boring.map((callId) => ({ kind: 'replace_result' as const, callId, content }));
    return { edits, freed: boring.length };
  },
};
