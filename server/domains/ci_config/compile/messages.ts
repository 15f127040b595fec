import type { CompileOptions, Compiled } from './compile.ts'
import type { Resolver } from '../includes/resolver.ts'

/** What a thread is started with. */
export interface Task {
  readonly text: string
  readonly options: Omit<CompileOptions, 'deadline'>
}

/** What the thread asks for: a file, an address. */
export interface Question {
  readonly kind: 'question'
  readonly id: number
  readonly method: keyof Resolver
  readonly args: readonly unknown[]
}

/** The answer to a question of the thread. */
export interface Answer {
  readonly id: number
  readonly value?: unknown
  /** True where the question could not be answered; the whole ends then. */
  readonly failed?: boolean
}

/** The end: what was compiled, or the stack of a programming error. */
export type Outcome =
  | { readonly kind: 'compiled'; readonly compiled: Compiled }
  | { readonly kind: 'failed'; readonly stack: string }
