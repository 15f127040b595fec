import type { Ctx } from './ctx.ts'
import type { Database } from './db/database.ts'

/** Calls of an instance's own endpoints without HTTP. */
export interface LocalCalls {
  /**
   * Calls a declared endpoint as the actor of `ctx` and at its time: the same checks, permissions and use cases as over
   * HTTP, but neither rate limits nor the wait for the disk. Returns the JSON of the answer. Throws what the endpoint
   * throws.
   */
  call<Answer = unknown>(ctx: Ctx, route: string, input: Readonly<Record<string, unknown>>): Promise<Answer>
  /** The errors of parameters of an endpoint, by name; empty if there are none. Undeclared parameters are errors. */
  problems(route: string, input: Readonly<Record<string, unknown>>): Promise<Record<string, string>>
}

/** Holds the calls once the instance has its endpoints. */
export interface LocalCallsHolder {
  calls: LocalCalls | undefined
}

export function localCallsHolder(db: Database): LocalCallsHolder {
  return db.instance('http.local_calls', () => ({ calls: undefined }) as LocalCallsHolder)
}

/** The calls of a running instance. */
export function localCallsOf(db: Database): LocalCalls {
  const { calls } = localCallsHolder(db)
  if (!calls) throw new Error('The instance has no endpoints yet.')
  return calls
}
