import type { Ctx } from '../../../ctx.ts'
import type { Project } from '../../projects/index.ts'
import type { ChatAnswer, Tongue } from './answer.ts'

/** A command that somebody said in a chat, in whose name it is carried out. */
export interface Said {
  readonly ctx: Ctx
  readonly project: Project
  readonly tongue: Tongue
  /** What stands in front of the words there: `/forge`. */
  readonly trigger: string
  readonly channel: string
  readonly chat_user_id: string
}

/** One command: how it is written, and what it does. */
export interface Command {
  readonly pattern: RegExp
  /** For the help. */
  readonly usage: string
  /** Whether the actor may say it here at all; who may not is not told of it. */
  may(said: Said): boolean
  run(said: Said, words: Readonly<Record<string, string>>): ChatAnswer | Promise<ChatAnswer>
}
