import { Worker } from 'node:worker_threads'

import type { Ctx } from '../../../ctx.ts'
import { Limiter } from '../../../git/process/limiter.ts'
import { compileConfig, TOO_LONG, type Compiled, type CompileOptions } from './compile.ts'
import type { Resolver } from '../includes/resolver.ts'

/** Characters up to which the main thread reads a configuration by itself: a few milliseconds. */
const SMALL = 12_000

/** Threads at work at a time; each takes a processor and some 40 MB. */
const MAX_THREADS = 2

/** The includes are more than the main thread should read. */
class Large extends Error {}

/** `compileConfig`, in a thread of its own for large configurations. `signal` limits the time. */
export async function compileApart(
  ctx: Pick<Ctx, 'db'>,
  text: string | null,
  resolver: Resolver,
  options: Omit<CompileOptions, 'deadline'>,
  signal: AbortSignal,
): Promise<Compiled> {
  if (text === null || text.length <= SMALL) {
    try {
      return await compileConfig(text, limited(resolver), { ...options, deadline: () => signal.aborted })
    } catch (error) {
      if (!(error instanceof Large)) throw error
    }
  }
  return inThread(ctx, { text: text!, options }, resolver, signal)
}

/** A resolver that throws `Large` once it has read more than is small. */
function limited(resolver: Resolver): Resolver {
  let read = 0
  const count = (text: string | null) => {
    read += text?.length ?? 0
    if (read > SMALL) throw new Large()
  }
  return {
    ...resolver,
    async read(origin, path) {
      const text = await resolver.read(origin, path)
      count(text)
      return text
    },
    async remote(url) {
      const answer = await resolver.remote(url)
      if ('text' in answer) count(answer.text)
      return answer
    },
    async artifact(job, path) {
      const answer = (await resolver.artifact?.(job, path)) ?? null
      if (answer && 'text' in answer) count(answer.text)
      return answer
    },
  }
}

async function inThread(
  { db }: Pick<Ctx, 'db'>,
  task: Task,
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Compiled> {
  const threads = db.instance('ci_config.threads', () => new Limiter(MAX_THREADS))
  const leave = await threads.acquire()
  try {
    return await runThread(task, resolver, signal)
  } finally {
    leave()
  }
}

async function runThread(task: Task, resolver: Resolver, signal: AbortSignal): Promise<Compiled> {
  // In the folder of this file in the sources, in that of the bundle once it is built.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  const worker = new Worker(new URL(`./ci-compile.worker.${extension}`, import.meta.url), {
    workerData: task,
    // Configurations need far less.
    resourceLimits: { maxOldGenerationSizeMb: 512 },
  })
  worker.unref()
  try {
    return await new Promise((resolve, reject) => {
      const late = () => resolve(tooLong())
      if (signal.aborted) late()
      signal.addEventListener('abort', late, { once: true })
      worker.on('error', reject)
      worker.on('exit', () => reject(new Error('The thread that reads a configuration ended.')))
      worker.on('message', (message: Question | Outcome) => {
        if (message.kind === 'compiled') resolve(message.compiled)
        else if (message.kind === 'failed') reject(new Error(message.stack))
        else void answer(message, resolver).then((value) => worker.postMessage(value), reject)
      })
    })
  } finally {
    await worker.terminate()
  }
}

async function answer({ id, method, args }: Question, resolver: Resolver): Promise<Answer> {
  const ask = resolver[method] as ((...given: readonly unknown[]) => Promise<unknown>) | undefined
  return { id, value: ask ? await ask(...args) : null }
}

function tooLong(): Compiled {
  const problem = { message: TOO_LONG, file: null, line: null, column: null }
  return { errors: [problem], warnings: [], merged_yaml: null, built: null, includes: null }
}

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
