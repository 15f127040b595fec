import autocannon from 'autocannon'

import { cpuMs } from '../support/process-tree.ts'
import type { Forge } from './forge.ts'

/** What a load measured: requests per second, and CPU time of the forge and its programs for each. */
export interface Load {
  readonly perSecond: number
  readonly cpuMs: number
}

const CONNECTIONS = 16

/**
 * Asks for the paths in turn under 16 connections. `fresh` gives each request a parameter of its own that no forge knows, so
 * that kept answers do not count.
 */
export async function load(
  { running, headers }: Forge,
  paths: readonly string[],
  options: { seconds: number; fresh: boolean },
): Promise<Load> {
  let count = 0
  const path = (): string => {
    const one = paths[count++ % paths.length]!
    return options.fresh ? `${one}${one.includes('?') ? '&' : '?'}turn=${count}` : one
  }
  const before = cpuMs(running.pid)
  const result = await autocannon({
    url: running.url,
    connections: CONNECTIONS,
    duration: options.seconds,
    requests: [{ method: 'GET', headers, setupRequest: (request) => ({ ...request, path: path() }) }],
  })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(
      `${result.non2xx} answers of ${running.url}${paths[0]} were not 200, ${result.errors} failed.`,
    )
  return {
    perSecond: result.requests.average,
    cpuMs: (cpuMs(running.pid) - before) / result.requests.total,
  }
}
