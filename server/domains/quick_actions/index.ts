export type { CommandName } from './commands.ts'
export { parseQuickActions, type Command, type ParsedText } from './parse.ts'
export { runEach, type CommandOutcome, type CommandResult } from './outcome.ts'
