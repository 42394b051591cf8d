import { lspNeeds } from './builtin/lsp/lsp';
import {
  fileNeeds,
  type Needs,
  type NeedsContext,
  needsOf,
  otherNeeds,
  ownNeeds,
  type RawInput,
  type ToolWithNeeds,
  textIn,
} from './needs';

/** Tools of the ecosystem that are not built here, with rules of their own. Any other tool is judged by its name. */
const FOREIGN: Readonly<Record<string, (name: string) => Needs>> = {
  LSP: () => lspNeeds,
  MultiEdit: (name) => fileNeeds(name, 'edit', 'file_path'),
  TaskCreate: ownNeeds,
  TaskGet: ownNeeds,
  TaskList: ownNeeds,
  TaskUpdate: ownNeeds,
  ListMcpResourcesTool: ownNeeds,
  ReadMcpResourceTool: ownNeeds,
  PowerShell: (name) => otherNeeds(name, (input) => textIn(input, 'command')),
  Skill: (name) => otherNeeds(name, skillSpecifier),
};

/** Finds out the permissions that a call needs, of any tool by its name. Never rejects. */
export type NeedsByName = (
  tool: string,
  input: RawInput,
  context: NeedsContext,
) => ReturnType<Needs>;

/** Creates the one answer for checks and replays: tools of this build, of the ecosystem, and unknown ones. */
export const createNeedsByName =
  (find: (name: string) => ToolWithNeeds | null): NeedsByName =>
  (name, input, context) => {
    const foreign = Object.hasOwn(FOREIGN, name) ? FOREIGN[name] : undefined;
    return needsOf(find(name) ?? { name, needs: (foreign ?? otherNeeds)(name) }, input, context);
  };

function skillSpecifier(input: RawInput): string {
  const skill = textIn(input, 'skill') ?? textIn(input, 'name') ?? textIn(input, 'command');
  return [skill, textIn(input, 'args')].filter((part) => part !== null && part !== '').join(' ');
}
