import type { Ctx } from '../../../ctx.ts'
import { ThreadPool } from '../../../threads/pool.ts'
import { workerFile } from '../../../threads/thread.ts'
import { compileConfig, TOO_LONG, type Compiled, type CompileOptions } from './compile.ts'
import type { Resolver } from '../includes/entry.ts'

/** Configurations up to this number of characters are read in the main thread, which takes a few milliseconds. */
const SMALL = 12_000

/** Threads at work at a time; each takes a processor and some 40 MB. */
const MAX_THREADS = 2

/** The includes are more than the main thread should read. */
class TooLarge extends Error {}

/** `compileConfig`, in a separate thread for large configurations. `signal` limits the time. */
export async function compileInThread(
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
      if (!(error instanceof TooLarge)) throw error
    }
  }
  return inThread(ctx, { text: text!, options }, resolver, signal)
}

/** A resolver that throws `Large` after it has read more than `SMALL` characters. */
function limited(resolver: Resolver): Resolver {
  let read = 0
  const count = (text: string | null) => {
    read += text?.length ?? 0
    if (read > SMALL) throw new TooLarge()
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
  task: CompileWork['task'],
  resolver: Resolver,
  signal: AbortSignal,
): Promise<Compiled> {
  const threads = db.instance('ci_config.threads', () => {
    const file = workerFile(import.meta.url, './ci-compile')
    // Configurations need far less memory.
    return new ThreadPool<CompileWork>(file, { threads: MAX_THREADS, memoryMb: 512 })
  })
  const onQuestion = ({ method, args }: CompileWork['question']): unknown => {
    const ask = resolver[method] as ((...input: readonly unknown[]) => Promise<unknown>) | undefined
    return ask ? ask(...args) : null
  }
  try {
    return await threads.run(task, { signal, onQuestion })
  } catch (error) {
    if (signal.aborted) return tooLong()
    throw error
  }
}

function tooLong(): Compiled {
  const problem = { message: TOO_LONG, file: null, line: null, column: null }
  return { errors: [problem], warnings: [], merged_yaml: null, built: null, includes: null }
}

/** The work of the thread. Its questions are calls of the resolver, for example for a file. */
export interface CompileWork {
  readonly task: { readonly text: string; readonly options: Omit<CompileOptions, 'deadline'> }
  readonly result: Compiled
  readonly question: { readonly method: keyof Resolver; readonly args: readonly unknown[] }
  readonly answer: unknown
}
