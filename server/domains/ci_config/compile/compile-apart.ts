import type { Ctx } from '../../../ctx.ts'
import { ThreadPool } from '../../../threads/pool.ts'
import { workerFile } from '../../../threads/thread.ts'
import { compileConfig, TOO_LONG, type Compiled, type CompileOptions } from './compile.ts'
import type { Resolver } from '../includes/entry.ts'

/** The maximum number of characters that are compiled in the main thread, which takes a few milliseconds. */
const SMALL = 12_000

/** The maximum number of threads. Each uses a processor and about 40 MB. */
const MAX_THREADS = 2

/** The error for includes that are too large for the main thread. */
class TooLarge extends Error {}

/** Compiles a configuration as `compileConfig`, large ones in a separate thread. `signal` limits the time. */
export async function compileInThread(
  ctx: Pick<Ctx, 'db'>,
  text: string | null,
  resolver: Resolver,
  options: Omit<CompileOptions, 'deadline'>,
  signal: AbortSignal,
): Promise<Compiled> {
  if (text === null || text.length <= SMALL) {
    try {
      return await compileConfig(text, withSizeLimit(resolver), {
        ...options,
        deadline: () => signal.aborted,
      })
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
    }
  }
  return inThread(ctx, { text: text!, options }, resolver, signal)
}

/** Returns a resolver that throws TooLarge after it has read more than `SMALL` characters. */
function withSizeLimit(resolver: Resolver): Resolver {
  let readChars = 0
  const count = (text: string | null) => {
    readChars += text?.length ?? 0
    if (readChars > SMALL) throw new TooLarge()
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
    // This is far more memory than a valid configuration needs.
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

/** The messages of the thread. Its questions are calls of the resolver, for example to read a file. */
export interface CompileWork {
  readonly task: { readonly text: string; readonly options: Omit<CompileOptions, 'deadline'> }
  readonly result: Compiled
  readonly question: { readonly method: keyof Resolver; readonly args: readonly unknown[] }
  readonly answer: unknown
}
