import type { ToolSource } from '../../../../src/main/engine/tools/catalogue';
import { toyTool } from './toy-tool';

/** A source with one tool. */
export const toySource: ToolSource = {
  name: 'toys',
  list: () => [toyTool('Foreign')],
  onChange: () => () => {},
};
