import type { z } from 'zod';
import type { ApprovalSubject } from '../../../../../shared/permission';
import type { Result } from '../../../../../shared/result';
import type { ToolEnvironment } from '../../environment';
import { fileNeeds } from '../../needs';
import { defineTool, type Tool } from '../../tool';
import { changeSubject, changeView, commitChange, type FileChange } from './file-change';
import { absoluteOf, decidedTarget, fileAccess, locate, shortPath, type Target } from './target';

/** One tool that changes a file: how it names the file, works the change out and reports it. */
export interface ChangeToolSpec<Input, Change extends FileChange, Field extends keyof Input> {
  readonly name: string;
  readonly description: string;
  /** It waits to be found where there are deferred tools anyway. */
  readonly seldom?: true;
  readonly input: z.ZodType<Input>;
  /** The field that holds the path. */
  readonly pathField: Field;
  /** Works the change out without making it. The error is for the model. */
  readonly plan: (
    input: Input,
    target: Target,
    env: ToolEnvironment,
  ) => Promise<Result<Change, string>>;
  /** Returns what the model is told; `name` is the short path. */
  readonly report: (change: Change, name: string) => string;
}

/** A change that was made, and the file's short name. */
export interface ChangeMade<Change extends FileChange> {
  readonly change: Change;
  readonly name: string;
}

/** Defines a tool that changes one file: planned for the check and the dialog, planned again and made when it runs. */
export function defineChangeTool<
  Field extends string,
  Input extends { readonly [F in Field]: string },
  Change extends FileChange,
>(spec: ChangeToolSpec<Input, Change, Field>): Tool<Input, ChangeMade<Change>> {
  const { name, description, input, pathField } = spec;
  const targetOf = (asked: Input, env: ToolEnvironment) => locate(asked[pathField], env);
  const planNow = async (asked: Input, env: ToolEnvironment) =>
    spec.plan(asked, await targetOf(asked, env), env);
  return defineTool<Input, ChangeMade<Change>>({
    name,
    description,
    input,
    ...(spec.seldom ? { seldom: true } : {}),
    access: async (asked, env) => fileAccess('edit', await targetOf(asked, env)),
    validateInput: async (asked, env) => {
      const planned = await planNow(asked, env);
      return planned.ok ? null : planned.error;
    },
    needs: fileNeeds(name, 'edit', pathField),
    subject: async (asked, env): Promise<ApprovalSubject> => {
      const planned = await planNow(asked, env);
      if (planned.ok) return changeSubject(planned.value);
      const { path, realPath } = await targetOf(asked, env);
      return { kind: 'edit', path, realPath, created: false, hunks: [] };
    },
    backfillObservableInput: (copy, env) => ({
      ...copy,
      [pathField]: absoluteOf(copy[pathField], env),
    }),
    title: (asked) => ({ verb: name, target: asked[pathField] ?? '' }),
    // biome-ignore lint/correctness/useYield: a change is one step, there is nothing to report on the way
    execute: async function* (asked, context) {
      const planned = await spec.plan(asked, decidedTarget(context), context);
      if (!planned.ok) return { ok: false, message: planned.error };
      if (context.signal.aborted)
        return { ok: false, message: 'Interrupted; nothing was changed.' };
      const done = await commitChange(planned.value, context);
      if (!done.ok) return { ok: false, message: done.error };
      const shortName = shortPath(planned.value.target.path, context);
      return { ok: true, output: { change: planned.value, name: shortName } };
    },
    toModel: (output) => [{ type: 'text', text: spec.report(output.change, output.name) }],
    view: (_, { change }) => changeView(change),
  });
}
