import autocannon from 'autocannon'

import { cpuMs } from '../support/process-tree.ts'
import type { Forge } from './forge.ts'

/** The result of a load: requests per second, and the CPU time of the forge and its child processes per request. */
export interface Load {
  readonly perSecond: number
  readonly cpuMs: number
}

const CONNECTIONS = 16

/**
 * Requests the paths in turn over 16 connections. `fresh` adds a different unknown parameter to each request, so that
 * cached responses do not count.
 */
export async function load(
  { running, headers }: Forge,
  paths: readonly string[],
  options: { seconds: number; fresh: boolean },
): Promise<Load> {
  let count = 0
  const path = (): string => {
    const chosen = paths[count++ % paths.length]!
    return options.fresh ? `${chosen}${chosen.includes('?') ? '&' : '?'}turn=${count}` : chosen
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
