import type { ToolEnvironment } from './environment';
import type { AnyTool } from './tool';

/**
 * A call's input as people, reports and hooks see it (docs/spec.md B8). Always a copy: the input that runs, and the
 * one in the history, stay as they are. A tool that fails to complete its input is shown without that.
 */
export function observableInput(
  tool: AnyTool,
  input: Readonly<Record<string, unknown>>,
  env: ToolEnvironment,
): Record<string, unknown> {
  try {
    return tool.backfillObservableInput?.(structuredClone(input), env) ?? structuredClone(input);
  } catch {
    return structuredClone(input);
  }
}
