import { BUILT_IN_AGENTS } from '../../agents/definitions';
import type { CommandLimits } from '../../settings/environment';
import type { AnyTool } from '../tool';
import { createAgentTool } from './agent/agent';
import {
  createAskUserQuestionTool,
  type PreviewFormat,
} from './ask-user-question/ask-user-question';
import { createBashTool } from './bash/bash';
import { createEditTool } from './edit/edit';
import { createEnterPlanModeTool } from './enter-plan-mode/enter-plan-mode';
import { createExitPlanModeTool } from './exit-plan-mode/exit-plan-mode';
import { createGlobTool } from './glob/glob';
import { createGrepTool } from './grep/grep';
import { createMonitorTool } from './monitor/monitor';
import { createNotebookEditTool } from './notebook-edit/notebook-edit';
import { createReadTool } from './read/read';
import { createSendMessageTool } from './send-message/send-message';
import { createTaskOutputTool } from './task-output/task-output';
import { createTaskStopTool } from './task-stop/task-stop';
import { createTodoWriteTool } from './todo-write/todo-write';
import { createToolSearchTool } from './tool-search/tool-search';
import { createWebFetchTool } from './web-fetch/web-fetch';
import { createWebSearchTool } from './web-search/web-search';
import { createWriteTool } from './write/write';

/** Creates every tool that comes with Lathe. `limits` are those of shell commands, `previews` the form of those of questions. */
export const createBuiltinTools = (
  limits?: CommandLimits,
  previews?: PreviewFormat,
): readonly AnyTool[] => [
  createAgentTool(BUILT_IN_AGENTS),
  createAskUserQuestionTool(previews),
  createBashTool(limits),
  createEditTool(),
  createEnterPlanModeTool(),
  createExitPlanModeTool(),
  createGlobTool(),
  createGrepTool(),
  createNotebookEditTool(),
  createMonitorTool(limits),
  createReadTool(),
  createSendMessageTool(),
  createTaskOutputTool(),
  createTaskStopTool(),
  createTodoWriteTool(),
  createToolSearchTool(),
  createWebFetchTool(),
  createWebSearchTool(),
  createWriteTool(),
];
