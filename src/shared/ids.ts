/** Identifiers. All are opaque strings with a type prefix, e.g. `ses_…`, `qry_…`, `b_…`. */

/** One conversation in one project. A UUID, so that `--session-id` and `--resume` carry over. */
export type SessionId = string;
/** Everything from one submission to its final answer. */
export type QueryId = string;
/** One tool use; the API's `tool_use` id. */
export type CallId = string;
/** One message of the conversation. */
export type MessageId = string;
/** One piece of background work. */
export type TaskId = string;
/** One pty in the terminal host. */
export type TerminalId = string;
/** One question to the person about permission. */
export type ApprovalId = string;
/** One run of an event log in one process; sequence numbers are only comparable within an epoch. */
export type Epoch = string;
