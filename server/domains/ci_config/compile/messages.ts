import type { CompileOptions, Compiled } from './compile.ts'
import type { Resolver } from '../includes/resolver.ts'

/** The data that a thread starts with. */
export interface Task {
  readonly text: string
  readonly options: Omit<CompileOptions, 'deadline'>
}

/** A question of the thread to the resolver, for example for a file. */
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
  /** True if there is no answer; the compilation fails then. */
  readonly failed?: boolean
}

/** The result: the compiled configuration, or the stack of a programming error. */
export type Outcome =
  | { readonly kind: 'compiled'; readonly compiled: Compiled }
  | { readonly kind: 'failed'; readonly stack: string }
